// Tables of Markdown that stand between marks in a page, and are made anew.

/** By the name in their marks. */
export type Tables = Readonly<Record<string, () => string>>;

/**
 * `text` with what stands between `<!-- begin <table> -->` and `<!-- end <table> -->` made anew.
 */
export function fillTables(text: string, tables: Tables): string {
  return text.replace(
    /(<!-- begin (\w+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const render = tables[name];
      if (render === undefined) throw new Error(`a page wants a table ${name}`);
      return `${begin}${render()}${end}`;
    },
  );
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(head) + line(head.map(() => ":--")) + rows.map(line).join("");
}
