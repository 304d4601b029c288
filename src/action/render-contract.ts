// The contract as files: action.yml whole, and the tables of docs/action.md between their marks. scripts/generate.mjs writes them;
// nothing at run time needs this.
import { stringify } from "yaml";
import {
  INPUTS,
  type InputSpec,
  MODE_FACTS,
  MODES,
  type Mode,
  OUTPUTS,
  type OutputSpec,
} from "./contract.ts";

const HEAD =
  "# Generated from src/action/contract.ts by `npm run generate`; a test holds them together.\n";

export function renderActionYaml(): string {
  const inputs = (INPUTS as readonly InputSpec[]).map(
    ({ name, help, default: value }) =>
      [name, { description: help, required: false, default: value }] as const,
  );
  const outputs = (OUTPUTS as readonly OutputSpec[]).map(
    ({ name, help }) => [name, { description: help }] as const,
  );
  const action = {
    name: "Tailgate",
    description:
      "Gates pull requests on p99 latency and memory: builds base and head, loads them side by side, and says what is proven.",
    branding: { icon: "activity", color: "purple" },
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    runs: { using: "node24", main: "dist/action.cjs" },
  };
  return HEAD + stringify(action, { lineWidth: 110 });
}

export function renderModeTable(): string {
  return table(
    ["mode", "what it does", "on", "the token needs"],
    MODES.map((mode) => {
      const { summary, events, permissions } = MODE_FACTS[mode];
      return [code(mode), summary, codes(events), codes(permissions)];
    }),
  );
}

export function renderInputTable(): string {
  return table(
    ["input", "default", "modes", "what it is for"],
    (INPUTS as readonly InputSpec[]).map(({ name, default: value, modes, help, expects }) => [
      code(name),
      value === "" ? "" : code(value),
      modesText(modes),
      `${help} Expects ${expects}.`,
    ]),
  );
}

export function renderOutputTable(): string {
  return table(
    ["output", "modes", "what it holds"],
    (OUTPUTS as readonly OutputSpec[]).map(({ name, modes, help }) => [
      code(name),
      modesText(modes),
      help,
    ]),
  );
}

const TABLES: Readonly<Record<string, () => string>> = {
  modes: renderModeTable,
  inputs: renderInputTable,
  outputs: renderOutputTable,
};

/** `text` with what stands between `<!-- begin <table> -->` and `<!-- end <table> -->` made anew. */
export function fillTables(text: string): string {
  return text.replace(
    /(<!-- begin (\w+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      const render = TABLES[name];
      if (render === undefined) throw new Error(`docs/action.md wants a table ${name}`);
      return `${begin}${render()}${end}`;
    },
  );
}

function modesText(modes: readonly Mode[]): string {
  return modes.length === MODES.length ? "all" : codes(modes);
}

function codes(words: readonly string[]): string {
  return words.map(code).join(", ");
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(head) + line(head.map(() => ":--")) + rows.map(line).join("");
}
