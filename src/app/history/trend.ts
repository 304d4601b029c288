// A history as it is looked at: its series with their changes, and what people noted meanwhile.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { seriesChanges } from "../../core/history/changes.ts";
import { ANNOTATIONS_FILE, inOrder } from "../../core/history/layout.ts";
import type { HistoryRecord, Trend } from "../../core/model/history.ts";
import { readText } from "../documents/document.ts";
import type { Environment } from "../settings.ts";

const ANNOTATIONS = { what: "annotations", next: "Name the file that has them, or leave it out." };

/** `named`: where the annotations are; null: in the usual file, where there is one. */
export async function readTrend(
  records: readonly HistoryRecord[],
  named: string | null,
  { workingFolder, satellites }: Pick<Environment, "workingFolder" | "satellites">,
): Promise<Trend> {
  const file = resolve(workingFolder, named ?? ANNOTATIONS_FILE);
  const isThere = named !== null || existsSync(file);
  const text = isThere ? readText(file, ANNOTATIONS) : "";
  const notes = (await satellites.pages()).parseAnnotations(text, file, records);
  return { records: inOrder(records), series: seriesChanges(records), notes };
}
