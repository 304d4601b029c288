// The released build, out of a server on this machine that serves it well or badly, into a cache; and
// what happens where it cannot be had.
import { hash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { UserError } from "../../src/core/base/errors.ts";
import { ensureOha } from "../../src/machine/build/oha-tool.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { makeTestFolder } from "../../test/support/build.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { installOha } from "./install.ts";
import type { OhaRelease } from "./released.ts";

const program = (words: string): string => `#!/bin/sh\necho '${words}'\n`;
const GZIP = gzipSync(program("oha 1.16.0"));
const OTHER = gzipSync(program("oha 1.16.6"));
const MACHINE = `${process.platform}-${process.arch}`;
const CARGO = `#!/bin/sh
while [ "$1" != --root ]; do shift; done
/bin/mkdir -p "$2/bin" "$CARGO_TARGET_DIR"
printf '#!/bin/sh\\necho oha 1.16.0\\n' > "$2/bin/oha"
/bin/chmod 755 "$2/bin/oha"
`;

/** How one request is answered. */
type Answer = (response: ServerResponse) => void;

const whole: Answer = (response) => response.end(GZIP);
const wrong: Answer = (response) => response.end(OTHER);
const gone: Answer = (response) => response.writeHead(404).end("Not Found");
const moved: Answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
const cutOff: Answer = (response) => {
  response.writeHead(200, { "content-length": GZIP.length });
  response.write(GZIP.subarray(0, 20), () => response.destroy());
};
const cutShort: Answer = (response) => response.end(GZIP.subarray(0, 20));
const stalled: Answer = (response) => void response.write(GZIP.subarray(0, 20));
const endless: Answer = (response) => response.end(Buffer.alloc(GZIP.length + 1));

interface Case {
  name: string;
  answers: Answer[];
  /** How many are asked for. Default: all. */
  requests?: number;
  /** Nobody listens. */
  isOffline?: true;
  hasCargo?: true;
  released?: Partial<OhaRelease> | null;
}

const CASES: readonly Case[] = [
  { name: "whole", answers: [whole] },
  { name: "behind a redirect", answers: [moved, whole] },
  { name: "cut off once", answers: [cutOff, whole] },
  { name: "cut off twice", answers: [cutOff, cutOff, whole], requests: 2, hasCargo: true },
  {
    name: "cut short, and said to be whole",
    answers: [cutShort, whole],
    requests: 1,
    hasCargo: true,
  },
  { name: "another program", answers: [wrong, whole], requests: 1, hasCargo: true },
  { name: "longer than it is", answers: [endless, endless], hasCargo: true },
  { name: "stalled", answers: [stalled], hasCargo: true },
  { name: "not there", answers: [gone, gone], hasCargo: true },
  { name: "offline", answers: [], isOffline: true, hasCargo: true },
  { name: "offline, without cargo", answers: [], isOffline: true },
  { name: "another program, without cargo", answers: [wrong] },
  { name: "of another version", answers: [], released: { version: "1.15.0" }, hasCargo: true },
  { name: "for other machines alone", answers: [], released: { files: {} }, hasCargo: true },
  { name: "never released", answers: [], released: null, hasCargo: true },
];

async function serve(answers: readonly Answer[]) {
  let asked = 0;
  const server = createServer((_, response) => answers[asked++]?.(response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked: () => asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test.each(CASES)("$name", async (given) => {
  const { answers, requests = answers.length, isOffline, hasCargo, released = {} } = given;
  using folder = makeTestFolder();
  if (hasCargo) folder.write("bin/cargo", CARGO, { mode: 0o755 });
  const server = await serve(answers);
  if (isOffline) server.close();
  const address = `http://127.0.0.1:${server.port}`;
  const says = await installFrom(folder.path, address, released);
  server.close();
  expect(server.asked()).toBe(requests);
  // Whole, or not at all.
  const kept = readdirSync(join(folder.path, "cache/tools"));
  expect(kept).toEqual(
    existsSync(join(folder.path, "cache/tools/oha-1.16.0/bin/oha")) ? ["oha-1.16.0"] : [],
  );
  if (kept.length > 0)
    expect(readdirSync(join(folder.path, "cache/tools/oha-1.16.0"))).toEqual(["bin"]);
  expect(says.replaceAll(`127.0.0.1:${server.port}`, "SERVER")).toMatchSnapshot();
});

/** What was told, and what became of it. */
async function installFrom(
  folder: string,
  address: string,
  released: Partial<OhaRelease> | null,
  env: Record<string, string> = {},
): Promise<string> {
  const file = { sha256: hash("sha256", GZIP), bytes: GZIP.length };
  const known = { version: "1.16.0", address, files: { [MACHINE]: file }, ...released };
  const lines: string[] = [];
  try {
    const oha = await ensureOha({
      cache: join(folder, "cache"),
      env: { PATH: `${folder}/bin`, HOME: folder, ...env },
      clock: systemClock,
      abort: new AbortController().signal,
      progress: { note: (line) => lines.push(line), status() {} },
      satellites: {
        installOha: (kernel) => installOha(kernel, released === null ? null : known, 500),
      },
    });
    lines.push(`oha ${oha.version} at ${oha.path}`);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const { message, detail, next } = thrown;
    lines.push(`error: ${message}`, `detail: ${detail}`, `next: ${next}`);
  }
  return lines
    .join("\n")
    .replaceAll(folder, "FOLDER")
    .replaceAll(MACHINE, "MACHINE")
    .replaceAll(hash("sha256", GZIP), "RELEASED")
    .replaceAll(hash("sha256", OTHER), "OTHER")
    .replaceAll(/\b\d+(?= (?:of \d+ )?bytes)/g, "N");
}

test("stopped on its way it leaves nothing, and starts no compiler", async () => {
  using folder = makeTestFolder();
  folder.write("bin/cargo", `#!/bin/sh\necho ran > "$HOME/ran"\n`, { mode: 0o755 });
  const controller = new AbortController();
  const server = await serve([() => controller.abort()]);
  const released = {
    version: "1.16.0",
    address: `http://127.0.0.1:${server.port}`,
    files: { [MACHINE]: { sha256: "", bytes: 10 } },
  };
  const ended = ensureOha({
    cache: join(folder.path, "cache"),
    env: { PATH: `${folder.path}/bin`, HOME: folder.path },
    clock: systemClock,
    abort: controller.signal,
    progress: { note() {}, status() {} },
    satellites: { installOha: (kernel) => installOha(kernel, released) },
  });
  await expect(ended).rejects.toMatchObject({ kind: "interrupted" });
  server.close();
  expect(existsSync(join(folder.path, "ran"))).toBe(false);
  expect(readdirSync(join(folder.path, "cache/tools"))).toEqual([]);
});

// Last: this process's fetch keeps the proxy.
test("through the proxy that the environment names", async () => {
  using folder = makeTestFolder();
  const server = await serve([whole]);
  await using proxy = await startProxy(server);
  const env = { HTTP_PROXY: `http://${proxy.host}` };
  const says = await installFrom(folder.path, "http://server.invalid", {}, env);
  server.close();
  expect(proxy.asked).toEqual(["CONNECT server.invalid:80"]);
  expect(says).toMatchSnapshot();
});
