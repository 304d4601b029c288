// From samples and what the judge says of them to the report value that every renderer shows.
import type { Report } from "../../model/report.ts";
import type { Samples } from "../../model/samples.ts";
import type { Judgement } from "../../model/verdict.ts";
import { assembleReport } from "../../verdict/assemble-report.ts";
import { describeEnd, faultText } from "./faults.ts";
import { describeVerdict } from "./verdict.ts";

export function describeRun(samples: Samples, judgement: Judgement): Report {
  const facts = assembleReport(samples);
  const { ended } = samples.run;
  const [fault] = judgement.faults;
  return {
    ...facts,
    run: {
      ...facts.run,
      ended: ended === "failed" && fault !== undefined ? faultText(fault) : describeEnd(ended),
    },
    verdict: describeVerdict(judgement),
  };
}
