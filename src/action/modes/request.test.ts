// `mode: request`: who may ask and for what, what the pull request is told, and what the next jobs
// are.
import { expect, test } from "vitest";
import {
  BASE,
  CONFIG,
  FORK,
  freshForEach,
  github,
  HEAD,
  REPOSITORY,
  runStep,
  type Step,
} from "../../../test/support/action.ts";

freshForEach();

interface Case extends Partial<Step> {
  /** Of the comment. */
  says?: string;
  /** Default: somebody who may write. */
  by?: string;
  /** Where the head is; default: the repository itself. */
  from?: string | null;
  /** What is answered; null: nothing. */
  answer: RegExp | null;
  /** What the next jobs are told; absent: nothing. */
  tells?: { services?: string; reference?: string };
}

/** Of the branch release/1.4. */
let release = "";

async function check({ says, by = "ada", from = REPOSITORY, answer, tells, ...step }: Case) {
  github.pullRequests = github.pullRequests.map((one) => ({
    ...one,
    head: { ...one.head, repository: from },
  }));
  github.moveBranch("release/1.4", BASE);
  release = github.push("release/1.4", { "notes.md": "x" });
  const said = says === undefined ? {} : { comment: { body: says } };
  const { conclusion, runner } = await runStep({
    event: "issue-comment",
    inputs: { mode: "request" },
    ...step,
    payload: { ...said, sender: { login: by }, ...step.payload },
  });
  const { commit, services, reference } = runner.outputs;
  const { services: wanted = "", reference: against = BASE } = tells ?? {};
  expect({ commit, services, reference }).toEqual(
    tells === undefined
      ? {}
      : {
          commit: HEAD,
          services: wanted,
          reference: against === "release" ? release : against,
        },
  );
  expect(conclusion.state).toBe(tells === undefined && answer !== null ? "failure" : "success");
  const bodies = github.comments.map(({ body }) => body);
  expect(bodies).toEqual(answer === null ? [] : [expect.stringMatching(answer)]);
  return { conclusion, runner };
}

const LABELED = { event: "pull-request", payload: { action: "labeled" } } as const;
const MEASURES =
  /^Tailgate measures all services of commit .* against .*, as ada asked, in \[this run\]/;

test.each<[string, Case]>([
  ["all of it", { says: "/tailgate", answer: MEASURES, tells: {} }],
  ["by an owner", { by: "ann", answer: /as ann asked/, tells: {} }],
  ["a service", { says: "/tailgate api", answer: /measures api of/, tells: { services: "api" } }],
  [
    "against a branch",
    {
      says: "/tailgate --against release/1.4",
      answer: /\(release\/1\.4\), as ada/,
      tells: { reference: "release" },
    },
  ],
  ["against a commit", { says: `/tailgate --against ${BASE}`, answer: /measures all/, tells: {} }],
  [
    "a fork's commit",
    { says: `/tailgate --commit ${HEAD}`, from: FORK, answer: MEASURES, tells: {} },
  ],
  ["by a label", { ...LABELED, answer: MEASURES, tells: {} }],
])("what may be measured is told, in the pull request and to the next jobs: %s", async (_, one) => {
  await check(one);
});

test.each<[string, Case]>([
  ["an unknown service", { says: "/tailgate apo", answer: /no service apo\. Did you mean api\?/ }],
  ["a shell's words", { says: "/tailgate $(id)", answer: /no service &#36;\(id\)/ }],
  ["an unknown ref", { says: "/tailgate --against v9", answer: /v9 is no branch, tag or commit/ }],
  [
    "an option",
    { says: "/tailgate --against --exec=x", answer: /cannot be read\. Write: \/tailgate/ },
  ],
  ["a fork's branch", { says: "/tailgate --against mallory:x", answer: /cannot be read/ }],
  ["a fork's head", { says: "/tailgate --against pull/9/head", answer: /cannot be read/ }],
  ["the same by its ref", { says: "/tailgate --against refs/pull/9/head", answer: /cannot be/ }],
  [
    "a fork's label",
    {
      ...LABELED,
      event: "pull-request-fork",
      by: "ada",
      from: FORK,
      answer: /may be newer than what/,
    },
  ],
  ["the head itself", { says: `/tailgate --against ${HEAD}`, answer: /nothing is to compare/ }],
  ["a fork, without a commit", { from: FORK, answer: /may be newer than what you have looked at/ }],
  ["a fork that is gone", { from: null, answer: /may be newer than what you have looked at/ }],
  ["an older commit", { says: `/tailgate --commit ${BASE}`, answer: /which may be newer/ }],
  ["a label, and a push after it", { ...LABELED, headSha: BASE, answer: /which may be newer/ }],
  ["a mention", { says: "/tailgate @everyone", answer: /no service @\u200beveryone/ }],
])("what cannot be measured is told in the pull request: %s", async (_, one) => {
  await check(one);
});

test.each<[string, Case]>([
  ["somebody who may read", { by: "rita", answer: null }],
  ["a stranger", { by: "mallory", answer: null }],
  ["nobody", { event: "pull-request", payload: { sender: undefined }, answer: null }],
  ["a stranger with a mistake", { by: "mallory", says: "/tailgate apo", answer: null }],
  ["a stranger's label", { ...LABELED, by: "mallory", answer: null }],
  ["a bot", { by: "ada[bot]", answer: null }],
  ["a comment that was changed", { payload: { action: "edited" }, answer: null }],
  ["a comment that was removed", { payload: { action: "deleted" }, answer: null }],
  ["an issue that is no pull request", { payload: { issue: { number: 12 } }, answer: null }],
  ["a quotation", { says: "> /tailgate", answer: null }],
  ["another comment", { says: "Nice.", answer: null }],
])("nothing is measured or answered for %s", async (_, one) => {
  const { conclusion } = await check(one);
  expect(conclusion.headline).toMatch(/^nothing is measured: /);
});

test("a bot is not even looked up, and nobody where the comment is no request", async () => {
  for (const payload of [{ sender: { login: "x[bot]" } }, { comment: { body: "Nice." } }]) {
    await runStep({ event: "issue-comment", inputs: { mode: "request" }, payload });
  }
  expect(github.asked).toEqual([]);
});

test("services are those that the base branch has by now", async () => {
  const own = '  worker: { dir: w, run: "node w.mjs {port}", ready: /healthz }\nscenarios:';
  github.push("main", { "tailgate.yml": CONFIG.replace("scenarios:", own) });
  await check({
    says: "/tailgate worker",
    answer: /measures worker of/,
    tells: { services: "worker" },
  });
});

test("what cannot be answered is not measured", async () => {
  github.isReadOnly = true;
  const { conclusion, runner } = await runStep({
    event: "issue-comment",
    inputs: { mode: "request" },
    payload: { comment: { body: `/tailgate --commit ${HEAD}` } },
  });
  expect(conclusion.state).toBe("failure");
  expect(runner.outputs.commit).toBeUndefined();
  expect(runner.lines.join("\n")).toContain("pull-requests: write");
});

test("another event asks for nothing", async () => {
  const { conclusion } = await runStep({ event: "push", inputs: { mode: "request" } });
  expect(conclusion.headline).toBe("nothing is measured: no pull request asks for it");
});
