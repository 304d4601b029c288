// The loop over a machine that is made up: what it asks for, how it ends, and that it goes on where it
// was stopped.
import { expect, test } from "vitest";
import { BisectSchema } from "../../scripts/generate/satellite-schemas.ts";
import { UserError } from "../../src/core/base/errors.ts";
import type { BisectKernel, BisectResult } from "../../src/core/model/bisect.ts";
import { idAt, placeOf, QUESTION, type World, worldOf } from "../../test/support/bisect.ts";
import { bisect } from "./bisect.ts";
import type { BisectRecord } from "./record.ts";

const recordOf = ({ value }: BisectResult): BisectRecord => value as BisectRecord;
const placesOf = (result: BisectResult): number[] =>
  recordOf(result)
    .suspects.map(({ id }) => placeOf(id))
    .sort((a, b) => a - b);

/** As small as the spread of real rounds, and the same in each run. */
const NOISE = [-0.02, -0.01, 0, 0.01, 0.02];
const LINE: World = { seed: 5, commits: 16, culprit: 11, noise: NOISE };

interface Case extends Partial<World> {
  state: BisectRecord["state"];
  /** Places that it is one of. */
  places: number[];
  builds: number;
  /** Tampering with the machine. */
  as?(kernel: BisectKernel): BisectKernel;
}

const all = (least: number, most: number): number[] =>
  Array.from({ length: most - least + 1 }, (_, k) => least + k);

/** A place that builds, and cannot be measured. */
const failing =
  (place: number) =>
  (kernel: BisectKernel): BisectKernel => ({
    ...kernel,
    measure: async (commits, ...rest) =>
      commits.includes(idAt(place))
        ? { unusable: "it did not start", commit: idAt(place) }
        : await kernel.measure(commits, ...rest),
  });

const CASES: Record<string, Case> = {
  "one of sixteen": { state: "found", places: [11], builds: 6 },
  "the first": { culprit: 1, state: "found", places: [1], builds: 6 },
  "the last": { culprit: 16, state: "found", places: [16], builds: 6 },
  "one commit alone: what showed the change is the proof": {
    commits: 1,
    culprit: 1,
    state: "found",
    places: [1],
    builds: 2,
  },
  "its neighbours do not build: those before it share the blame": {
    broken: new Set([8, 9, 10]),
    state: "one-of",
    places: [8, 9, 10, 11],
    builds: 8,
  },
  "it does not build itself: never named alone": {
    broken: new Set([11]),
    state: "one-of",
    places: [11, 12],
    builds: 6,
  },
  "nothing between the ends builds": {
    broken: new Set(all(1, 15)),
    state: "one-of",
    places: all(1, 16),
    builds: 17,
  },
  "equal sources are built once": {
    same: new Map(all(2, 10).map((place) => [place, "sources"])),
    state: "found",
    places: [11],
    builds: 5,
  },
  "equal artifacts leave nothing between them": {
    same: new Map(all(2, 10).map((place) => [place, "artifact"])),
    state: "found",
    places: [11],
    builds: 6,
  },
  "the good commit does not build": {
    broken: new Set([0]),
    state: "invalid",
    places: [],
    builds: 1,
  },
  "the ends are the same build": {
    same: new Map(all(1, 16).map((place) => [place, "artifact"])),
    state: "no-change",
    places: [],
    builds: 2,
  },
  "there is no change": { change: 0, state: "no-change", places: [], builds: 2 },
  "an improvement is no change for the worse": {
    change: -0.2,
    state: "no-change",
    places: [],
    builds: 2,
  },
  "a commit that cannot be measured is skipped": {
    state: "one-of",
    places: [10, 11],
    builds: 7,
    as: failing(10),
  },
  "the one before it cannot be measured, which the proof is the first to show": {
    touched: [0, ...all(1, 16).map((place) => (place === 11 ? 400 : 0))],
    state: "one-of",
    places: [10, 11],
    builds: 5,
    as: failing(10),
  },
  "the good commit builds, but does not start": {
    state: "invalid",
    places: [],
    builds: 2,
    as: failing(0),
  },
  "the good commit fails once, after it was measured: another is skipped": {
    state: "one-of",
    places: [11, 12],
    builds: 6,
    as: (kernel) => {
      let left = 8;
      return {
        ...kernel,
        measure: async (commits, ...rest) =>
          left-- === 0
            ? { unusable: "it did not start", commit: idAt(0) }
            : await kernel.measure(commits, ...rest),
      };
    },
  },
};

test.each(Object.entries(CASES))("%s", async (_, { state, places, builds, as, ...world }) => {
  const { kernel, spent } = worldOf({ ...LINE, ...world });
  const result = await bisect(as?.(kernel) ?? kernel);
  expect(recordOf(result).state).toBe(state);
  expect(placesOf(result)).toEqual(places);
  expect(spent.builds).toBe(builds);
  const kept = BisectSchema.parse(JSON.parse(spent.kept ?? ""));
  expect(kept).toEqual(JSON.parse(JSON.stringify(result.value)));
});

test("a change in two halves is no commit's: what is named made a third of it, or nothing is named", async () => {
  const { kernel } = worldOf({ ...LINE, noise: [-0.1, 0, 0.1] });
  const half = (id: string): number => (placeOf(id) >= 5 ? 0.1 : 0);
  const halves: BisectKernel = {
    ...kernel,
    measure: async ([from, to], rounds, question) => {
      const measured = await kernel.measure([from, to], rounds, question);
      if ("unusable" in measured) return measured;
      const more = half(to) - half(from);
      return { d: { [QUESTION]: (measured.d[QUESTION] ?? []).map((value) => value + more) } };
    },
  };
  const result = await bisect(halves);
  if (recordOf(result).state === "found") expect([5, 11]).toContain(placesOf(result)[0]);
  else expect(recordOf(result).state).toBe("undecided");
});

test("it says how it stands when its time is over, and goes on to the same end", async () => {
  const whole = await bisect(worldOf(LINE).kernel);
  let steps = 9;
  const first = worldOf(LINE);
  const stopped = await bisect({ ...first.kernel, leftMs: () => steps-- });
  expect(recordOf(stopped).state).toBe("undecided");
  expect(recordOf(stopped).why).toMatch(/time/);
  expect(placesOf(stopped).length).toBeGreaterThan(1);
  // The same machine, which goes on drawing where it was.
  const rest = await bisect({ ...first.kernel, earlier: first.spent.kept });
  expect(rest).toEqual(whole);
});

test("a signal loses at most the step that it came in", async () => {
  const { kernel, spent } = worldOf(LINE);
  let left = 5;
  const measure: BisectKernel["measure"] = async (...asked) => {
    if (left-- === 0) throw new UserError("stopped", {}, "interrupted");
    return await kernel.measure(...asked);
  };
  await expect(bisect({ ...kernel, measure })).rejects.toThrow("stopped");
  const { state, seen } = JSON.parse(spent.kept ?? "") as BisectRecord;
  expect(state).toBe("running");
  expect(seen.filter(({ kind }) => kind === "rounds")).toHaveLength(5);
  expect((await bisect({ ...kernel, earlier: spent.kept })).lack).toBeNull();
});

test.each([
  ["of other commits", (kept: string) => kept.replace('"identity":"16"', '"identity":"17"')],
  ["damaged", (kept: string) => kept.slice(0, -1)],
  ["of another version", (kept: string) => kept.replace("bisect.v1", "bisect.v2")],
])("what is %s is not gone on with", async (_, changed) => {
  const { kernel, spent } = worldOf(LINE);
  await bisect(kernel);
  const earlier = changed(spent.kept ?? "");
  await expect(bisect({ ...kernel, earlier })).rejects.toMatchObject({
    name: "UserError",
    next: expect.stringContaining("--resume"),
  });
});

test("the likeliest by what they touched are looked at first", async () => {
  const touched = [0, ...all(1, 16).map((place) => (place === 11 ? 400 : 0))];
  const { kernel, spent } = worldOf({ ...LINE, touched });
  expect((await bisect(kernel)).lack).toBeNull();
  // The ends, it and the one before: no other was built.
  expect(spent.builds).toBe(4);
});

test("what a person reads", async () => {
  const named = await bisect(worldOf(LINE).kernel);
  const several = await bisect(worldOf({ ...LINE, broken: new Set([9, 10]) }).kernel);
  let steps = 9;
  const stopped = await bisect({ ...worldOf(LINE).kernel, leftMs: () => steps-- });
  const equal = await bisect(worldOf({ ...LINE, change: 0 }).kernel);
  const invalid = await bisect(failing(0)(worldOf(LINE).kernel));
  const all = [named, several, stopped, equal, invalid];
  expect(all.map(({ text }) => text).join("\n\n")).toMatchSnapshot();
});

test("what is of a service is asked again of the service", async () => {
  const { kernel } = worldOf(LINE);
  const questions = kernel.questions.map((one) => ({ ...one, scenario: null }));
  const againFor = async (scenario: string | null) =>
    recordOf(await bisect({ ...kernel, questions, scenario })).again;
  const line = "tailgate bisect ccccccccca..cccccccccb";
  expect(await againFor(null)).toBe(`${line} --service api --metric p99`);
  expect(await againFor("echo")).toBe(`${line} --scenario echo --metric p99`);
});

test("subjects and causes are foreign text", async () => {
  const hostile = "\u001b[31mred\u202e\nFOUND: nobody";
  const { kernel } = worldOf(LINE);
  const commits = kernel.commits.map((one) => ({ ...one, subject: hostile }));
  const { text } = await bisect({ ...kernel, commits });
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u202e");
  expect(text.split("\n").filter((line) => line.startsWith("FOUND"))).toHaveLength(1);
});
