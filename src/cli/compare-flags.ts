// The flags of `tailgate compare` that no other command has.
import type { Flag } from "./flag.ts";

/** The command's own flags; config, out, seed, wait and json are the usual ones. */
export const COMPARE_FLAGS: readonly Flag[] = [
  {
    name: "rounds",
    kind: "value",
    value: "<number>",
    help: "fresh starts of both services (default: 12; fewer than 8 may give no interval)",
  },
  {
    name: "scenario",
    kind: "list",
    value: "<name>",
    help: "only this scenario; may be given several times (default: all that both have)",
  },
  {
    name: "time-budget",
    kind: "value",
    value: "<duration>",
    help: "stop measuring after this long (default: as configured)",
  },
  {
    name: "from",
    kind: "value",
    value: "<comparison.samples.v1.json>",
    help: "render this file again instead of measuring",
  },
];
