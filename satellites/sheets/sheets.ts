// What the kernel asks of this satellite.
export { calibrationHeadline, renderCalibration } from "./calibration.ts";
export { capacityDocument } from "./capacity/document.ts";
export { describeCapacity } from "./capacity/words.ts";
export { comparisonDocument } from "./comparison/document.ts";
export { describeServices } from "./comparison/words.ts";
export { renderDoctor, renderFixScript } from "./doctor.ts";
export { renderTry } from "./try.ts";
