// `mode: calibrate`: what this runner can tell apart, from rounds of identical programs. Judges the
// runner, never a change.
import { relative } from "node:path";
import { unkept } from "../../core/model/profile.ts";
import { markdownBlock } from "../../core/text/escape.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { openToBuild } from "../job/requirements.ts";

const SUMMARY_COLUMNS = 120;

export async function runCalibrate(job: Job): Promise<Conclusion> {
  const { inputs, environment, runner, useCases } = job;
  const { calibrationHeadline, renderCalibration } = await environment.satellites.sheets();
  const project = await openToBuild(job, job.inputs);
  const { profile, files } = await useCases.calibrate(inputs.rounds, project, environment);
  if (environment.abort.aborted) return CANCELLED;
  const [path = ""] = files;
  runner.output("profile", path);
  const lines = renderCalibration(profile, { width: SUMMARY_COLUMNS, color: "never" })
    .trimEnd()
    .split("\n");
  for (const line of lines) runner.log(line);
  runner.summary(
    `${["### Tailgate: what this runner can show", "", ...markdownBlock(lines)].join("\n")}\n`,
  );
  runner.log(`wrote ${relative(environment.workingFolder, path)}`);
  const isFine = unkept(profile).length === 0 || inputs.inconclusive === "pass";
  return { state: isFine ? "success" : "failure", headline: calibrationHeadline(profile) };
}
