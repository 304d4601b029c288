// Workflow runs and artifacts of the fake GitHub. The zip is behind a redirect to another address
// that takes no token, as GitHub's is.

import { type Need, notFound, page, type Route } from "./route.ts";
import { accountOf, repositoryOf } from "./routes-discussion.ts";
import { type Artifact, artifactsOf, type Run, type World } from "./world.ts";

const ROOT = "/repos/{owner}/{repo}";
const READ: Need = { names: ["actions"], level: "read" };

/** Below the server's root. */
export const BLOB_PATH = "/_blob/";

function runBody(world: World, it: Run): unknown {
  return {
    id: it.id,
    name: it.name,
    path: it.path,
    event: it.event,
    status: it.conclusion === null ? "in_progress" : "completed",
    conclusion: it.conclusion,
    run_attempt: it.attempt,
    head_sha: it.headSha,
    head_branch: it.headBranch,
    head_repository: it.headRepository === null ? null : repositoryOf(it.headRepository),
    repository: repositoryOf(world.repository),
    actor: accountOf("contributor"),
    html_url: `https://github.com/${world.repository}/actions/runs/${it.id}`,
    pull_requests: it.pullRequests.map((number) => ({ number })),
    created_at: it.createdAt,
    updated_at: it.createdAt,
  };
}

function artifactBody(world: World, it: Artifact): unknown {
  return {
    id: it.id,
    name: it.name,
    size_in_bytes: it.bytes.length,
    expired: it.expired,
    archive_download_url: `https://api.github.com/repos/${world.repository}/actions/artifacts/${it.id}/zip`,
    workflow_run: { id: it.run },
  };
}

export const ACTIONS_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: `${ROOT}/actions/runs/{run_id}`,
    operation: "actions/get-workflow-run",
    need: READ,
    handle({ world, params }) {
      const it = world.runs.find(({ id }) => id === Number(params.run_id));
      return it === undefined ? notFound() : { status: 200, body: runBody(world, it) };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/actions/runs/{run_id}/artifacts`,
    operation: "actions/list-workflow-run-artifacts",
    need: READ,
    handle(incoming) {
      const { world, params } = incoming;
      const run = Number(params.run_id);
      if (!world.runs.some(({ id }) => id === run)) return notFound();
      const all = artifactsOf(world, run);
      const { items, headers } = page(all, incoming);
      const artifacts = items.map((it) => artifactBody(world, it));
      return { status: 200, headers, body: { total_count: all.length, artifacts } };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/actions/artifacts/{artifact_id}/{archive_format}`,
    operation: "actions/download-artifact",
    need: READ,
    handle({ world, params, origin }) {
      const it = world.artifacts.find(({ id }) => id === Number(params.artifact_id));
      if (it === undefined) return notFound();
      if (it.expired) return { status: 410, body: { message: "Artifact has expired" } };
      return { status: 302, headers: { location: `${origin}${BLOB_PATH}${it.id}?sig=secret` } };
    },
  },
];
