// What a person reads is kept as a file under test/golden and reviewed as one;
// `npx vitest run -u --project unit <path>` rewrites it.
import { resolve } from "node:path";
import { expect, TestRunner } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /**
     * What this test compares with; orphaned-snapshots.ts looks for the files that no test names.
     */
    snapshots?: string[];
  }
}

const GOLDEN = resolve(import.meta.dirname, "../golden");

/** Compares with a file under test/golden. */
export async function checkGolden(path: string, actual: string): Promise<void> {
  const file = resolve(GOLDEN, path);
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.snapshots = [...(test.meta.snapshots ?? []), file];
  await expect(actual, path).toMatchFileSnapshot(file);
}

/** An element of a page on each line, rows whole; without its style sheet and its record. */
export async function checkGoldenPage(path: string, page: string): Promise<void> {
  const skeleton = page
    .replace(/<style>[^<]*<\/style>/, "")
    .replace(/(<script type="application\/json"[^>]*>)[^<]*/, "$1");
  await checkGolden(path, skeleton.replaceAll(/>(?=<(?!\/|t[dh]\b|a\b|span\b|code\b))/g, ">\n"));
}
