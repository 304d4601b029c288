// Applies other tools' rules, and ours, to recorded rounds of identical arms: how often each raises
// an alarm when nothing changed, and how often when something was planted.
//
//   node lab/peers/apply.ts run1/samples.v1.json run2/samples.v1.json [--trials 2000] [--effects 0,0.05,0.1,0.2] [--json]
import { parseArgs } from "node:util";
import { readSamples } from "../../src/app/documents/samples.ts";
import { applyRules, type RuleRates, sessionOf, tailgateRule } from "./resample.ts";
import { PEER_RULES } from "./rules.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: "string", default: "500" },
    effects: { type: "string", default: "0,0.05,0.1,0.2" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const files = positionals.map((path) => readSamples(path));
const [first] = files;
if (first === undefined) {
  throw new Error("name recorded samples files of one commit against itself");
}
const rules = [tailgateRule(first), ...PEER_RULES];
const rates = applyRules({
  sessions: files.map(sessionOf),
  rules,
  effects: values.effects.split(",").map(Number),
  trials: Number(values.trials),
  seed: Number(values.seed),
  rounds: 60,
  history: 30,
});
if (values.json) {
  const described = rules.map(({ name, source, definition }) => ({ name, source, definition }));
  process.stdout.write(`${JSON.stringify({ rules: described, rates })}\n`);
} else {
  process.stdout.write(`${table(rates)}\n`);
}

function table(all: readonly RuleRates[]): string {
  const effects = [...new Set(all.map(({ effect }) => effect))];
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const mean = ({ metrics }: RuleRates): number => {
    const shares = Object.values(metrics);
    return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  };
  const titles = effects.map((effect) => (effect === 0 ? "unchanged" : `+${effect * 100} %`));
  const lines = [
    `| rule | bursts | ${titles.map((title) => `${title}: a metric | ${title}: any of them`).join(" | ")} |`,
    `|---|---|${effects.map(() => "---|---|").join("")}`,
  ];
  for (const { name } of rules) {
    const own = effects.map((effect) =>
      all.find((rate) => rate.rule === name && rate.effect === effect),
    );
    const cells = own.map((rate) =>
      rate === undefined
        ? "– | –"
        : `${percent(mean(rate))} | ${percent(rate.any.share)} [${percent(rate.any.low)}, ${percent(rate.any.high)}]`,
    );
    lines.push(`| ${name} | ${own[0]?.rounds.toFixed(1) ?? "–"} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}
