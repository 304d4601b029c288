// A command as its help has it, and what may stand in the place of a word. Pure.

export interface Completed {
  name: string;
  summary: string;
  /** `record | update | show`, `<samples.v1.json>`; empty: none is taken. */
  positionals: string;
  flags: readonly CompletedFlag[];
}

interface CompletedFlag {
  /** `--quiet`. */
  name: string;
  /** `-q`. */
  short: string | null;
  help: string;
  /** Of its value: `<file>`, `<base|stored>`; null: it takes none. */
  takes: string | null;
}

const FLAG = /^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)(?: (<[^>]+>))? +(.*)$/;

export function parseHelp(name: string, help: string): Completed {
  const [usage = "", , summary = "", ...lines] = help.split("\n");
  const flags = lines.flatMap((line) => {
    const found = FLAG.exec(line);
    if (found === null) return [];
    const [, short = null, long = "", takes = null, words = ""] = found;
    return [{ name: long, short, takes, help: words }];
  });
  const positionals = usage.replace(`tailgate ${name}`, "").replace("[flags]", "").trim();
  return { name, summary: summary.trim(), positionals, flags };
}

export type Values =
  | { kind: "words"; words: readonly string[] }
  | { kind: "files" | "folders" }
  /** Nobody but the person knows. */
  | { kind: "unknown" };

/** By what help shows in the place of a value: `<file>`, `record | update`. `names`: of all commands. */
export function valuesOf(shown: string, names: readonly string[]): Values {
  if (shown.includes("|")) {
    return { kind: "words", words: shown.replaceAll(/[<>]/g, "").split(/ ?\| ?/) };
  }
  if (shown === "<command>") return { kind: "words", words: names };
  if (shown === "<folder>") return { kind: "folders" };
  return { kind: /^<(file|.*\.json)>$/.test(shown) ? "files" : "unknown" };
}
