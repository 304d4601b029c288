// The flags of `tailgate calibrate` that no other command has.
import type { Flag } from "./flag.ts";

const value = (name: string, placeholder: string, help: string): Flag => ({
  name,
  kind: "value",
  value: placeholder,
  help,
});

/** The command's own flags; config, service, seed, time-budget, out, wait and json are the usual ones. */
export const CALIBRATE_FLAGS: readonly Flag[] = [
  value("rounds", "<number>", "rounds of identical arms for every service (default: 16)"),
  value(
    "slices",
    "<list>",
    "also measure the same load in slices of these lengths, such as 250ms,1s",
  ),
  value("from", "<samples.v1.json>", "calibrate from recorded rounds of one commit against itself"),
];
