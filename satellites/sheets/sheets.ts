// What the kernel asks of this satellite.
import type { CapacityFacts } from "../../src/core/capacity/model.ts";
import type { ServiceFacts } from "../../src/core/comparison/model.ts";
import { capacityDocument } from "./capacity/document.ts";
import { describeCapacity } from "./capacity/words.ts";
import { comparisonDocument } from "./comparison/document.ts";
import { describeServices } from "./comparison/words.ts";

export { renderAnnotations } from "./annotations.ts";
export { renderBaseline } from "./baseline.ts";
export { describeRefusal, renderUpdateBody, renderUpdateTitle } from "./baseline-update.ts";
export { calibrationHeadline, renderCalibration } from "./calibration.ts";
export { renderDoctor, renderFixScript } from "./doctor.ts";
export { describeExplanation } from "./explain.ts";
export { tellNight } from "./night.ts";
export { tellPlan } from "./plan.ts";
export { renderTry } from "./try.ts";

export function tellCapacity(facts: CapacityFacts) {
  const result = describeCapacity(facts);
  return { result, document: capacityDocument(result) };
}

export function tellComparison(facts: ServiceFacts) {
  const result = describeServices(facts);
  return { result, document: comparisonDocument(result) };
}
