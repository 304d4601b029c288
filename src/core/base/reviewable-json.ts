// JSON to review: indented, each list of numbers on one line.

export function renderReviewableJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const short = text.replace(
    /\[\s+([-\d.e+,\s]+?)\s+\]/g,
    (_, list: string) => `[${list.split(/,\s+/).join(", ")}]`,
  );
  return `${short}\n`;
}
