// Lines of tailgate.yml, and text in them. Pure.
import type { Command } from "./proposal.ts";

export interface Line {
  text: string;
  comment?: string;
}

/** Without a comment where there is nothing to say. */
export function line(text: string, comment?: string): Line {
  return comment === undefined ? { text } : { text, comment };
}

/** Without effect until its mark is taken away. */
export function disabled({ text, ...rest }: Line): Line {
  return { ...rest, text: text.replace(/^(?: {2})?/, "$&# ") };
}

export function command(argv: Command): string {
  return typeof argv === "string" ? word(argv) : `[${argv.map(word).join(", ")}]`;
}

/** YAML text; in quotes where it could be anything else. */
export function word(text: string): string {
  const plain =
    /^[A-Za-z_./][\w ./@=-]*$/.test(text) && !/^(true|false|null|\.(nan|inf))$/i.test(text);
  return plain && text.trim() === text ? text : JSON.stringify(text);
}
