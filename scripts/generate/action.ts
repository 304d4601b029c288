// The contract as files: action.yml whole, and the tables of docs/action.md between their marks.
// scripts/generate.ts writes them; nothing at run time needs this.
import { stringify } from "yaml";
import { INPUTS, MODE_FACTS, MODES, type Mode, OUTPUTS } from "../../src/action/inputs/contract.ts";
import { code, type Tables, table } from "./tables.ts";

const HEAD =
  "# Generated from src/action/inputs/contract.ts by `npm run generate`; a test holds them together.\n";

export function renderActionYaml(): string {
  const inputs = Object.entries(INPUTS).map(
    ([name, { help, default: value = "" }]) =>
      [name, { description: help, required: false, default: value }] as const,
  );
  const outputs = Object.entries(OUTPUTS).map(
    ([name, { help }]) => [name, { description: help }] as const,
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

function renderModeTable(): string {
  return table(
    ["mode", "what it does", "on", "the token needs"],
    MODES.map((mode) => {
      const { summary, events, permissions } = MODE_FACTS[mode];
      return [code(mode), summary, codes(events), codes(permissions)];
    }),
  );
}

function renderInputTable(): string {
  return table(
    ["input", "default", "modes", "what it is for"],
    Object.entries(INPUTS).map(([name, { default: value = "", modes, help, expects }]) => [
      code(name),
      value === "" ? "" : code(value),
      modesText(modes),
      `${help} Expects ${expects}.`,
    ]),
  );
}

function renderOutputTable(): string {
  return table(
    ["output", "modes", "what it holds"],
    Object.entries(OUTPUTS).map(([name, { modes, help }]) => [code(name), modesText(modes), help]),
  );
}

/** The tables of docs/action.md. */
export const ACTION_TABLES: Tables = {
  modes: renderModeTable,
  inputs: renderInputTable,
  outputs: renderOutputTable,
};

function modesText(modes: readonly Mode[]): string {
  return modes.length === MODES.length ? "all" : codes(modes);
}

function codes(words: readonly string[]): string {
  return words.map(code).join(", ");
}
