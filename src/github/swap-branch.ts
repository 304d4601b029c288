// Compare and swap of a ref. REST has none: with force it moves a ref wherever it is by now, and
// without force it asks for a move forward on branches only. GraphQL's updateRefs asks where it was.
import { mutationAnswer, nodeAnswer } from "./answers.ts";
import { belowRefs, branchSha } from "./commit.ts";
import type { Task } from "./connection.ts";
import { GitHubError } from "./port.ts";

const UPDATE_REFS =
  "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";
/** As a value before: the ref is not there. */
const NOTHING = "0".repeat(40);
const MAY_NOT = new Set(["FORBIDDEN", "INSUFFICIENT_SCOPES"]);

export async function swapBranch(
  task: Task,
  name: string,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  const { node_id: repositoryId } = await task.get(nodeAnswer, "");
  const update = {
    name: `refs/${belowRefs(name)}`,
    beforeOid: from ?? NOTHING,
    afterOid: to,
    force: true,
  };
  const { errors } = await task.send(mutationAnswer, "POST", "/graphql", {
    query: UPDATE_REFS,
    variables: { input: { repositoryId, refUpdates: [update] } },
  });
  if (errors.length === 0) return;
  const said = errors.map(({ message }) => message).join("; ");
  if (errors.some(({ type = "" }) => MAY_NOT.has(type))) throw task.forbidden(said);
  // A ref that was elsewhere and a fault within GitHub are answered in the same words, and a request
  // that was sent twice finds its own work.
  const now = await branchSha(task, name);
  if (now === to) return;
  if (now === from) throw task.fail(said);
  throw new GitHubError("conflict", `${name} was moved by something else meanwhile`);
}
