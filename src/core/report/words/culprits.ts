// Programs of others that were at work. Their names are foreign text.
import type { Culprit } from "../../model/samples.ts";
import { plainLine } from "../../text/escape.ts";
import { formatShare } from "../../text/format.ts";

const MAX_NAME_LENGTH = 32;

/** `` `rustc` used 38 %, `node` 4 % of the measured CPUs ``; of one or more. */
export function describeCulprits(culprits: readonly Culprit[]): string {
  const [first, ...others] = culprits.map(
    ({ command, share }) => [programName(command), formatShare(share)] as const,
  );
  if (first === undefined) return "";
  const rest = others.map(([name, share]) => `, ${name} ${share}`).join("");
  return `${first[0]} used ${first[1]}${rest} of the measured CPUs`;
}

/** Between backticks, which the name cannot contain. */
function programName(command: string): string {
  return `\`${plainLine(command.replaceAll("`", "'"), MAX_NAME_LENGTH)}\``;
}
