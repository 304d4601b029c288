// The flags of `tailgate capacity` that no other command has.
import type { Flag } from "./flag.ts";

const value = (name: string, placeholder: string, help: string): Flag => ({
  name,
  kind: "value",
  value: placeholder,
  help,
});

/** The command's own flags; config, out, seed, wait and json are the usual ones. */
export const CAPACITY_FLAGS: readonly Flag[] = [
  value("scenario", "<name>", "which scenario of the service (default: its only one)"),
  value("p99", "<duration>", "objective: p99 from the schedule (default: 20ms)"),
  value("errors", "<percentage>", "share of requests that may fail (default: as configured)"),
  value("launches", "<number>", "fresh starts of the service (default: 8; 6 give a 95 % interval)"),
  value("slice", "<duration>", "length of a slice (default: 2s, or 100 objectives if longer)"),
  value("precision", "<percentage>", "how narrow a launch's bracket is made (default: 3%)"),
  value("time-budget", "<duration>", "stop measuring after this long (default: as configured)"),
  { name: "resume", kind: "switch", help: "go on with the samples file in --out" },
  value("from", "<capacity.samples.v1.json>", "render this file again instead of measuring"),
  value(
    "requests-per-day",
    "<list>",
    "rows of the cost table (default: as configured, or 1000000,1000000000)",
  ),
  value(
    "peak-factor",
    "<number>",
    "busiest rate over the day's mean (default: as configured, or 3)",
  ),
  value(
    "utilisation",
    "<percentage>",
    "share of a core that may be used (default: as configured, or 60%)",
  ),
  value("cores-per-host", "<number>", "(default: as configured, or 8)"),
  value("host-price", "<number>", "of one host for a month (default: as configured, or 35)"),
];
