// Reads a report file strictly: it may come from another machine, or from somebody who is no friend.
import { UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { type Report, ReportSchema } from "../model/report.ts";
import { readJson } from "./samples-file.ts";

export function readReport(path: string): Report {
  const value = readJson(path, "report file");
  const parsed = ReportSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first = "", ...rest] = describeIssues(parsed.error, value);
  throw new UserError(`${path} is not a report of this version: ${first}`, {
    detail: rest.slice(0, 9).join("\n"),
    next: "Make it again from its samples: tailgate judge <samples.v1.json> --out <folder>.",
  });
}
