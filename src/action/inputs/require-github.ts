// A mode that cannot do without GitHub says so before anything else.
import { UserError } from "../../core/base/errors.ts";
import type { GitHub } from "../../github/port.ts";
import type { Job } from "../job.ts";
import { MODE_FACTS } from "./contract.ts";

export function requireGitHub({ github, inputs }: Job): GitHub {
  if (github !== null) return github;
  const { permissions } = MODE_FACTS[inputs.mode];
  throw new UserError(`\`mode: ${inputs.mode}\` needs a token, and the input \`token\` is empty`, {
    next: `Leave \`token:\` out, so that the job's own is used, and write:\npermissions:\n${permissions.map((line) => `  ${line}`).join("\n")}`,
  });
}
