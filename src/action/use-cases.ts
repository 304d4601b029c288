// What the modes ask of the application, as an interface: a test needs no git, no build and no load. The real ones are loaded
// when they are first used, so that the action starts at once.

import type { BaselineProposal, ProposeRequest } from "../app/baseline-pull-request.ts";
import type { CalibrateOptions, Calibration } from "../app/calibrate.ts";
import type { Change } from "../app/change.ts";
import type { GateResult } from "../app/gate.ts";
import type { Project } from "../app/project.ts";
import type { Environment, MeasureOptions } from "../app/settings.ts";
import type { GitHub } from "../github/port.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Samples } from "../model/samples.ts";

export interface UseCases {
  gate(options: MeasureOptions, environment: Environment): Promise<GateResult>;
  measureOnly(
    options: MeasureOptions,
    environment: Environment,
  ): Promise<{ samples: Samples; path: string }>;
  openProject(
    options: Pick<MeasureOptions, "config" | "services" | "timeBudgetMs" | "out">,
    environment: Environment,
  ): Promise<Project>;
  baselinesOf(project: Project): Promise<Baseline[]>;
  findBaseOfChange(change: Change, environment: Environment): Promise<string | null>;
  startsFromItself(environment: Environment): Promise<boolean>;
  measureForBaseline(options: MeasureOptions, environment: Environment): Promise<Samples>;
  calibrate(options: CalibrateOptions, environment: Environment): Promise<Calibration>;
  proposeBaselines(request: ProposeRequest, github: GitHub): Promise<BaselineProposal>;
}

export const useCases: UseCases = {
  gate: async (...args) => (await import("../app/gate.ts")).gate(...args),
  measureOnly: async (...args) => (await import("../app/gate.ts")).measureOnly(...args),
  openProject: async (...args) => (await import("../app/project.ts")).openProject(...args),
  baselinesOf: async (project) => (await import("../app/gate.ts")).baselinesOf(project),
  findBaseOfChange: async (...args) => (await import("../app/change.ts")).findBaseOfChange(...args),
  calibrate: async (...args) => (await import("../app/calibrate.ts")).calibrate(...args),
  measureForBaseline: async (...args) =>
    (await import("../app/baseline.ts")).measureForBaseline(...args),
  proposeBaselines: async (...args) =>
    (await import("../app/baseline-pull-request.ts")).proposeBaselines(...args),
  startsFromItself: async (environment) =>
    (await import("../app/change.ts")).startsFromItself(environment),
};
