// Where a comment stands, for tests of what is in it.
import type { CommentContext } from "../../src/core/report/pull-request/comment.ts";

export const HEAD_SHA = "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293";

export function makeContext(overrides: Partial<CommentContext> = {}): CommentContext {
  return {
    identity: { repository: "acme/shop", key: "default" },
    origin: { runId: 7_164_329_001, attempt: 1, headSha: HEAD_SHA },
    trust: "own",
    notes: [],
    base: { ref: "main", commit: "1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e" },
    manifest: null,
    runUrl: "https://github.com/acme/shop/actions/runs/7164329001",
    samplesUrl: "https://github.com/acme/shop/actions/runs/7164329001/artifacts/52",
    ...overrides,
  };
}
