// A whole step with `mode: gate`: how it ends, what it says where, and what it leaves behind.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  BASE,
  type EventFixture,
  FakeGitHub,
  fakeUseCases,
  freshForEach,
  github,
  HEAD,
  REGRESSED,
  runStep,
  sampled,
  urlOf,
} from "../../../test/support/action.ts";
import type { SamplesRecipe } from "../../../test/support/samples.ts";
import type { Project } from "../../app/project/project.ts";
import type { ProjectOptions } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { EXPORT_FILES, EXPORT_FORMATS } from "../../core/model/export.ts";
import type { GitHubOperation } from "../../github/port.ts";
import type { UseCases } from "../job/use-cases.ts";

freshForEach();

/** Undecided, with no estimate beyond its margin. */
const NOISY: Partial<SamplesRecipe> = { rounds: 4 };
const BROKEN: Partial<SamplesRecipe> = { crashInRound: 3, state: "failed" };

test.each<[string, Partial<SamplesRecipe>, Record<string, string>, string, "success" | "failure"]>([
  ["a pass", {}, {}, "pass", "success"],
  ["a regression", REGRESSED, {}, "regressed", "failure"],
  ["a regression", REGRESSED, { inconclusive: "pass" }, "regressed", "failure"],
  ["no answer", NOISY, {}, "inconclusive", "failure"],
  ["no answer that is let through", NOISY, { inconclusive: "pass" }, "inconclusive", "success"],
  ["a crash", BROKEN, {}, "invalid", "failure"],
  ["a crash", BROKEN, { inconclusive: "pass" }, "invalid", "failure"],
  [
    "an improvement",
    { p99Ratio: { "api/echo": 0.6, "api/hello": 0.6 } },
    {},
    "improved",
    "success",
  ],
])("%s", async (_, recipe, inputs, verdict, ends) => {
  const samples = sampled(recipe);
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    inputs,
    samples,
  });
  expect(runner.outputs.verdict).toBe(verdict);
  expect(conclusion.state).toBe(ends);
  expect(runner.outputs.headline).toBe(conclusion.headline);
  expect(runner.shown).toContain("Tailgate");
  expect(readdirSync(runner.outputs.artifact ?? "")).toHaveLength(2);
  expect(existsSync(join(runner.outputs.reports ?? "", "report.html"))).toBe(true);
  expect(github.comments).toHaveLength(1);
  expect(runner.outputs.comment).toBe(urlOf(github.comments[0]));
  // The job's own conclusion is the check; a status only where it is asked for.
  expect(github.statuses).toEqual([]);
});

test("exported files are written next to the report", async () => {
  const exports = EXPORT_FORMATS.join("\n");
  const { runner } = await runStep({
    event: "pull-request",
    inputs: { exports },
    samples: sampled(REGRESSED),
  });
  const files = readdirSync(runner.outputs.reports ?? "");
  expect(files).toEqual(expect.arrayContaining(Object.values(EXPORT_FILES)));
});

test("inconclusive: pass does not let through an estimate beyond its margin", async () => {
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    inputs: { inconclusive: "pass" },
    samples: sampled({ rounds: 4, p99Ratio: { "api/echo": 10 } }),
  });
  expect(runner.outputs.verdict).toBe("inconclusive");
  expect(conclusion.state).toBe("failure");
  expect(conclusion.headline).toMatch(
    /not let through by inconclusive: pass: api\/echo p99 is estimated at .*, beyond its margin of \+10 %/,
  );
});

test("inconclusive: pass does not let through a missing baseline", async () => {
  const samples = sampled({ compare: "stored" });
  const sources = { ...samples.sources, reference: null };
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    inputs: { inconclusive: "pass" },
    samples: { ...samples, sources },
  });
  expect(runner.outputs.verdict).toBe("no-baseline");
  expect(conclusion.state).toBe("failure");
});

test("the token is hidden, and the second run edits the first one's comment", async () => {
  const first = await runStep({ event: "pull-request", github });
  expect(first.runner.hidden).toEqual(["ghs_token"]);
  await runStep({ event: "pull-request", samples: sampled(REGRESSED), github });
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toContain("REGRESSED");
});

test("baselines changed in the pull request are pointed out, of any service and runner", async () => {
  const same = { "baselines/default/api.json": "1" };
  github.put(BASE, { ...same, "baselines/metal/api.json": "1", "baselines/metal/gone.json": "1" });
  github.put(HEAD, { ...same, "baselines/metal/api.json": "2", "baselines/metal/new.json": "1" });
  for (const path of ["README.md", "metal/_profile.json", "../other/default/api.json"]) {
    github.put(HEAD, { [join("baselines", path)]: "2" });
  }
  await runStep({ event: "pull-request" });
  const paths = ["api", "gone", "new"].map((name) => `\`baselines/metal/${name}.json\``);
  expect(github.comments[0]?.body).toContain(
    `not those of the base branch**: ${paths.join(", ")}. This verdict does not rest on them.`,
  );
});

const [FIRST, SECOND, THIRD] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];

/** What happens to the one comment while pushes are measured at the same time. */
class Pushes {
  readonly #real = fakeUseCases(sampled());

  /** The gate of a push; the larger `runId`, the later it was asked for. */
  async gate(runId: number, headSha: string, meanwhile: () => Promise<unknown> = async () => {}) {
    const gate: UseCases["gate"] = async (...args) => {
      await meanwhile();
      return this.#real.gate(...args);
    };
    const push = { event: "pull-request", runId, headSha, github } as const;
    await runStep({ ...push, useCases: { gate } });
  }

  /** A gate that begins and never says more. */
  async lose(runId: number, headSha: string) {
    const abort = new AbortController();
    const gate: UseCases["gate"] = async () => {
      abort.abort();
      throw new UserError("stopped", {}, "interrupted");
    };
    const push = { event: "pull-request", runId, headSha, github } as const;
    await runStep({ ...push, abort, useCases: { gate } });
  }
}

/** Whose verdict the comment shows, and which commit it says has none yet. */
function checkComment(verdictOf: string, waitsFor: string | null): void {
  expect(github.comments).toHaveLength(1);
  const body = github.comments[0]?.body ?? "";
  const waiting = [...body.matchAll(/⏳ \*\*Commit `(\w+)` has no verdict yet/g)];
  expect(waiting.map(([, commit]) => commit)).toEqual(
    waitsFor === null ? [] : [waitsFor.slice(0, 10)],
  );
  expect(/^<!--.* head=(\w+)/.exec(body)?.[1]).toBe(verdictOf);
  expect(body).toContain(`Result for commit \`${verdictOf.slice(0, 10)}\``);
}

test("while a newer commit is measured the comment says that it is of an earlier one", async () => {
  const pushes = new Pushes();
  await pushes.gate(1, FIRST);
  await pushes.gate(2, SECOND, async () => checkComment(FIRST, SECOND));
  checkComment(SECOND, null);
});

test("an older run that ends while a newer one measures publishes below the newer one's note", async () => {
  const pushes = new Pushes();
  await pushes.gate(1, FIRST);
  await pushes.gate(2, SECOND, () => pushes.lose(3, THIRD));
  checkComment(SECOND, THIRD);
});

test("an older run that starts late does not overwrite a newer one's note", async () => {
  const pushes = new Pushes();
  await pushes.gate(1, FIRST);
  await pushes.lose(3, THIRD);
  await pushes.gate(2, SECOND, async () => checkComment(FIRST, THIRD));
  checkComment(SECOND, THIRD);
});

test("an older run that ends after a newer one does not replace its verdict", async () => {
  const pushes = new Pushes();
  await pushes.gate(1, FIRST, () => pushes.gate(2, SECOND));
  checkComment(SECOND, null);
});

test("after a force-push back to a judged commit, the run in between publishes nothing", async () => {
  const pushes = new Pushes();
  await pushes.gate(1, FIRST);
  await pushes.gate(2, SECOND, async () => {
    await pushes.lose(3, FIRST);
    checkComment(FIRST, null);
  });
  checkComment(FIRST, null);
});

test("comment and status follow their inputs", async () => {
  const inputs = { comment: "on-change", status: "always" };
  await runStep({ event: "pull-request", inputs, github });
  expect(github.comments).toEqual([]);
  await runStep({ event: "pull-request", inputs, samples: sampled(REGRESSED), github });
  expect(github.comments).toHaveLength(1);
  expect(github.statuses.map(({ state, context }) => [state, context])).toEqual([
    ["success", "tailgate/default"],
    ["failure", "tailgate/default"],
  ]);
  const silent = new FakeGitHub();
  await runStep({ event: "pull-request", inputs: { comment: "never" }, github: silent });
  expect(silent.asked).toEqual([]);
});

test.each<EventFixture>(["pull-request-fork", "pull-request-fork-gone", "merge-group", "push"])(
  "nothing is published on %s",
  async (event) => {
    const { conclusion } = await runStep({
      event,
      inputs: { status: "always" },
    });
    expect(conclusion.state).toBe("success");
    expect(github.asked).toEqual([]);
  },
);

test.each<[EventFixture, string, boolean]>([
  ["pull-request-fork", "always", true],
  ["pull-request-fork", "never", false],
  ["merge-group", "always", false],
])(
  "why a fork's pull request gets no comment, on %s with `comment: %s`",
  async (event, comment, isTold) => {
    const { runner } = await runStep({ event, inputs: { comment } });
    expect(/not published: .* fork.*mode: report/.test(runner.lines.join("\n"))).toBe(isTold);
  },
);

test("without a token the verdict stands", async () => {
  const { conclusion } = await runStep({
    event: "pull-request",
    inputs: { token: "" },
    samples: sampled(REGRESSED),
  });
  expect(conclusion.state).toBe("failure");
  expect(github.asked).toEqual([]);
});

test("with a read-only token the verdict stands, and the log names the missing permission", async () => {
  github.isReadOnly = true;
  const { conclusion, runner } = await runStep({ event: "pull-request", github });
  expect(conclusion.state).toBe("success");
  expect(github.comments).toEqual([]);
  expect(runner.annotations).toEqual([]);
  expect(runner.lines.join("\n")).toMatch(
    /not published: .*\n[\s\S]*pull-requests: write[\s\S]*mode: report/,
  );
});

test.each<[GitHubOperation, Record<string, string>]>([
  ["whoAmI", {}],
  ["comments", {}],
  ["createComment", {}],
  ["setStatus", { status: "always" }],
])(
  "GitHub down at %s: the verdict stands, and a warning says what is missing",
  async (operation, inputs) => {
    github.failing = { operation, reason: "unavailable" };
    for (const recipe of [{}, REGRESSED]) {
      const { conclusion, runner } = await runStep({
        event: "pull-request",
        inputs,
        samples: sampled(recipe),
      });
      expect(github.asked).toContain(operation);
      expect(conclusion.state).toBe(recipe === REGRESSED ? "failure" : "success");
      expect(runner.annotations.map(({ title }) => title)).toContain("Tailgate: not published");
      expect(github.statuses.map(({ state }) => state)).not.toContain("pending");
    }
  },
);

test("a failed build is reported as a failure, on the pull request too", async () => {
  const gate = async () => {
    throw new UserError("api (candidate) could not be built", {
      detail: "error[E0308]\n::error::planted",
      next: "Look at the log.",
    });
  };
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    useCases: { gate },
  });
  expect(conclusion).toEqual({ state: "failure", headline: "api (candidate) could not be built" });
  expect(runner.outputs).toMatchObject({ verdict: "error" });
  expect(runner.outputs.artifact).toBeUndefined();
  expect(runner.shown).toContain("This is not a pass");
  expect(github.comments[0]?.body).toContain("DID NOT FINISH");
});

test("an internal error is not a verdict", async () => {
  const gate = async () => {
    throw new TypeError("x is not a function");
  };
  const step = { event: "pull-request", useCases: { gate }, github } as const;
  const { conclusion, runner } = await runStep(step);
  expect(conclusion).toMatchObject({
    state: "failure",
    headline: expect.stringContaining("internal error"),
  });
  expect(runner.outputs.verdict).toBe("error");
  expect(github.comments).toEqual([]);
});

test.each(["pull_request_target", "workflow_run"])("%s is refused", async (name) => {
  const { conclusion, runner } = await runStep({
    event: name === "workflow_run" ? "workflow-run" : "pull-request",
    eventName: name,
  });
  expect(conclusion.state).toBe("failure");
  expect(runner.lines.join("\n")).toContain("on: pull_request");
  expect(github.asked).toEqual([]);
});

/**
 * Aborts when the job comes to this place; each place is one that it comes to in a run that
 * comments and sets the status.
 */
const PLACES = ["base", "gate", "whoAmI", "comments", "createComment", "setStatus"] as const;

test.each(PLACES)(
  "cancelled at %s: no verdict, nothing handed over, nothing pending",
  async (place) => {
    const abort = new AbortController();
    const real = fakeUseCases(sampled());
    let reached = false;
    const at = (here: string): void => {
      if (here !== place) return;
      reached = true;
      abort.abort();
    };
    github.onAsk = at;
    const { conclusion, runner } = await runStep({
      event: "pull-request",
      inputs: { status: "always" },
      abort,
      useCases: {
        findBaseOfChange: async (...args) => {
          at("base");
          return real.findBaseOfChange(...args);
        },
        gate: async (...args) => {
          at("gate");
          // As the real one does; else it would write where the test has cleaned up.
          abort.signal.throwIfAborted();
          return real.gate(...args);
        },
      },
    });
    expect(reached).toBe(true);
    expect(conclusion.state).toBe("cancelled");
    expect(runner.outputs).toMatchObject({ verdict: "cancelled", artifact: "" });
    expect(runner.shown).toContain("CANCELLED");
    expect(github.statuses.filter(({ state }) => state === "pending")).toEqual([]);
    if (place === "base" || place === "gate") expect(github.comments).toEqual([]);
  },
);

test("cancelled while a use case hangs: the step ends all the same", async () => {
  const abort = new AbortController();
  const gate = (): Promise<never> => {
    abort.abort();
    return new Promise(() => {});
  };
  const step = { event: "pull-request", useCases: { gate }, github, abort } as const;
  const { conclusion, runner } = await runStep(step);
  expect(conclusion.state).toBe("cancelled");
  expect(runner.outputs.verdict).toBe("cancelled");
});

test.each<[string, EventFixture, Record<string, string>, boolean, Partial<Project>]>([
  ["a pull request: its own base", "pull-request", {}, false, { base: BASE, reference: null }],
  ["a merge group: its own base", "merge-group", {}, false, { base: BASE }],
  ["a reference overrides", "pull-request", { reference: "v1" }, false, { reference: "v1" }],
  ["a push to the default branch: the commit before", "push", {}, true, { base: BASE }],
  ["a push elsewhere: the merge base", "push", {}, false, { base: null }],
  ["a schedule against the baseline", "schedule", { compare: "replay" }, true, { base: null }],
])("%s", async (_, event, inputs, fromItself, expected) => {
  let asked: Project | null = null;
  const real = fakeUseCases(sampled());
  await runStep({
    event,
    inputs,
    useCases: {
      startsFromItself: async () => fromItself,
      gate: (project, environment) => {
        asked = project;
        return real.gate(project, environment);
      },
    },
  });
  expect(asked).toMatchObject(expected);
});

test("a commit of the default branch is not compared with itself", async () => {
  const { conclusion, runner } = await runStep({
    event: "schedule",
    useCases: { startsFromItself: async () => true },
  });
  expect(conclusion).toMatchObject({
    state: "failure",
    headline: expect.stringMatching(/nothing to compare with/),
  });
  expect(runner.lines.join("\n")).toContain("compare: replay");
});

test("a shard measures without judging", async () => {
  let opened: ProjectOptions | null = null;
  const real = fakeUseCases(sampled());
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    inputs: { shard: "2/3", compare: "auto" },
    samples: sampled(REGRESSED),
    useCases: {
      openProject: (options, environment) => {
        opened = options;
        return real.openProject(options, environment);
      },
    },
  });
  expect(opened).toMatchObject({ shard: { index: 2, of: 3 }, compare: "auto" });
  expect(conclusion.state).toBe("success");
  expect(runner.outputs.verdict).toBe("measured");
  expect(readdirSync(runner.outputs.artifact ?? "")).toHaveLength(2);
  expect(github.asked).toEqual([]);
  expect(runner.annotations).toEqual([]);
});

test.each([true, false])("whether the checkout holds a token is told: %s", async (holds) => {
  const { runner } = await runStep({
    event: "pull-request",
    samples: sampled(),
    useCases: { keepsToken: async () => holds },
  });
  const told = runner.annotations.filter(({ message }) => message.includes("persist-credentials"));
  expect(told).toHaveLength(holds ? 1 : 0);
});
