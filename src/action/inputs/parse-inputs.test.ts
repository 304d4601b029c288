import { expect, test } from "vitest";
import { UserError } from "../../core/base/errors.ts";
import { INPUT_NAMES, INPUTS, MODES } from "./contract.ts";
import { parseInputs } from "./parse-inputs.ts";

function parse(given: Record<string, string>) {
  return parseInputs(new Map(Object.entries(given)));
}

function failure(given: Record<string, string>): UserError {
  try {
    parse(given);
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
  throw new Error(`accepted: ${JSON.stringify(given)}`);
}

test("every input has a default", () => {
  expect(parse({})).toMatchObject({
    mode: "gate",
    token: "",
    config: "tailgate.yml",
    services: null,
    compare: null,
    lockTimeoutMs: 30 * 60_000,
    comment: "always",
    inconclusive: "fail",
    shard: null,
  });
  expect(parse({ compare: "  ", services: "" })).toMatchObject({ compare: null, services: null });
});

test("given inputs override the defaults", () => {
  expect(
    parse({ services: "api, worker\n api", "time-budget": "10m", seed: "7", token: "ghs_x" }),
  ).toMatchObject({ services: ["api", "worker"], timeBudgetMs: 600_000, seed: 7, token: "ghs_x" });
  expect(parse({ shard: "2/3" }).shard).toEqual({ index: 2, of: 3 });
  expect(parse({ mode: "plan", shards: "4" }).shards).toBe(4);
  expect(parse({ config: "./a//b.yml" }).config).toBe("a/b.yml");
});

/**
 * A change of any input must arrive somewhere: an input that nothing reads would be a lie in
 * action.yml.
 */
const OTHER: Record<string, string> = {
  mode: "nightly",
  config: "other.yml",
  "working-directory": "checkout",
  services: "api",
  compare: "stored",
  reference: "v1",
  commit: "f".repeat(40),
  seed: "1",
  "time-budget": "1m",
  "measure-unchanged": "true",
  resume: "off",
  wait: "1m",
  rounds: "32",
  "output-folder": "out",
  inconclusive: "pass",
  token: "ghs_other",
  key: "other",
  comment: "never",
  status: "never",
  "artifact-name": "other",
  workflow: ".github/workflows/other.yml",
  shards: "2",
  shard: "1/2",
  "shards-folder": "shards",
  "issue-label": "other",
  needs: '{"full":{"result":"success","outputs":{}}}',
  history: "off",
  "record-folder": "measured",
  exports: "junit, csv",
};

test.each(INPUT_NAMES.map((name) => ({ name, modes: INPUTS[name].modes })))(
  "$name is read",
  ({ name, modes }) => {
    const needed = (mode: string): Record<string, string> =>
      mode === "plan" ? { shards: "1" } : mode === "merge" ? { "shards-folder": "x" } : {};
    const [mode = "gate"] = modes;
    const beside: Record<string, string> =
      name === "record-folder" ? { needs: OTHER.needs ?? "" } : {};
    const without = { mode, ...needed(mode), ...beside };
    const other = OTHER[name] ?? "";
    expect(other).not.toBe("");
    expect(parse({ ...without, [name]: other })).not.toEqual(parse(without));
  },
);

test.each<[string, Record<string, string>, RegExp, string]>([
  ["an unknown mode", { mode: "gait" }, /`mode` is "gait", expected one of gate, /, "mode: gate"],
  ["an unknown input", { servces: "api" }, /no input `servces`/, "  services: api, worker"],
  ["nothing like it", { zzzzzzzz: "1" }, /no input `zzzzzzzz`/, "There are: mode, config"],
  ["compare", { compare: "main" }, /expected one of auto, base, replay, stored/, "  compare: base"],
  ["comment", { comment: "sometimes" }, /expected one of always, on-change, never/, "comment: "],
  ["inconclusive", { inconclusive: "maybe" }, /expected fail or pass/, "inconclusive: pass"],
  ["status", { status: "pending" }, /expected one of auto, always, never/, "status: always"],
  ["a duration", { "time-budget": "soon" }, /a duration such as 90s or 10m/, "time-budget: 10m"],
  ["no time at all", { wait: "0s" }, /a duration such as 90s or 10m/, "wait: 10m"],
  ["a seed", { seed: "-1" }, /a whole number from 0 to 4294967295/, "seed: 7"],
  ["a large seed", { seed: "4294967296" }, /a whole number from 0/, "seed: 7"],
  ["a path that leads out", { config: "../x.yml" }, /a path inside the repository/, "tailgate.yml"],
  ["an absolute path", { "output-folder": "/tmp/x" }, /inside the workspace/, "tailgate-output"],
  ["services with spaces", { services: "api worker" }, /separated by commas/, "api, worker"],
  ["services of nothing", { services: ", ," }, /separated by commas/, "api, worker"],
  ["an option as reference", { reference: "--exec=x" }, /a branch, a tag or a commit/, "v1.4.0"],
  ["a short commit", { mode: "report", commit: "9f1c2d3" }, /the output `commit` of/, "commit: $"],
  ["a key with a space", { key: "a b" }, /1 to 64 letters/, "key: api"],
  ["needs that are no JSON", { mode: "nightly", needs: "full" }, /toJSON\(needs\)/, "  needs: $"],
  ["needs of no job", { mode: "nightly", needs: "{}" }, /toJSON\(needs\)/, "  needs: $"],
  ["needs of another shape", { mode: "nightly", needs: '{"a":1}' }, /toJSON\(needs\)/, "needs: $"],
  ["shard 0", { shard: "0/3" }, /such as 1\/3/, "shard: $"],
  ["shard 4 of 3", { shard: "4/3" }, /such as 1\/3/, "shard: $"],
  ["a history that is no place", { history: "a..b" }, /refs\/tailgate\/history/, "  history: "],
  [
    "a folder to record, of no jobs",
    { mode: "nightly", "record-folder": "x" },
    /needs the input `needs`/,
    "  needs: $",
  ],
  [
    "a report for some services",
    { mode: "report", services: "api" },
    /needs the input `commit`/,
    "commit: $",
  ],
  ["shards without a number", { mode: "plan" }, /needs the input `shards`/, "  shards: 3"],
  ["too many shards", { mode: "plan", shards: "257" }, /from 1 to 256/, "shards: 3"],
  ["too few rounds", { mode: "calibrate", rounds: "7" }, /from 8 to 500/, "rounds: 32"],
  [
    "merge of nothing",
    { mode: "merge" },
    /needs the input `shards-folder`/,
    "shards-folder: shards",
  ],
  [
    "of another mode",
    { shards: "3" },
    /`shards` has no effect with `mode: gate`/,
    "looks at it: plan",
  ],
  ["two choices", { shard: "1/2", services: "api" }, /both choose/, "Remove one"],
  [
    "a workflow by name",
    { mode: "report", workflow: "perf" },
    /a path such as/,
    "workflow: .github",
  ],
  ["an artifact's name", { mode: "report", "artifact-name": "a/b" }, /`name:` given/, "tailgate"],
  ["a label list", { mode: "nightly", "issue-label": "a,b" }, /without a comma/, "performance"],
])("%s is refused, with the YAML to write", (_, given, message, next) => {
  const error = failure(given);
  expect(error.message).toMatch(message);
  expect(error.next).toContain(next);
  expect(error.message).not.toContain("\n");
});

test("a long or multi-line value is shortened to one line in messages", () => {
  const { message } = failure({ compare: `${"x".repeat(5000)}\n::error::y` });
  expect(message.length).toBeLessThan(250);
  expect(message).not.toContain("\n");
});

test("every mode is reachable", () => {
  for (const mode of MODES) {
    const more: Record<string, string> =
      mode === "plan" ? { shards: "2" } : mode === "merge" ? { "shards-folder": "shards" } : {};
    expect(parse({ mode, ...more }).mode).toBe(mode);
  }
});
