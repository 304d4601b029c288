// What is wanted, and what is most wanting.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { KINDS } from "./kinds.ts";
import type { Run } from "./runs.ts";
import { FIT_ROUNDS } from "./size.ts";

export const PlanSchema = z.strictObject({
  /** Rounds of identical arms, for each service. */
  poolRounds: z.int().min(1),
  /** Rounds of a run that only adds to the pool. */
  chunkRounds: z.int().min(8),
  /** Whole gates, by kind. */
  gates: z.record(z.string(), z.int().min(0)),
});
export type Plan = z.infer<typeof PlanSchema>;

/** `plan.json` of the evidence's folder. */
export const readPlan = (folder: string): Plan =>
  PlanSchema.parse(JSON.parse(readFileSync(join(folder, "plan.json"), "utf8")));

export type Task = { kind: "pool"; rounds: number } | { kind: "gate"; gate: string; nth: number };

export interface Done {
  /** Rounds of identical arms of the service that has fewest. */
  poolRounds: number;
  /** Whole gates with a valid answer, by kind. */
  gates: Readonly<Record<string, number>>;
}

export function doneOf(runs: readonly Run[], poolRounds: number): Done {
  const gates: Record<string, number> = {};
  for (const { kind, verdict } of runs) {
    if (verdict !== null && verdict.state !== "invalid") gates[kind] = (gates[kind] ?? 0) + 1;
  }
  return { poolRounds, gates };
}

/**
 * The task whose share of what is wanted is least, in the plan's order among equals; null when all is there. Gates of identical arms
 * add to the pool as well, so both come to an end together. A gate with a plant waits until levels are known, which size it.
 */
export function chooseTask(plan: Plan, done: Done, hasLevels: boolean): Task | null {
  const gates = Object.entries(plan.gates).map(([gate, wanted]) => ({
    task: { kind: "gate" as const, gate, nth: done.gates[gate] ?? 0 },
    share: wanted === 0 ? 1 : (done.gates[gate] ?? 0) / wanted,
  }));
  for (const { task } of gates) {
    if (KINDS[task.gate] === undefined)
      throw new Error(`the plan has an unknown kind: ${task.gate}`);
  }
  const open = [
    ...gates.filter(({ task }) => hasLevels || KINDS[task.gate]?.plantings.length === 0),
    {
      task: { kind: "pool" as const, rounds: plan.chunkRounds },
      share: done.poolRounds / plan.poolRounds,
    },
  ].filter(({ share }) => share < 1);
  open.sort((a, b) => a.share - b.share);
  // Only plants are left, and they wait for levels: as many rounds as say them.
  const isWaiting = open.length === 0 && gates.some(({ share }) => share < 1);
  return open[0]?.task ?? (isWaiting ? { kind: "pool", rounds: FIT_ROUNDS } : null);
}

/** Of a turn of both services, before any has been measured. */
const TURN_MINUTES = 0.6;
/** Of a gate that measures to the end: of its time budget, or of the last look's rounds. */
const LONGEST_GATE_MINUTES = { repository: 17, echo: 13 } as const;

/** The task, a shorter run for the pool where time is short, or null. */
export function fitInto(
  task: Task,
  leftMinutes: number,
  runs: readonly Run[],
  plan: Plan,
): Task | null {
  if (task.kind === "gate" && leftMinutes >= usualMinutes(task.gate, runs)) return task;
  const wanted = task.kind === "pool" ? task.rounds : plan.chunkRounds;
  const rounds = Math.min(wanted, Math.floor(leftMinutes / TURN_MINUTES));
  return rounds >= FIT_ROUNDS ? { kind: "pool", rounds } : null;
}

function usualMinutes(kind: string, runs: readonly Run[]): number {
  const earlier = runs.filter((run) => run.kind === kind).map(({ minutes }) => minutes);
  if (earlier.length >= 3) return Math.max(...earlier);
  return LONGEST_GATE_MINUTES[KINDS[kind]?.scope ?? "repository"];
}
