// Words for what the judge says: none is missing, none is said twice, none is formatted otherwise
// than in tables.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NIGHTS, recorded } from "../../../../test/support/baseline-update-cases.ts";
import { makePolicy, makeSamples, type SamplesRecipe } from "../../../../test/support/samples.ts";
import type { Baseline } from "../../model/baseline.ts";
import type { Verdict } from "../../model/verdict.ts";
import { judge } from "../../verdict/judge.ts";
import { describeVerdict, reasonsBeyondSummary } from "./verdict.ts";

function worded(recipe: Partial<SamplesRecipe>, baselines: readonly Baseline[] = []): Verdict {
  const samples = makeSamples({ rounds: 20, noise: 0.02, ...recipe });
  return describeVerdict(judge({ samples, baselines, history: NIGHTS }));
}

test.each<[string, Partial<SamplesRecipe>, RegExp]>([
  ["pass", {}, /^no regression: each of 5 gated metrics is shown to be within its limit$/],
  [
    "pass",
    { rounds: 60, noise: 0.004, p99Ratio: { "api/echo": 1.04 } },
    /^no regression: each of 5 gated metrics is shown to be within its limit, though 1 got worse: p99 of api\/echo is 4\.\d % slower: 344\.5 → 35\d\.\d µs, limit \+10 %$/,
  ],
  [
    "regressed",
    { p99Ratio: { "api/echo": 40 } },
    /^regressed: p99 of api\/echo is 3,\d{3} % slower: 0\.32\d+ → 13\.\d+ ms, limit \+5 %; p99 of all requests of api\/echo is 3,\d{3} % slower: [^;]*, limit \+25 %$/,
  ],
  [
    "improved",
    { p99Ratio: { "api/echo": 0.7 } },
    /^improved: p99 of api\/echo is 29\.\d % faster: 341\.3 → 24\d\.\d µs; .*; nothing is worse$/,
  ],
  [
    "inconclusive",
    { rounds: 4 },
    /^inconclusive: no answer yet on 5 of 5 questions: api\/echo p99, .* and 2 more$/,
  ],
  [
    "inconclusive",
    { rounds: 4, p99Ratio: { "api/echo": 10 } },
    /^inconclusive: likely worse, not proven: p99 of api\/echo is 9\d\d % slower: [^;]*, limit \+10 %; .*; no answer yet on 3 of 5 questions: api\/hello p99, /,
  ],
  ["invalid", { crashInRound: 3 }, /^invalid measurement: api \(candidate\) exited with code 70/],
  ["no-baseline", { compare: "stored" }, /^no baseline: nothing to compare with: api\/echo p99,/],
])("%s", (state, recipe, headline) => {
  const verdict = worded(recipe);
  expect(verdict.state).toBe(state);
  expect(verdict.headline).toMatch(headline);
  expect(verdict.headline.endsWith(verdict.summary ?? "none")).toBe(true);
  expect(verdict.reasons).toHaveLength(verdict.causes?.length ?? -1);
  const all = [
    ...verdict.reasons,
    ...verdict.next,
    ...verdict.comparisons.map(({ reason }) => reason),
    ...verdict.warnings.map(({ text }) => text),
  ];
  for (const text of all) expect(text).not.toMatch(/undefined|null|NaN|Infinity|^$/);
});

test("a reason names numbers as the tables do, with the stored baseline's drift where that is compared with", () => {
  const { reasons } = worded({ p99Ratio: { "api/echo": 40 } });
  expect(reasons[0]).toMatch(
    /^api\/echo p99 is \+3,\d{3} % \[\+3,\d{3}, \+\d,\d{3}\] % after \d+ rounds: more than \+1\.0 % worse is proven$/,
  );
  const open = worded({ rounds: 4, p99Ratio: { "api/echo": 10 } });
  expect(open.reasons[0]).toMatch(
    /^api\/echo p99 is \+9\d\d % after 4 rounds: likely worse than its margin of \+10\.0 %, not proven yet; at least 6 more rounds are needed$/,
  );
  // Four rounds are too few for any answer, so it is not noise that kept one away.
  expect(open.advice?.map(({ code }) => code)).toEqual(["measure-on"]);
  const stored = worded({ compare: "stored", rssRatio: { api: 1.3 } }, [recorded(0)]);
  expect(stored.reasons.join("\n")).toMatch(
    /^api RSS after load is \+\d\d\.\d % \[.*\] % against the stored baseline: more than .* worse is proven, a drift of \+\d.* % allowed for$/m,
  );
});

test("what the summary has said in full is no further reason", () => {
  const failed = worded({ crashInRound: 3 });
  // What the service printed is still to be told.
  expect(reasonsBeyondSummary(failed)).toEqual(failed.reasons);
  const causes = failed.causes?.map(({ finding, ...rest }) =>
    finding.code === "fault" && finding.fault.kind === "failure"
      ? { ...rest, finding: { ...finding, fault: { ...finding.fault, detail: "" } } }
      : { ...rest, finding },
  );
  expect(reasonsBeyondSummary({ ...failed, causes })).toEqual(failed.reasons.slice(1));
});

test("more memory is said to be a leak or ballast", () => {
  const check = (warmRatio: number, words: RegExp): void => {
    const samples = makeSamples({ rounds: 20, noise: 0.01, rssRatio: { api: 1.2 } });
    for (const { launches } of samples.rounds) {
      const { candidate, reference } = launches ?? {};
      const rss = 0.9 * (reference?.values.rss ?? 0);
      if (candidate) candidate.warm = { requests: 200, rss: rss * warmRatio };
      if (reference) reference.warm = { requests: 200, rss };
    }
    const { reasons, comparisons } = describeVerdict(judge({ samples, baselines: [] }));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(words);
    expect(comparisons.filter(({ growth }) => growth !== undefined)).toHaveLength(1);
  };
  check(
    1,
    /; it grows by about 4\d\d B a request more than the reference \(over 9,800 requests\): a leak,/,
  );
  check(
    1.2,
    /; most of the 3\.8\d MiB are there before the load and do not grow with it: no leak$/,
  );
});

test("a machine that is noisier than calibrated is told of the metric by its name", () => {
  const samples = makeSamples({ rounds: 20, noise: 0.05 });
  const expectation = { id: "api rss", sd: 0.001, sdHigh: 0.002, passMs: null, rounds: null };
  samples.runner = {
    calibratedAt: samples.run.startedAt,
    rounds: 16,
    unusable: null,
    expectations: [{ ...expectation, margin: 0.5, kept: false }],
    gateMs: null,
  };
  const texts = describeVerdict(judge({ samples, baselines: [] })).warnings.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/^api RSS after load: a margin of /));
  expect(texts).toContainEqual(expect.stringMatching(/^api RSS after load: it varies by \d/));
});

test("cores whose speed varies unseen are told, with what else it may be", () => {
  const samples = makeSamples({ rounds: 20, noise: 0.02 });
  samples.config.policy.metrics.push(makePolicy("cpuPer1k", "launch", "info", [0.1, 0.05, 1]));
  for (const [nth, { launches }] of samples.rounds.entries()) {
    if (launches?.candidate) launches.candidate.values.cpuPer1k = nth % 2 === 0 ? 80 : 120;
  }
  const { warnings } = describeVerdict(judge({ samples, baselines: [] }));
  expect(warnings.filter(({ caution }) => caution.code === "unsteady-cpus")).toMatchObject([
    {
      kind: "host",
      text: expect.stringMatching(
        /^api CPU per 1,000 requests: it varies by \d\d\.\d % from round to round, .* Either its work varies by itself, or /,
      ),
    },
  ]);
});

test("no sentence of ours holds a backtick: Markdown would escape it, and a page show it", () => {
  const root = join(import.meta.dirname, "../../../..");
  const sources = globSync("{src/core/report/words,satellites/sheets/**}/*.ts", { cwd: root });
  for (const file of sources.filter((one) => !one.endsWith(".test.ts"))) {
    const source = readFileSync(join(root, file), "utf8");
    const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    const sentences = code.match(/"(?:[^"\\\n]|\\.)*"|\\`/g) ?? [];
    expect(
      sentences.filter((sentence) => sentence.includes("`")),
      file,
    ).toEqual([]);
  }
});
