// What starting each service has shown, on a terminal. Answers and output are foreign.
import { isAsConfigured, isAsExpected } from "../../src/core/model/one-answer.ts";
import type { TriedScenario, TriedService, TryResult } from "../../src/core/model/try.ts";
import { type Item, list, paragraph, section } from "../../src/core/report/kit/blocks.ts";
import {
  renderTerminalDocument,
  type TerminalOptions,
} from "../../src/core/report/kit/terminal.ts";
import { formatAmount, formatDuration, formatShare } from "../../src/core/text/format.ts";
import { formatRate } from "../words/rate.ts";

const RIGHT = "✓";
const WRONG = "✗";
const NOTE = "·";

export function renderTry({ services }: TryResult, options: TerminalOptions): string {
  const right = services.filter(isAsConfigured).length;
  const noun = services.length === 1 ? "service" : "services";
  return renderTerminalDocument(
    {
      mark: null,
      headline: `${right} of ${services.length} ${noun} started and answered as configured`,
      summary: [],
      sections: services.map((service) =>
        section(
          service.name,
          paragraph(["started by ", { code: service.run.join(" ") }, ` in ${service.dir}`]),
          list([
            launchItem(service),
            ...service.scenarios.flatMap((one) => [...answerItems(one), ...rateItems(one)]),
            ...service.asked.map(({ path, status }) => ({
              symbol: NOTE,
              text: `GET ${path}: ${status === null ? "no answer" : status}`,
            })),
          ]),
        ),
      ),
    },
    options,
  );
}

function launchItem({ launch }: TriedService): Item {
  if (launch.kind === "failed") {
    const { text, detail, next } = launch;
    return { symbol: WRONG, text: `${text}\n${detail}`.trimEnd(), under: next ?? undefined };
  }
  const { port, startupMs } = launch;
  return { symbol: RIGHT, text: `ready on port ${port} after ${formatDuration(startupMs)}` };
}

function answerItems({ name, answers }: TriedScenario): Item[] {
  return answers.map(({ method, path, expected, status, seen }) => {
    const isExpected = status === expected;
    const text = `${name}: ${method} ${path} got ${seen}`;
    return isExpected
      ? { symbol: RIGHT, text }
      : { symbol: WRONG, text: `${text}, expected ${expected}` };
  });
}

function rateItems(scenario: TriedScenario): Item[] {
  const { name, configuredRps, rate } = scenario;
  if (rate === null || !isAsExpected(scenario)) return [];
  if (rate.kind === "unsettled") return [{ symbol: NOTE, text: `${name}: it held no rate` }];
  const share = formatShare((configuredRps * rate.cpuUs) / 1e6);
  return [
    {
      symbol: NOTE,
      text: `${name}: it held ${formatRate(rate.rps)}; a request took ${formatAmount("us", rate.cpuUs)} of CPU, so that the configured ${formatRate(configuredRps)} are ${share} of one core`,
    },
  ];
}
