// All dependencies of a run, together.
import { messageOf, UserError } from "../../../core/base/errors.ts";
import { fillPlaces } from "../../../core/config/fill-places.ts";
import type {
  Arm,
  DependencyFacts,
  DependencyUse,
  RoundFailure,
} from "../../../core/model/samples.ts";
import { describeExit } from "../../sys/process.ts";
import { readCpuMsOfTrees } from "../probe/process-tree.ts";
import { readUsage } from "../probe/service-probe.ts";
import type { RunningDependency } from "./dependency.ts";

export class RunningDependencies {
  readonly #all: RunningDependency[] = [];

  add(dependency: RunningDependency): void {
    this.#all.push(dependency);
  }

  /**
   * An environment with what it says of dependencies filled in for the arm. `seeds`: the dependency
   * that is filled by whoever gets it, and so is its template's place.
   */
  fill(env: Readonly<Record<string, string>>, arm: Arm, seeds: string | null = null) {
    const placesOf = (name: string) => {
      const named = this.#all.find((one) => one.name === name);
      return name === seeds ? named?.template?.places() : named?.places(arm);
    };
    const filled = Object.entries(env).map(([key, text]) => [key, fillPlaces(text, placesOf)]);
    return Object.fromEntries(filled);
  }

  async settle(name: string): Promise<void> {
    await this.#all.find((one) => one.name === name)?.template?.settle();
  }

  facts(): DependencyFacts[] {
    return this.#all.map(({ name, facts }) => ({ name, ...facts() }));
  }

  /** The processGroupIds of their processes. */
  pids(): number[] {
    return this.#all.map(({ pid }) => pid);
  }

  /**
   * What they have used since they were started, and hold now. Reading walks page tables: never
   * while load runs.
   */
  use(): DependencyUse[] {
    return this.#all.map(({ name, pid }) => ({
      name,
      cpuMs: readCpuMsOfTrees([pid]),
      pssBytes: readUsage(pid).pssBytes,
    }));
  }

  /** Null, or why the arm's launch would not begin as the others did. */
  async reset(arm: Arm): Promise<RoundFailure | null> {
    for (const dependency of this.#all) {
      try {
        await dependency.reset(arm);
      } catch (error) {
        return failureOf(messageOf(error), dependency.tail());
      }
    }
    return null;
  }

  /** Resets the arm, or throws a UserError. */
  async begin(arm: Arm): Promise<void> {
    const unready = await this.reset(arm);
    if (unready !== null) throw new UserError(unready.text, { detail: unready.detail });
  }

  /** The first that is gone: no arm's fault. Null while all run. */
  failure(when: string): RoundFailure | null {
    for (const { name, exit, tail } of this.#all) {
      const ended = exit();
      if (ended === null) continue;
      return failureOf(`${name}, which the service needs, ${describeExit(ended)} ${when}`, tail());
    }
    return null;
  }

  /** Last started, first stopped. */
  async stop(): Promise<void> {
    for (const dependency of this.#all.splice(0).reverse()) await dependency.stop();
  }
}

/** No arm's fault. */
function failureOf(text: string, detail: string): RoundFailure {
  return { kind: "dependency", arm: null, scenario: null, text, detail };
}
