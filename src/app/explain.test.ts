// Whatever becomes of the explanation of a red verdict, that stands: nothing of it is thrown.
import { expect, test } from "vitest";
import { makeEnvironment } from "../../test/support/environment.ts";
import { makeFolder } from "../../test/support/files.ts";
import { makeReport } from "../../test/support/report.ts";
import { makeConfig } from "../../test/support/samples.ts";
import { UserError } from "../core/base/errors.ts";
import { satellites } from "../entry/satellites.ts";
import { explainRed } from "./explain.ts";
import type { Bench } from "./gate/measure.ts";
import { silentProgress } from "./progress.ts";
import type { Project } from "./project/project.ts";
import type { Explain } from "./settings.ts";

interface Situation {
  state?: "pass" | "regressed";
  /** As configured. */
  explain?: boolean;
  isStopped?: boolean;
  chooseRed?: Explain["chooseRed"];
}

/** Nothing can be launched: what is asked for is a service that there is none of. */
async function told({ state = "regressed", explain, isStopped = false, ...own }: Situation) {
  const said: string[] = [];
  const abort = new AbortController();
  if (isStopped) abort.abort();
  const chooseRed = own.chooseRed ?? (() => ({ service: "nobody", scenario: "echo" }));
  const environment = makeEnvironment(makeFolder(), {
    abort: abort.signal,
    satellites: {
      ...satellites,
      explain: async () => ({ ...(await satellites.explain()), chooseRed }),
    },
    progress: {
      ...silentProgress,
      stage: (name) => said.push(`stage ${name}`),
      note: (line) => said.push(line),
    },
  });
  const config = makeConfig();
  const project = { config: { ...config, runner: { ...config.runner, explain } } } as Project;
  const keep = () => expect.fail("there is nothing to keep");
  await explainRed(makeReport({ state }), {} as Bench, project, environment, keep);
  return said;
}

const BEGUN = ["stage explain", "explaining why, at most 75 s; Ctrl-C keeps the verdict"];

test("it is said how long it may take, and then why there is none", async () => {
  const said = await told({});
  expect(said.slice(0, 2)).toEqual(BEGUN);
  expect(said.slice(2)).toEqual([expect.stringMatching(/^not explained: .*nobody/)]);
});

test.each([
  ["what is green", { state: "pass" }],
  ["what nobody wants explained", { explain: false }],
  ["what a signal has ended", { isStopped: true }],
  ["what no profile shows", { chooseRed: () => null }],
] as const)("%s is not explained, without a word", async (_, situation) => {
  expect(await told(situation)).toEqual([]);
});

test.each([new UserError("a part of Tailgate cannot be loaded"), new TypeError("a bug of ours")])(
  "%s is a note",
  async (thrown) => {
    const chooseRed = () => {
      throw thrown;
    };
    expect(await told({ chooseRed })).toEqual([`not explained: ${thrown.message}`]);
  },
);
