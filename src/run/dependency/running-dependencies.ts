// All dependencies of a run, together.
import type { Arm, DependencyUse, RoundFailure } from "../../model/samples.ts";
import { readProcessTree } from "../probe/process-tree.ts";
import { readUsage } from "../probe/service-probe.ts";
import { describeExit } from "../service/running-service.ts";
import type { RunningDependency } from "./dependency.ts";
import { fillPlaces } from "./fill.ts";

export class RunningDependencies {
  readonly #all: RunningDependency[] = [];

  add(dependency: RunningDependency): void {
    this.#all.push(dependency);
  }

  /** An environment with what it says of dependencies filled in for the arm. */
  fill(env: Readonly<Record<string, string>>, arm: Arm): Record<string, string> {
    const placesOf = (name: string) => this.#all.find((one) => one.name === name)?.places(arm);
    return Object.fromEntries(
      Object.entries(env).map(([key, text]) => [key, fillPlaces(text, placesOf)]),
    );
  }

  /** Living processes of all of them. */
  pids(): number[] {
    return this.#all.flatMap(({ pid }) => readProcessTree(pid).map((member) => member.pid));
  }

  /** What they have used since they were started, and hold now. Reading walks page tables: never while load runs. */
  use(): DependencyUse[] {
    return this.#all.map(({ name, pid }) => {
      const { cpuMs, pssBytes } = readUsage(pid);
      return { name, cpuMs, pssBytes };
    });
  }

  async reset(arm: Arm): Promise<void> {
    for (const dependency of this.#all) await dependency.reset(arm);
  }

  /** The first that is gone: no arm's fault. Null while all run. */
  failure(when: string): RoundFailure | null {
    for (const { name, exit, tail } of this.#all) {
      const ended = exit();
      if (ended === null) continue;
      return {
        kind: "dependency",
        arm: null,
        scenario: null,
        text: `${name}, which the service needs, ${describeExit(ended)} ${when}`,
        detail: tail(),
      };
    }
    return null;
  }

  /** Last started, first stopped. */
  async stop(): Promise<void> {
    for (const dependency of this.#all.splice(0).reverse()) await dependency.stop();
  }
}
