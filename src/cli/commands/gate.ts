// Build, measure and judge, together or each for itself.
import { resolve } from "node:path";
import { COMPARE_MODES } from "../../core/model/config.ts";
import type { Report } from "../../core/model/report.ts";
import {
  command,
  config,
  historyFolder,
  historyOf,
  json,
  lockTimeoutMs,
  MEASURING,
  out,
  positional,
  projectOf,
  reference,
  resume,
  STARTING,
  seed,
  services,
  shard,
} from "../command.ts";
import { EXIT, VERDICT_EXIT } from "../exit-codes.ts";
import { aSwitch, number, oneOf, text } from "../flags.ts";
import { print, show, showKept } from "../output.ts";

/** Named as in ProjectOptions. */
const GATING = {
  reference,
  compare: oneOf("compare", "with what (default: as configured)", COMPARE_MODES),
  services,
  answerAll: aSwitch(
    "answer-all",
    "go on after the first regression until every question is answered",
  ),
  historyFolder,
  resume,
  measureUnchanged: aSwitch(
    "measure-unchanged",
    "measure services that did not change too (for A/A)",
  ),
  ...MEASURING,
};

export const gate = command({
  summary: "build, measure, judge and report: the whole gate",
  flags: { ...GATING, noExplain: aSwitch("no-explain", "do not say by profiles why it is red") },
  examples: {
    "tailgate gate": "this checkout against its merge base with the default branch",
    "tailgate gate --reference v1.4.0 --service api": "one service against a tag",
    "tailgate gate --reference HEAD --measure-unchanged":
      "the last commit against itself: what this machine calls a change",
    "tailgate gate --resume": "go on with a run that has no answer yet",
  },
  async run({ flags }, environment) {
    const { gate } = await import("../../app/gate/gate.ts");
    const { report, files } = await gate(await projectOf(flags, environment), environment);
    return await showReport(flags, report, files);
  },
});

export const demo = command({
  summary: "see a change turn red: gates a small service of its own, in a minute or two",
  flags: {
    out: { ...out, help: "where its reports go (default: a new temporary folder)" },
    lockTimeoutMs,
    json,
  },
  examples: { "tailgate demo": "needs git and the load generator, and nothing of yours" },
  async run({ flags }, environment) {
    const { showDemo } = await import("../../app/demo.ts");
    const { report, files, says } = await showDemo(flags, environment);
    await showReport(flags, report, files);
    if (!flags.json) print(`\n${says}`);
    // Red is what it is for.
    return report.verdict.state === "regressed" ? 0 : EXIT.undecided;
  },
});

export const measure = command({
  summary: "build and measure; write samples.v1.json and judge nothing",
  flags: { ...GATING, shard },
  examples: {
    "tailgate measure --out run1": "samples for later",
    "tailgate measure --shard 1/3 --out shards/1": "the first machine's part of a run on three",
  },
  async run({ flags }, environment) {
    const { measureOnly } = await import("../../app/gate/gate.ts");
    const { samples, path } = await measureOnly(await projectOf(flags, environment), environment);
    const { length } = samples.rounds;
    const next = flags.shard === null ? `judge ${path}` : "merge, with those of the other shards";
    const says = `${length} rounds in ${path}; judge them: tailgate ${next}`;
    show(flags, { path, run: samples.run }, () => says);
    return samples.run.state === "failed" ? EXIT.invalid : 0;
  },
});

export const merge = command({
  summary: "the verdict on shards that several machines measured, as on one run",
  positionals: "<folder>",
  flags: { config, services, historyFolder, out, json },
  examples: {
    "tailgate merge shards":
      "of the folders that measure --shard 1/3 --out shards/1, and so on, wrote",
  },
  async run(given, environment) {
    const { mergeFolder } = await import("../../app/gate/merge.ts");
    const { baselinesOf } = await import("../../app/gate/gate.ts");
    const { reportOn, writeGateReports } = await import("../../app/gate/outcome.ts");
    const folder = resolve(environment.workingFolder, positional(given, "the shards' folder"));
    const project = await projectOf(given.flags, environment);
    const merged = mergeFolder(folder, project, environment.progress.note);
    // Stored values are of one kind of machine.
    const baselines = merged.machines === "alike" ? baselinesOf(project) : [];
    const report = reportOn(merged.samples, baselines, project.history);
    const files = await writeGateReports(project.out, report, environment);
    return await showReport(given.flags, report, [merged.path, ...files]);
  },
});

export const judge = command({
  summary: "the verdict on a samples file, measured here or anywhere",
  positionals: "<samples.v1.json>",
  flags: {
    config: {
      ...config,
      help: "judge with this configuration's policy instead of the file's own",
    },
    baselines: text(
      "baselines",
      "<folder>",
      "stored baselines to compare with (default: as configured, in this repository)",
    ),
    historyFolder,
    explain: aSwitch(
      "explain",
      "print the limits and the evidence of every gated metric, in its last rounds",
    ),
    out,
    json,
  },
  idle: { with: { json: ["explain"] } },
  examples: {
    "tailgate judge .tailgate/samples.v1.json --explain": "how the verdict came about",
  },
  async run(given, environment) {
    const { judgeFile } = await import("../../app/gate/judge.ts");
    const { describeExplanation } = await environment.satellites.sheets();
    const { explain, json, historyFolder: _, ...request } = given.flags;
    const samples = positional(given, "a samples file");
    const history = await historyOf(given.flags, environment);
    const { report, files } = await judgeFile({ ...request, samples, history }, environment);
    if (explain) print(describeExplanation(report.verdict));
    return await showReport({ json }, report, files);
  },
});

async function showReport(
  flags: { json: boolean },
  report: Report,
  files: readonly string[],
): Promise<number> {
  const { renderTerminal } = await import("../../core/report/gate/terminal.ts");
  show(flags, report, (options) => renderTerminal(report, options), files);
  return VERDICT_EXIT[report.verdict.state];
}

export const plan = command({
  summary: "what a run would do and how long it would take; starts nothing",
  flags: { config, reference, services, seed, json },
  examples: {
    "tailgate plan": "scenarios, questions, minutes",
  },
  async run({ flags }, environment) {
    const { besideReference, describePlan } = await import("../../app/gate/plan.ts");
    const { tellPlan } = await environment.satellites.sheets();
    const project = await projectOf(flags, environment);
    const own = await besideReference(project, environment);
    const { value, text: says } = describePlan(project, tellPlan, own);
    show(flags, value, () => says);
    return 0;
  },
});

export const explain = command({
  summary: "why one of two builds of a service costs more: profiles of both under the same load",
  positionals: "<service>",
  flags: {
    scenario: text("scenario", "<name>", "which scenario of the service (default: its only one)"),
    reference,
    seconds: number("seconds", "how long it may profile (default: 60)", 10, 600),
    seed,
    out,
    ...STARTING,
  },
  examples: { "tailgate explain api --scenario echo": "the checkout against its merge base" },
  async run(given, environment) {
    const { scenario, seconds, ...flags } = given.flags;
    const { explain } = await import("../../app/explain.ts");
    const wanted = { service: positional(given, "a service"), scenario, seconds: seconds ?? 60 };
    const project = await projectOf(flags, environment);
    await showKept(flags, await explain(wanted, project, environment));
    return 0;
  },
});
