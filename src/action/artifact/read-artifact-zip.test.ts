// What is accepted of an artifact: exactly two files within limits, and words on whatever else.
import { expect, test } from "vitest";
import {
  MANIFEST,
  makeArtifact,
  manifestEntry,
  samplesEntry,
} from "../../../test/support/artifact.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import { makeZip, type ZipEntry, type ZipShape } from "../../../test/support/zip.ts";
import { ARTIFACT_LIMITS, type ArtifactLimits } from "../../core/model/manifest.ts";
import { readArtifactZip } from "./read-artifact-zip.ts";

const SAMPLES = makeSamples({ rounds: 2, noise: 0.02, whole: true });
const JSON_TEXT = JSON.stringify(SAMPLES);
const good = (): ZipEntry => samplesEntry(JSON_TEXT);

async function check(bytes: Uint8Array, expected: RegExp, limits?: ArtifactLimits): Promise<void> {
  const read = await readArtifactZip(bytes, limits);
  expect(read.kind === "problem" ? read.text : read.kind).toMatch(expected);
}

const refuseZip = (
  what: string,
  expected: RegExp,
  entries: () => ZipEntry[],
  shape?: ZipShape,
): void => {
  test(what, () => check(makeZip(entries(), shape), expected));
};

const refuseJson = (what: string, expected: RegExp, json: string): void => {
  test(what, () => check(makeZip([samplesEntry(json), manifestEntry()]), expected));
};

test("the two files are read back unchanged", async () => {
  const read = await readArtifactZip(makeArtifact(SAMPLES));
  expect(read).toEqual({ kind: "artifact", samples: SAMPLES, manifest: MANIFEST });
});

test("correct data descriptors are accepted", () =>
  check(
    makeZip([
      { ...good(), flags: 8 },
      { ...manifestEntry(), flags: 8 },
    ]),
    /^artifact$/,
  ));

test("arbitrary bytes are refused", async () => {
  for (let length = 0; length < 64; length++) {
    await check(new Uint8Array(length).fill(0x50), /not a zip that can be read/);
  }
});

test("a truncated zip is refused", async () => {
  const zip = makeArtifact(SAMPLES);
  for (let length = 0; length < zip.length; length += 97) {
    await check(zip.subarray(0, length), /not a zip/);
  }
});

refuseZip("a file too many", /3 entries; it must be exactly/, () => [
  good(),
  manifestEntry(),
  { name: "README", data: Buffer.from("x") },
]);
refuseZip("a file too few", /1 entries/, () => [good()]);
refuseZip("no entries", /0 entries/, () => []);
refuseZip("more entries than it admits", /3 entries/, () => [good(), manifestEntry()], {
  entryCount: 3,
});
refuseZip("the same file twice", /is there twice/, () => [manifestEntry(), manifestEntry()]);
for (const name of [
  "../tailgate-manifest.json",
  "/etc/passwd",
  "C:\\x",
  "a\\..\\b",
  "tailgate-manifest.json/",
  "TAILGATE-manifest.json",
  "tailgate-manifest.json\0",
  "__proto__",
  "",
]) {
  refuseZip(
    `the name ${JSON.stringify(name)}`,
    /not one of the two files|not a zip that can be read/,
    () => [good(), { ...manifestEntry(), name }],
  );
}
refuseZip("a symbolic link", /a link or a device/, () => [
  { ...good(), mode: 0o120777 },
  manifestEntry(),
]);
refuseZip("a folder by its mode", /a link or a device/, () => [
  { ...good(), mode: 0o040755 },
  manifestEntry(),
]);
refuseZip("encryption", /is encrypted/, () => [
  { ...good(), stored: false, flags: 1 },
  manifestEntry(),
]);
refuseZip("an unknown compression", /compressed by method 99/, () => [
  { ...good(), method: 99 },
  manifestEntry(),
]);
refuseZip("a claimed size that is too small", /size or checksum differs/, () => [
  { ...good(), stored: false, claims: { size: 10 } },
  manifestEntry(),
]);
refuseZip("a claimed size that is too large", /size or checksum differs/, () => [
  { ...good(), stored: false, claims: { size: 1_000_000 } },
  manifestEntry(),
]);
refuseZip("a packed size beyond the file", /not a zip that can be read/, () => [
  { ...good(), stored: false, claims: { packedSize: 0x7fffffff } },
  manifestEntry(),
]);
refuseZip("a wrong checksum", /size or checksum differs/, () => [
  { ...good(), claims: { crc: 1 } },
  manifestEntry(),
]);
refuseZip("a bomb", /unpacks to 46137345 bytes, at most 46137344/, () => [
  { name: "samples.v1.json", data: new Uint8Array(44 * 1024 * 1024 + 1) },
  manifestEntry(),
]);
refuseZip("a bomb that claims to be small", /size or checksum differs/, () => [
  {
    name: "samples.v1.json",
    data: new Uint8Array(32 * 1024 * 1024),
    claims: { size: 100 },
  },
  manifestEntry(),
]);
refuseZip("a large manifest", /manifest.json" unpacks to/, () => [
  good(),
  { ...manifestEntry(), data: new Uint8Array(100_000) },
]);
refuseZip("samples as versions before wrote them", /not one of the two files/, () => [
  { ...good(), name: "tailgate-samples.json.gz" },
  manifestEntry(),
]);
refuseZip("a manifest with extra keys", /not a manifest of this version: .*[Uu]nrecognized/, () => [
  good(),
  manifestEntry({ ...MANIFEST, pullRequest: 7 }),
]);
refuseZip("a manifest that is no JSON", /manifest.json is not JSON/, () => [
  good(),
  { ...manifestEntry(), data: Buffer.from("{") },
]);

test("an artifact above the size limit is not opened", () =>
  check(new Uint8Array(100), /is 100 bytes, at most 10/, { ...ARTIFACT_LIMITS, zipBytes: 10 }));
test("invalid UTF-8 is refused", () =>
  check(
    makeZip([samplesEntry(Uint8Array.from([0x22, 0xff, 0x22])), manifestEntry()]),
    /not UTF-8/,
  ));
/** The file with one piece of its text replaced. */
const swapped = (from: string | RegExp, to: string): string => {
  const text = JSON_TEXT.replace(from, to);
  if (text === JSON_TEXT) throw new Error(`nothing to replace: ${from}`);
  return text;
};
refuseJson("no JSON", /is not JSON/, "not json");
refuseJson("nothing", /is not JSON/, "");
refuseJson("another value", /not a samples file of this version/, "[]");
refuseJson("null", /not a samples file of this version/, "null");
refuseJson("another schema", /schema/, swapped("samples.v1", "samples.v2"));
refuseJson("NaN", /is not JSON/, swapped(/"p99":[\d.]+/, '"p99":NaN'));
refuseJson(
  "infinity by overflow",
  /rounds\[0\]\.scenarios\[0\]/,
  swapped(/"p99":[\d.]+/, '"p99":1e999'),
);
refuseJson("a latency of ages", /p99: Too big/, swapped(/"p99":[\d.]+/, '"p99":1e300'));
refuseJson("a latency below nothing", /p99: Too small/, swapped(/"p99":[\d.]+/, '"p99":-1'));
refuseJson(
  "a latency that rounds to nothing",
  /p99: expected 0 or at least 0.001, found 1e-300/,
  swapped(/"p99":[\d.]+/, '"p99":1e-300'),
);
for (const key of ["p99", "lagMax"]) {
  const ofWindow = new RegExp(`(?<="windows":\\[{[^}]*"${key}":)[\\d.]+`);
  const at = `slices\\[0\\]\\.windows\\[0\\]\\.${key}`;
  refuseJson(
    `a window's ${key} that rounds to nothing`,
    new RegExp(`${at}: expected 0 or at least 0\\.001, found 5e-324`),
    swapped(ofWindow, "5e-324"),
  );
  refuseJson(`a window's ${key} of ages`, new RegExp(`${at}: Too big`), swapped(ofWindow, "1e308"));
}
refuseJson("an unknown key", /nrecognized key/, swapped('"seed":', '"verdict":"pass","seed":'));
refuseJson(
  "an unknown key deep inside",
  /rounds\[0\].*nrecognized key/,
  swapped('"pair":', '"x":1,"pair":'),
);
refuseJson(
  "a key twice",
  /"state" stands twice/,
  swapped('"state":', '"state":"complete","state":'),
);
refuseJson(
  "a key twice, once in disguise",
  /"seed" stands twice/,
  swapped('"seed":', '"se\\u0065d":1,"seed":'),
);
refuseJson("__proto__", /a key is __proto__/, swapped('"seed":', '"__proto__":{},"seed":'));
refuseJson("depth", /more than 20 levels/, `${"[".repeat(100_000)}`);
refuseJson("a long list", /more than 5000 members/, `{"rounds":[${"0,".repeat(5001)}0]}`);
refuseJson(
  "many values",
  /more than 3000000 values/,
  `[${`[${"{},".repeat(4900)}0],`.repeat(1000)}0]`,
);
refuseJson("a long string", /longer than 1048576/, `["${"x".repeat(1_048_577)}"]`);
refuseJson("an open string", /is not JSON/, '{"a\\');
refuseJson(
  "a violation for each of a million values",
  /not a samples file of this version: rounds\[0\]/,
  swapped(/"rounds":.*$/, `"rounds":[${`[${"0,".repeat(4900)}0],`.repeat(200)}0]}`),
);
refuseJson(
  "too many rounds",
  /more than 400 rounds of "api"/,
  JSON.stringify({
    ...SAMPLES,
    rounds: Array.from({ length: 401 }, (_, index) => ({
      ...SAMPLES.rounds[0],
      index,
      scenarios: [],
    })),
  }),
);
refuseJson(
  "a round twice",
  /round 0 of "api" stands twice/,
  JSON.stringify({ ...SAMPLES, rounds: [SAMPLES.rounds[0], SAMPLES.rounds[0]] }),
);
