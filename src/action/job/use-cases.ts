// What the modes ask of the application, as an interface: a test needs no git, no build and no
// load. The real ones are loaded when they are first used, so that the action starts at once.

import type { Project } from "../../app/project/project.ts";

/** Called as what `load` gives. */
const loaded =
  <A extends unknown[], R>(load: () => Promise<(...args: A) => R>) =>
  async (...args: A): Promise<Awaited<R>> =>
    await (await load())(...args);

const change = () => import("../../app/project/change.ts");
const baseline = () => import("../../app/baseline/record.ts");

/** Where actions/checkout keeps a token or a key, and where people do. */
const KEEPING = "^(http\\..*extraheader|core\\.sshcommand|(remote|url)\\..*)$";
const KEPT =
  /extraheader |^core.sshcommand .* -i |https?:\/\/[^/@\s]*(:|gh._|github_pat_)[^/@\s]*@/m;

export const useCases = {
  keepsToken: async ({ git }: Project): Promise<boolean> =>
    KEPT.test((await git.tryRead(["config", "--get-regexp", KEEPING])) ?? ""),
  openProject: loaded(async () => (await import("../../app/project/project.ts")).openProject),
  gate: loaded(async () => (await import("../../app/gate/gate.ts")).gate),
  measureOnly: loaded(async () => (await import("../../app/gate/gate.ts")).measureOnly),
  baselinesOf: loaded(async () => (await import("../../app/gate/gate.ts")).baselinesOf),
  findBaseOfChange: loaded(async () => (await change()).findBaseOfChange),
  startsFromItself: loaded(async () => (await change()).startsFromItself),
  measureForBaseline: loaded(async () => (await baseline()).measureForBaseline),
  calibrate: loaded(async () => (await import("../../app/calibration/calibrate.ts")).calibrate),
};
export type UseCases = typeof useCases;
