// A history as it is looked at: its series with their changes, and what people noted meanwhile.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseAnnotations } from "../../core/history/annotations.ts";
import { seriesChanges } from "../../core/history/changes.ts";
import { ANNOTATIONS_FILE } from "../../core/history/layout.ts";
import { inOrder } from "../../core/history/order.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Trend } from "../../core/model/trend.ts";
import { readText } from "../documents/document.ts";
import type { Environment } from "../settings.ts";

const ANNOTATIONS = { what: "annotations", next: "Name the file that has them, or leave it out." };

/** `named`: where the annotations are; null: in the usual file, where there is one. */
export function readTrend(
  records: readonly HistoryRecord[],
  named: string | null,
  { workingFolder }: Pick<Environment, "workingFolder">,
): Trend {
  const file = resolve(workingFolder, named ?? ANNOTATIONS_FILE);
  const isThere = named !== null || existsSync(file);
  const notes = isThere ? parseAnnotations(readText(file, ANNOTATIONS), file, records) : [];
  return { records: inOrder(records), series: seriesChanges(records), notes };
}

export async function historyPage(
  trend: Trend,
  { version, satellites }: Pick<Environment, "version" | "satellites">,
): Promise<string> {
  return await satellites.renderHistoryPage(trend, `tailgate ${version}`);
}
