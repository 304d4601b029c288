// Every command by its name, in the order of `--help`.
import type { Command } from "./command.ts";
import { completionOf } from "./commands/completion.ts";
import { exportReport, history, report } from "./commands/documents.ts";
import { demo, explain, gate, judge, measure, merge, plan } from "./commands/gate.ts";
import { baseline, calibrate, doctor, setup } from "./commands/machine.ts";
import { bisect, capacity, compare, init, tryOut, withDependencies } from "./commands/services.ts";

export const COMMANDS: Readonly<Record<string, Command>> = {
  gate,
  measure,
  merge,
  judge,
  report,
  export: exportReport,
  history,
  baseline,
  with: withDependencies,
  capacity,
  compare,
  explain,
  bisect,
  calibrate,
  plan,
  try: tryOut,
  doctor,
  setup,
  init,
  demo,
  completion: completionOf(() => Object.entries(COMMANDS)),
};
