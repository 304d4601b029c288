// `bisect`: which commit of a line made a service worse. `satellites/bisect/` decides what is built and
// measured next, and what is proven; here the gate's own parts do it.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { failureIn, throwIfStopped, UserError } from "../core/base/errors.ts";
import type { BisectCommit, BisectOptions, BisectResult } from "../core/model/bisect.ts";
import { faultText } from "../core/report/words/faults.ts";
import { wealthAfter } from "../core/stats/betting.ts";
import { trimmedEstimate } from "../core/stats/hodges-lehmann.ts";
import { decide, ruleOf } from "../core/verdict/decide.ts";
import { type Hypothesis, listHypotheses } from "../core/verdict/hypotheses.ts";
import { seriesOf } from "../core/verdict/series.ts";
import { findFaults } from "../core/verdict/validity.ts";
import { resolveCommit, resolveReference } from "../machine/build/source.ts";
import { writeFileAtomic } from "../machine/sys/files.ts";
import { readText } from "./documents/document.ts";
import { prepareOutputFolder } from "./documents/reports.ts";
import { type ArmSetup, resolveArms, servicesOf } from "./gate/arm-setup.ts";
import { measure } from "./gate/measure.ts";
import { identityOf, keyOf, ownSources } from "./gate/unchanged.ts";
import { buildBeside } from "./machine/build-dependencies.ts";
import { underLock } from "./machine/prepared-run.ts";
import { type Progress, silentProgress } from "./progress.ts";
import type { Project } from "./project/project.ts";
import type { Environment } from "./settings.ts";

const STATE = { what: "bisection", next: "Begin one: leave out --resume." };

export async function bisectRange(
  options: BisectOptions,
  opened: Project,
  environment: Environment,
): Promise<BisectResult & { files: string[] }> {
  const { git, out } = opened;
  const { clock, progress } = environment;
  const tool = await environment.satellites.bisect();
  const { service, scenarios } = tool.chooseService(opened.config, options);
  // Of dozens of steps that are alike.
  const quiet = { ...environment, progress: { ...progress, stage: () => {}, note: () => {} } };
  const config = { ...opened.config, services: [service], scenarios, seed: null };
  const questions = tool.chooseQuestions(listHypotheses(config), options);
  const project = { ...opened, config, measureUnchanged: true };
  const [path, samplesPath] = [join(out, "bisect.v1.json"), join(out, "bisect.samples.v1.json")];
  const earlier = opened.resume === "never" ? null : readText(path, STATE);
  const setups = new Map<string, ArmSetup>();
  const setupOf = (id: string) => setups.get(id) as ArmSetup;
  const keyOfBuild = async (id: string, artifact: string | null): Promise<string | null> => {
    const identity = await identityOf(service.name, setupOf(id), project, artifact);
    return identity && keyOf(identity);
  };
  const commits: BisectCommit[] = [];
  for (const id of await lineOf(tool.parseRange(options.range), opened, progress)) {
    const asked = { ...project, reference: id };
    const choice = { project: asked, baselines: [], compare: "base" } as const;
    const arms = await resolveArms(choice, { ...environment, progress: silentProgress });
    const setup = arms.reference as ArmSetup;
    const own = setup.services[service.name];
    // All are asked the same.
    const services = own === undefined ? {} : { [service.name]: { ...own, scenarios } };
    setups.set(id, { ...setup, services });
    const before = commits.at(-1)?.id ?? id;
    const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", before, id];
    commits.push({
      id,
      subject: setup.revision.source.subject,
      touched: tool.linesIn(await git.read(args), ownSources((own ?? service).recipe)),
      key: own === undefined ? null : await keyOfBuild(id, null),
    });
  }
  const identity = JSON.stringify([commits, questions, config.services, scenarios]);
  const endMs = clock.nowMs() + options.forMs;
  prepareOutputFolder(out);
  const result = tool.bisect({
    tool: `tailgate ${environment.version}`,
    identity: createHash("sha256").update(identity).digest("hex"),
    commits,
    questions,
    scenario: options.scenario,
    estimate: trimmedEstimate,
    wealth: (values, bet) => wealthAfter(values, { ...bet, direction: "+" }),
    answer: ({ policy }, values) => {
      const observations = values.map((d) => ({ d, calm: true }));
      return decide(observations, ruleOf(policy, config.policy, questions.length)).state;
    },
    build: async (id) => {
      const candidate = setupOf(id);
      const own = servicesOf(candidate, [service.name]);
      const jobs = own.map((one) => ({ ...one, arm: "candidate" as const }));
      const { dependencies } = candidate;
      const ports = { ...environment, git, arms: { candidate }, dependencies };
      let key: string | null = null;
      const build = async (): Promise<void> => {
        const [built] = await buildBeside(jobs, ports);
        if (built === undefined) throw new UserError(`it has no service ${service.name}`);
        if (built.path !== null) key = await keyOfBuild(id, built.facts.sha256);
      };
      const failure = await underLock(project, environment, () => failureIn(build));
      if (failure?.kind === "interrupted") throw failure;
      return failure === null ? { key } : { unusable: failure.message };
    },
    measure: async ([from, to], rounds, only) => {
      const loaded = scenarios.filter(({ id }) => only === null || id === only);
      const arms = { candidate: setupOf(to), reference: setupOf(from) };
      const resolved = { arms, unchanged: [], notes: [] };
      const plan = { kind: "rounds", rounds, reference: "base", resolved } as const;
      const part = { ...project, config: { ...config, scenarios: loaded } };
      const request = { project: part, baselines: [], path: samplesPath, earlier: null, plan };
      // What a step measures takes the place of the step before, which nobody sets aside.
      rmSync(samplesPath, { force: true });
      const samples = await measure(request, quiet);
      throwIfStopped(environment.abort);
      const [fault] = findFaults(samples);
      const isFirst = fault !== undefined && "arm" in fault && fault.arm === "reference";
      if (fault !== undefined) return { unusable: faultText(fault), commit: isFirst ? from : to };
      const values = (one: Hypothesis) => seriesOf(one, samples.rounds).map(({ d }) => d);
      return { d: Object.fromEntries(questions.map((one) => [one.id, values(one)])) };
    },
    earlier,
    keep: (text) => writeFileAtomic(path, text),
    leftMs: () => endMs - clock.nowMs(),
    note: progress.note,
  });
  const stopped = (thrown: unknown): never => {
    if (!environment.abort.aborted) throw thrown;
    throw new UserError("stopped by a signal: --resume goes on", {}, "interrupted");
  };
  return { ...(await result.catch(stopped)), files: [path] };
}

/** From the good commit to the bad one, by first parents. */
async function lineOf(ends: readonly string[], { git, candidate }: Project, { note }: Progress) {
  const head = await candidate();
  if (head.source.dirty) note("of what is not committed only the configuration counts");
  const find = async (end: string) => (await resolveReference(git, end, head)).source.commit;
  const [good = "", bad] = await Promise.all(ends.map(find));
  if (good === bad) throw new UserError(`${ends.join(" and ")} are the same commit`);
  const listed = await git.read(["rev-list", "--first-parent", "--reverse", `${good}..${bad}`]);
  const [first = "", ...rest] = listed.split("\n");
  if ((await resolveCommit(git, `${first}^`)) === good) return [good, first, ...rest];
  throw new UserError(`${ends[0]} is not before ${ends[1]} on its line of first parents`, {
    next: "Name an older commit of that line: git log --first-parent. A shallow clone lacks most: git fetch --unshallow.",
  });
}
