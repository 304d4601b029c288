// The two questions of GraphQL that the client asks: who the token belongs to, and the move of a ref
// under a condition. No part of REST's description: the input is as GitHub's GraphQL reference has it.
import { z } from "zod";
import { grants, type Outgoing } from "./route.ts";
import { WRITE } from "./routes-repository.ts";
import type { Token } from "./seed.ts";
import { nodeIdOf, type World } from "./world.ts";

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const NOTHING = "0".repeat(40);

const updateRefs = z.strictObject({
  query: z
    .string()
    .regex(/^mutation\(\$input: UpdateRefsInput!\) \{ updateRefs\(input: \$input\) /),
  variables: z.strictObject({
    input: z.strictObject({
      repositoryId: z.string(),
      // Nobody of ours moves more than one.
      refUpdates: z.tuple([
        z.strictObject({
          name: z.string().regex(/^refs\/[^/]+\/./),
          beforeOid: oid.optional(),
          afterOid: oid.refine((sha) => sha !== NOTHING),
          force: z.boolean().default(false),
        }),
      ]),
    }),
  }),
});

export function graphQl(world: World, token: Token, body: unknown): Outgoing {
  const { query } = (body ?? {}) as { query?: unknown };
  if (typeof query === "string" && /viewer\s*\{\s*login\s*\}/.test(query)) {
    return { status: 200, body: { data: { viewer: { login: token.login } } } };
  }
  const parsed = updateRefs.safeParse(body);
  if (!parsed.success) return failed(`not known to the fake GitHub: ${parsed.error.message}`);
  const { repositoryId, refUpdates } = parsed.data.variables.input;
  if (repositoryId !== nodeIdOf(world)) return failed("Could not resolve to a node", "NOT_FOUND");
  if (!grants(token, WRITE)) return failed("Resource not accessible by integration", "FORBIDDEN");
  const [{ name, beforeOid, afterOid, force }] = refUpdates;
  const current = world.git.commitOf(name);
  const before = beforeOid === NOTHING ? null : (beforeOid ?? current);
  const isForward = force || current === null || world.git.isAncestor(current, afterOid);
  const isKnown = world.git.commit(afterOid) !== null;
  if (!isForward || !isKnown || !world.git.moveRef(name, before, afterOid)) {
    // GitHub's own words, whatever the cause.
    return failed("Something went wrong while executing your query.");
  }
  return { status: 200, body: { data: { updateRefs: { clientMutationId: null } } } };
}

function failed(message: string, type?: string): Outgoing {
  const error = type === undefined ? { message } : { type, message };
  return { status: 200, body: { data: null, errors: [error] } };
}
