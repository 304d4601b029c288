// The reports that renderers are shown with: every state, and what names, sizes and gaps can do to
// a layout.

import type { Waiver } from "../../src/core/model/config.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { Explanation } from "../../src/core/model/samples.ts";
import { type SimpleAdvice, VerdictStateSchema } from "../../src/core/model/verdict.ts";
import { describeAdvice } from "../../src/core/report/words/advice.ts";
import { END_WORDS } from "../../src/core/report/words/faults.ts";
import { STATE_FACTS } from "../../src/core/report/words/states.ts";
import { describeRun } from "../../src/core/report/words/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { makeReport } from "./report.ts";
import { makeSamples, withLimits } from "./samples.ts";
import { makeWrong, wrongOf } from "./wrong-answers.ts";

const advised = (...codes: SimpleAdvice[]): string[] =>
  codes.map((code) => describeAdvice({ code }, new Map()));
const INVESTIGATE = advised("look-at-change", "add-waiver");

/** What a hostile author could put wherever text is theirs. */
export const HOSTILE = {
  markdown:
    "`x` **b** [a](https://evil.example) | @team #1 <img src=x onerror=alert(1)> $x$ :smile:",
  terminal: "\u001b[2J\u001b]0;owned\u0007name\u202egnp.exe\r\nsecond line",
  html: "</script><script>alert(1)</script>\"'><!-- --> &amp;",
} as const;

/** Of one function that the change wrote, and of one whose lines nobody knows. */
export const EXPLANATION: Explanation = {
  cause: "cpu",
  before: 171.4,
  after: 196.2,
  rows: [
    {
      function: "server.fingerprint",
      calledBy: "server.echo",
      before: 4.1,
      after: 20.5,
      changedHere: "yes",
    },
    {
      function: "regexp.compile",
      calledBy: null,
      before: 0,
      after: 8.7,
      changedHere: "unknown",
    },
  ],
};

const WAIVER: Waiver = {
  metric: "p99",
  estimator: null,
  scenario: "echo",
  service: "gin-api",
  upTo: 0.2,
  reason: "answers are signed now, which costs a hash for each",
  owner: "@shop/api",
  expires: "2026-06-30",
};

export const REPORT_CASES: Readonly<Record<string, () => Report>> = {
  pass: () => makeReport(),
  "worse-within": () =>
    makeReport({
      reasons: [
        "gin-api/echo p99 is +5.6 % [+2.4, +8.9] % after 12 rounds: worse by more than the tolerated +1.0 %, and shown to be less than +10.0 % worse, so it passes",
      ],
      causes: [
        { comparison: "gin-api/echo p99 typical", finding: { code: "worse-within", rounds: 12 } },
      ],
      changes: {
        "gin-api/echo p99 typical": {
          state: "worse-within",
          shift: 0.06,
          reason:
            "gin-api/echo p99 is +5.6 % [+2.4, +8.9] % after 12 rounds: worse by more than the tolerated +1.0 %, and shown to be less than +10.0 % worse, so it passes",
        },
      },
    }),
  waived: () =>
    makeReport({
      reasons: [
        "gin-api/echo p99 is +11.8 % [+9.4 %, +14.1 %] after 20 rounds: a regression is proven, and shown to be less than the +20.0 % that is waived until 2026-06-30",
      ],
      changes: {
        "gin-api/echo p99 typical": {
          state: "waived",
          shift: 0.12,
          rounds: 20,
          waiver: { upTo: 0.2, regressionProven: true, answer: "within", trail: [] },
          reason:
            "gin-api/echo p99 is +11.8 % [+9.4 %, +14.1 %] after 20 rounds: a regression is proven, and shown to be less than the +20.0 % that is waived until 2026-06-30",
        },
      },
      waivers: [
        {
          waiver: WAIVER,
          origin: "change",
          state: "used",
          comparisons: ["gin-api/echo p99 typical"],
          text: "p99 of gin-api/echo, up to +20.0 % until 2026-06-30: accepts gin-api/echo p99 +11.8 %",
        },
        {
          waiver: { ...WAIVER, metric: "rss", scenario: null, owner: "Ada" },
          origin: "base",
          state: "unused",
          comparisons: ["gin-api rss"],
          text: "RSS after load of gin-api, up to +20.0 % until 2026-06-30: no longer needed, all passes without it",
        },
      ],
      warnings: [
        {
          kind: "waiver",
          text: "The waiver of RSS after load of gin-api, up to +20.0 % until 2026-06-30 is no longer needed: remove it (its owner is Ada).",
        },
      ],
    }),
  "waiver-exceeded": () =>
    makeReport({
      state: "regressed",
      changes: {
        "gin-api/echo p99 typical": {
          state: "regressed",
          shift: 0.31,
          rounds: 16,
          waiver: { upTo: 0.2, regressionProven: true, answer: "beyond", trail: [] },
          reason:
            "gin-api/echo p99 is +31.2 % [+27.0 %, +35.5 %] after 16 rounds: a regression is proven, and that it is more than the +20.0 % that is waived until 2026-06-30",
        },
      },
      next: advised("raise-waiver"),
      waivers: [
        {
          waiver: { ...WAIVER, reason: HOSTILE.markdown, owner: HOSTILE.html },
          origin: null,
          state: "exceeded",
          comparisons: ["gin-api/echo p99 typical"],
          text: "p99 of gin-api/echo, up to +20.0 % until 2026-06-30: exceeded by gin-api/echo p99 +31.2 %",
        },
        {
          waiver: { ...WAIVER, scenario: "process", owner: HOSTILE.terminal },
          origin: "change",
          state: "unused",
          comparisons: [],
          text: "p99 of gin-api/process, up to +20.0 % until 2026-06-30: no longer needed, all passes without it",
        },
      ],
    }),
  improved: () =>
    makeReport({
      state: "improved",
      changes: {
        "gin-api/echo p99 typical": { state: "improved", shift: -0.14 },
        "gin-api/echo p99 pooled": { state: "improved", shift: -0.16, rounds: 16 },
      },
    }),
  "regressed-p99": () =>
    makeReport({
      state: "regressed",
      changes: {
        "gin-api/echo p99 typical": { state: "regressed", shift: 0.18 },
        "gin-api/echo p99 pooled": { state: "regressed", shift: 0.21, rounds: 16 },
        "gin-api rssPeak": { state: "regressed", shift: 0.04 },
      },
      next: INVESTIGATE,
      warnings: [
        {
          kind: "stall",
          text: "gin-api/echo: 21 measurements of the candidate were at least 1.5 × slower than the reference's beside them, against 4 of the reference (p = 0.00046): it may stall more often.",
        },
      ],
      patch: (report) => {
        report.explanation = EXPLANATION;
      },
    }),
  "over-limit": () => {
    const measured = makeSamples({ rounds: 20, noise: 0.02, p99Us: 1000 });
    const samples = withLimits(measured, { p99: 700, rss: 200 * 1024 ** 2 });
    return describeRun(samples, judge({ samples, baselines: [] }));
  },
  "wrong-answers": () => {
    const samples = makeWrong(wrongOf("candidate"));
    samples.run.state = "complete";
    return describeRun(samples, judge({ samples, baselines: [] }));
  },
  "regressed-rss": () =>
    makeReport({
      state: "regressed",
      changes: { "axum-api rss": { state: "regressed", shift: 0.08 } },
      next: advised("look-at-memory", "add-waiver"),
    }),
  inconclusive: () =>
    makeReport({
      state: "inconclusive",
      causes: [
        { comparison: "axum-api/process p99 pooled", finding: { code: "open", rounds: 20 } },
      ],
      changes: {
        "axum-api/process p99 pooled": { state: "inconclusive", shift: 0.06, sd: 0.19, rounds: 20 },
      },
      next: [
        describeAdvice({ code: "measure-on", mostRounds: 150 }, new Map()),
        "Use a calmer machine, set the level of axum-api/process p99 of all requests to warn, or give it a margin above 20.5 %: it varies by 19.0 % from round to round here, and a run like this detects no smaller change.",
      ],
      patch: (report) => {
        report.run.ended = END_WORDS["out-of-time"];
        report.host.findings.push({
          id: "governor",
          level: "bad",
          text: "CPUs 2-5 use the governor powersave: clock speed follows load, and p99 with it",
          fix: "sudo cpupower frequency-set -g performance",
        });
      },
    }),
  invalid: () =>
    makeReport({
      state: "invalid",
      summary: "gin-api (candidate) exited with code 101 in round 12, during gin-api/echo",
      reasons: [
        "gin-api (candidate) exited with code 101 in round 12, during gin-api/echo\nthread 'main' panicked at src/main.rs:41\nnote: run with RUST_BACKTRACE=1",
      ],
      changes: {
        "gin-api/echo p99 typical": { state: "invalid", sd: 0.3 },
        "gin-api/echo p99 pooled": { state: "invalid", sd: 0.3 },
      },
      voidShare: 0.26,
      next: advised("try-start"),
      warnings: [{ kind: "void", text: "172 of 640 measurements were discarded and repeated." }],
    }),
  "no-baseline": () =>
    makeReport({
      state: "no-baseline",
      alone: true,
      next: advised("record-baseline"),
    }),
  "same-commit": () =>
    makeReport({
      warnings: [
        { kind: "build", text: "Candidate and reference are the same build: this is an A/A run." },
      ],
      patch: (report) => {
        report.sources.reference = { ...report.sources.candidate, label: "the same commit" };
        for (const artifact of report.artifacts) {
          Object.assign(artifact, { key: "c4d1", sha256: "5b3e9a".padEnd(64, "4"), cached: true });
        }
      },
    }),
  "dirty-tree": () =>
    makeReport({
      warnings: [
        {
          kind: "build",
          text: "The candidate is the working tree with uncommitted changes.",
          caution: { code: "uncommitted" },
        },
      ],
      patch: (report) => {
        report.sources.candidate.dirty = true;
      },
    }),
  stored: () =>
    makeReport({
      stored: true,
      warnings: [
        { kind: "stale", text: "The baseline of gin-api is 43 days old; 30 are allowed." },
        {
          kind: "creep",
          text: "gin-api RSS after load has crept by +3.8 % since the accepted baseline.",
        },
      ],
    }),
  thin: () =>
    makeReport({
      changes: { "gin-api/process p99 pooled": { requestsBeyond: 4 } },
      warnings: [
        {
          kind: "thin",
          caution: {
            code: "thin",
            scenario: "gin-api/process",
            metric: "p99",
            estimator: "pooled",
            beyond: 4,
            wanted: 10,
          },
          text: "gin-api/process: only 4 requests of a round lie beyond the p99 of all requests (10 recommended): use more or longer slices.",
        },
      ],
    }),
  unicode: () =>
    makeReport({
      services: ["küche-api", "検索サービス"],
      scenarios: ["größe", "検索 🚀"],
      state: "regressed",
      changes: { "検索サービス/検索 🚀 p99 typical": { state: "regressed", shift: 0.12 } },
    }),
  hostile: () =>
    makeReport({
      services: [HOSTILE.markdown],
      scenarios: [HOSTILE.terminal, HOSTILE.html],
      state: "regressed",
      reasons: [
        `${HOSTILE.markdown} ${HOSTILE.terminal}\n${"`".repeat(5)}\n${HOSTILE.html}\n@everyone`,
      ],
      next: [HOSTILE.markdown],
      changes: {
        [`${HOSTILE.markdown}/${HOSTILE.html} p99 typical`]: { state: "regressed", shift: 0.3 },
      },
      warnings: [{ kind: HOSTILE.markdown, text: `- ${HOSTILE.terminal} ${HOSTILE.html}` }],
      patch: (report) => {
        report.sources.candidate.subject = `Merge #12 from @${HOSTILE.markdown}`;
        report.sources.candidate.commit = "$(touch pwned)";
        report.sources.candidate.label = HOSTILE.terminal;
        report.host.findings.push({
          id: HOSTILE.markdown,
          level: "bad",
          text: HOSTILE.html,
          fix: "`rm` | @x",
        });
        for (const artifact of report.artifacts) artifact.toolchain = HOSTILE.markdown;
        const names = [HOSTILE.markdown, HOSTILE.html, HOSTILE.terminal];
        const rows = EXPLANATION.rows.flatMap((row) =>
          names.map((name) => ({ ...row, function: name, calledBy: name })),
        );
        report.explanation = { ...EXPLANATION, rows: rows.slice(0, 5) };
      },
    }),
  "sixty-scenarios": () =>
    makeReport({
      scenarios: Array.from(
        { length: 30 },
        (_, index) => `route-${String(index + 1).padStart(2, "0")}`,
      ),
      measured: 8,
      state: "regressed",
      changes: {
        "axum-api/route-07 p99 typical": { state: "regressed", shift: 0.15, rounds: 8 },
        "gin-api/route-21 p99 pooled": { state: "regressed", shift: 0.27, rounds: 8 },
      },
      next: INVESTIGATE,
    }),
  "candidate-only": () =>
    makeReport({
      alone: true,
      summary: "no regression: each of 10 gated metrics is shown to be within its limit",
      patch: (report) => {
        // As `compare: stored` does it: the reference level is the baseline's median, each launch
        // is held against it.
        for (const comparison of report.verdict.comparisons) {
          comparison.state = "pass";
          comparison.reference = (comparison.candidate ?? 0) * 0.985;
          comparison.estimate = 0.015;
          comparison.interval = { low: null, high: 0.041, level: 0.9 };
          comparison.detectable = 0.08;
        }
      },
    }),
  "nothing-measured": () =>
    makeReport({
      services: ["api"],
      scenarios: ["get"],
      state: "invalid",
      summary: "api did not answer on /healthz within 30 s",
      reasons: ["api did not answer on /healthz within 30 s"],
      causes: [
        {
          comparison: null,
          finding: {
            code: "fault",
            fault: {
              kind: "failure",
              scenario: null,
              rule: null,
              text: "api did not answer on /healthz within 30 s",
              detail: "",
            },
          },
        },
      ],
      patch: (report) => {
        for (const comparison of report.verdict.comparisons) {
          Object.assign(comparison, {
            state: "invalid",
            candidate: null,
            reference: null,
            estimate: null,
            interval: { low: null, high: null, level: 0.9 },
            sd: null,
            detectable: null,
            requestsBeyond: null,
            rounds: 0,
            trail: [],
            series: [],
          });
        }
        report.scenarios = [
          {
            id: "api/get",
            rounds: 0,
            requestsPerArmRound: 0,
            curves: { candidate: [], reference: null },
          },
        ];
        Object.assign(report.run, { slices: 0, voidSlices: 0, voidByRule: {}, loadShare: null });
      },
    }),
  minimal: () =>
    makeReport({
      services: ["api"],
      scenarios: ["get"],
      measured: 12,
      patch: (report) => {
        report.run.slices = 24;
      },
    }),
};

export function reportCase(name: string): Report {
  const make = REPORT_CASES[name];
  if (make === undefined) throw new Error(`no case of a report is named ${name}`);
  return make();
}

/** One report for each state, differing in nothing else. */
export function reportsOfAllStates(): Report[] {
  return VerdictStateSchema.options.map((state) =>
    makeReport({
      state,
      summary: "the same words",
      reasons: [],
      next: [STATE_FACTS.pass.meaning],
    }),
  );
}
