// What each rule on a slice spoils, whom it blames and what is advised; docs/method.md shows it.
import type { SliceRule } from "../model/samples.ts";
import type { SimpleAdvice } from "../model/verdict.ts";

interface Blame {
  /** `configuration`: what was asked for cannot be had. */
  on: "host" | "generator" | "arm" | "configuration";
  advice: SimpleAdvice;
}

export interface SliceRuleFacts {
  /** Where some slices break it and others do not. */
  sometimes: Blame;
  /** Where every slice, or every try at one, breaks it. */
  always: Blame;
  /**
   * What a slice that breaks it loses. `arm`: discarded and held against its arm. `slice`:
   * discarded. `calm`: counts, but proves no pass. `nothing`: its latency is a result.
   */
  spoils: "arm" | "slice" | "calm" | "nothing";
}

const HOST: Blame = { on: "host", advice: "quiet-machine" };
const GENERATOR: Blame = { on: "generator", advice: "relieve-generator" };
const ARM: Blame = { on: "arm", advice: "try-request" };
const HYPERVISOR: Blame = { on: "host", advice: "own-machine" };
const CHANGE: Blame = { on: "arm", advice: "look-at-change" };
const RATE: Blame = { on: "configuration", advice: "lower-rate" };
const QUOTA: Blame = { on: "configuration", advice: "lift-quota" };

export const SLICE_RULE_FACTS: Readonly<Record<SliceRule | "saturated", SliceRuleFacts>> = {
  // Requests that the generator did not send, or sent late, by what it tells of itself.
  incomplete: { sometimes: GENERATOR, always: GENERATOR, spoils: "slice" },
  // Missing without such a reason: the arm swallowed them, or blocked their connections.
  unanswered: { sometimes: ARM, always: ARM, spoils: "arm" },
  // In every slice: mostly a wrong path, or a wrong `expect`.
  status: {
    sometimes: ARM,
    always: { on: "configuration", advice: "check-request" },
    spoils: "arm",
  },
  transport: { sometimes: ARM, always: ARM, spoils: "arm" },
  "service-gone": { sometimes: ARM, always: ARM, spoils: "arm" },
  "generator-busy": { sometimes: GENERATOR, always: GENERATOR, spoils: "slice" },
  "generator-failed": { sometimes: GENERATOR, always: GENERATOR, spoils: "slice" },
  // `generator-busy` comes first, so a generator that is only late was not woken in time. Late in
  // every slice, its releasing thread is at its limit.
  lag: { sometimes: HOST, always: GENERATOR, spoils: "calm" },
  steal: { sometimes: HYPERVISOR, always: HYPERVISOR, spoils: "calm" },
  "slow-cpu": { sometimes: HYPERVISOR, always: HYPERVISOR, spoils: "calm" },
  "foreign-cpu": { sometimes: HOST, always: HOST, spoils: "calm" },
  // Some slices: those of one arm, as arms alternate.
  saturated: { sometimes: CHANGE, always: RATE, spoils: "nothing" },
  throttled: { sometimes: QUOTA, always: QUOTA, spoils: "calm" },
};
