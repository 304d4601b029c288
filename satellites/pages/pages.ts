// What the kernel asks of this satellite.
export { parseAnnotations } from "./history/annotations.ts";
export { renderHistory, renderHistoryPage } from "./history/page.ts";
export { renderPage } from "./page.ts";
export { renderReportPage } from "./report.ts";
