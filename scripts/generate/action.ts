// The contract as files: action.yml whole, and the tables of docs/action.md between their marks.
// scripts/generate.ts writes them; nothing at run time needs this.
import { stringify } from "yaml";
import {
  INPUT_NAMES,
  INPUTS,
  MODE_PERMISSIONS,
  MODES,
  type Mode,
  OUTPUTS,
  type OutputName,
} from "../../src/action/inputs/contract.ts";
import { INPUT_WORDS, MODE_EVENTS, MODE_WORDS, OUTPUT_WORDS, SAID } from "./action-words.ts";
import { code, type Tables, table } from "./tables.ts";

const HEAD =
  "# Generated from src/action/inputs/contract.ts by `npm run generate`; a test holds them together.\n";

const OUTPUT_NAMES = Object.keys(OUTPUTS) as OutputName[];

export function renderActionYaml(): string {
  const inputs = INPUT_NAMES.map((name) => {
    const { default: value = "" } = INPUTS[name];
    return [name, { description: INPUT_WORDS[name], required: false, default: value }] as const;
  });
  const outputs = OUTPUT_NAMES.map((name) => [name, { description: OUTPUT_WORDS[name] }] as const);
  const action = {
    name: "Tailgate",
    description:
      "Gates pull requests on tail latency, CPU and memory: builds base and head, loads them in turns, and says what is proven.",
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
    MODES.map((mode) => [
      code(mode),
      MODE_WORDS[mode],
      codes(MODE_EVENTS[mode]),
      codes(MODE_PERMISSIONS[mode]),
    ]),
  );
}

function renderInputTable(): string {
  return table(
    ["input", "default", "modes", "what it is for"],
    INPUT_NAMES.map((name) => {
      const { default: value = "", modes, expects } = INPUTS[name];
      const words = INPUT_WORDS[name] + (SAID.has(name) ? "" : ` Expects ${expects}.`);
      return [code(name), value === "" ? "" : code(value), modesText(modes), words];
    }),
  );
}

function renderOutputTable(): string {
  return table(
    ["output", "modes", "what it holds"],
    OUTPUT_NAMES.map((name) => [code(name), modesText(OUTPUTS[name].modes), OUTPUT_WORDS[name]]),
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
