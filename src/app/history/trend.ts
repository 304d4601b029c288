// A history as it is looked at: its series with their changes, and what people noted meanwhile.
import { parseAnnotations } from "../../core/history/annotations.ts";
import { seriesChanges } from "../../core/history/changes.ts";
import { inOrder } from "../../core/history/order.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Trend } from "../../core/model/trend.ts";
import { readText } from "../documents/document.ts";
import type { Environment } from "../settings.ts";

const ANNOTATIONS = { what: "annotations", next: "Name the file that has them, or leave it out." };

/** `annotations`: path of a file; null: there is none. */
export function readTrend(
  records: readonly HistoryRecord[],
  { annotations }: { annotations: string | null },
): Trend {
  const notes =
    annotations === null
      ? []
      : parseAnnotations(readText(annotations, ANNOTATIONS), annotations, records);
  return { records: inOrder(records), series: seriesChanges(records), notes };
}

export async function historyPage(
  trend: Trend,
  { version, satellites }: Pick<Environment, "version" | "satellites">,
): Promise<string> {
  return await satellites.renderHistoryPage(trend, `tailgate ${version}`);
}
