// What happens to an artifact from its bytes to the comment and the status, as the reporting job
// does it, without GitHub.

import { readArtifactZip } from "../../src/action/artifact/read-artifact-zip.ts";
import {
  type CommentContext,
  isPlainPass,
  renderComment,
} from "../../src/core/report/pull-request/comment.ts";
import { type Notice, renderNotice } from "../../src/core/report/pull-request/notice.ts";
import { type CommentPlan, planComment } from "../../src/core/report/pull-request/plan-comment.ts";
import {
  type FinalStatus,
  statusOf,
  statusOfNotice,
} from "../../src/core/report/pull-request/status.ts";
import { type BaseTerms, verdictForBase } from "../../src/core/untrusted/verdict-for-base.ts";
import { HEAD_SHA, makeContext } from "./comment-context.ts";
import { makeConfig } from "./samples.ts";

interface Publication {
  comment: string;
  status: FinalStatus;
  plan: CommentPlan;
  /** The verdict's state, or `refused`. */
  outcome: string;
}

const TERMS: BaseTerms = {
  config: makeConfig(),
  baselines: [],
  profile: null,
  history: [],
  expected: { candidates: ["c".repeat(40)], references: ["b".repeat(40)] },
  waivers: null,
  now: "2026-01-03T00:00:00.000Z",
};

const US = "github-actions[bot]";
export const OUR_COMMENT = 41;

/** Under the pull request: two that pretend to be ours, one of another gate, ours. */
function existing(): { id: number; body: string; author: string }[] {
  const marker = (key: string, run: number): string =>
    `<!-- tailgate:comment repo=acme/shop key=${key} run=${run} attempt=1 head=${HEAD_SHA} -->\nx\n`;
  return [
    { id: 7, author: "mallory", body: marker("default", 9_999_999_999) },
    { id: 11, author: US, body: marker("nightly", 9_999_999_999) },
    { id: 23, author: US, body: `quoted:\n${marker("default", 9_999_999_999)}` },
    { id: OUR_COMMENT, author: US, body: marker("default", 1) },
  ];
}

export async function publish(bytes: Uint8Array): Promise<Publication> {
  const artifact = await readArtifactZip(bytes);
  const judged = artifact.kind === "problem" ? artifact : verdictForBase(artifact.samples, TERMS);
  const context: CommentContext = makeContext({
    trust: "attested",
    notes: judged.kind === "problem" ? [] : judged.notes,
    manifest: artifact.kind === "problem" ? null : artifact.manifest,
  });
  const notice: Notice | null = judged.kind === "problem" ? { ...judged, kind: "refused" } : null;
  const comment =
    judged.kind === "problem"
      ? renderNotice({ ...judged, kind: "refused" }, context)
      : renderComment(judged.report, context);
  const plan = planComment(existing(), {
    body: comment,
    identity: context.identity,
    origin: context.origin,
    author: US,
    policy: "always",
    plainPass: judged.kind === "verdict" && isPlainPass(judged.report, judged),
  });
  return {
    comment,
    plan,
    status:
      judged.kind === "verdict"
        ? statusOf(judged.report, context, { inconclusive: "fail" })
        : statusOfNotice(notice ?? { kind: "refused", text: "", detail: "" }),
    outcome: judged.kind === "verdict" ? judged.report.verdict.state : "refused",
  };
}
