// The samples file of a capacity search, read strictly.
import { UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { type CapacitySamples, CapacitySamplesSchema } from "../model/capacity.ts";
import { readJson } from "./samples-file.ts";

export function readCapacitySamples(path: string): CapacitySamples {
  const value = readJson(path, "samples file");
  const parsed = CapacitySamplesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first = "", ...rest] = describeIssues(parsed.error, value);
  throw new UserError(`${path} is not a capacity samples file of this version: ${first}`, {
    detail: rest.slice(0, 9).join("\n"),
    next: "Measure again: tailgate capacity <service>.",
  });
}
