// What a route of the fake GitHub is, and the answers that several routes give.
import type { Level, PermissionName, Token } from "./seed.ts";
import type { World } from "./world.ts";

export interface Incoming {
  world: World;
  token: Token;
  /** Values of the template's places, unescaped. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Parsed JSON, undefined without a body; of the form that the description demands. */
  body: unknown;
  /** Path of the request, without its query. */
  requestPath: string;
  /** Address of this server, for links. */
  origin: string;
}

export interface Outgoing {
  status: number;
  /** Sent as JSON; required fields that are left out are filled in. */
  body?: unknown;
  /** In place of `body`, as they are. */
  bytes?: Buffer;
  headers?: Record<string, string>;
}

/** Any one of `names` at `level` will do. */
export interface Need {
  names: readonly PermissionName[];
  level: Level;
}

export function grants(token: Token, { names, level }: Need): boolean {
  const granted = token.permissions as Record<string, string | undefined>;
  return names.some((name) => granted[name] === "write" || granted[name] === level);
}

export interface Route {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As the description has it. `{path}`, `{ref}` and `{basehead}` may hold slashes. */
  path: string;
  /** The operation's id in the description. */
  operation: string;
  /** null: every token may. */
  need: Need | null | ((incoming: Incoming) => Need);
  handle(incoming: Incoming): Outgoing;
}

export function notFound(message = "Not Found"): Outgoing {
  return { status: 404, body: { message, documentation_url: "https://docs.github.com/rest" } };
}

/** GitHub's 422: what is wrong with which field. */
export function unprocessable(
  resource: string,
  problem: { field?: string; code: string; message?: string },
): Outgoing {
  return {
    status: 422,
    body: {
      message: "Validation Failed",
      errors: [{ resource, ...problem }],
      documentation_url: "https://docs.github.com/rest",
    },
  };
}

/** GitHub's 422 without a field, as its Git database gives. */
export function refused(message: string): Outgoing {
  return { status: 422, body: { message, documentation_url: "https://docs.github.com/rest" } };
}

/** Refuses a text that is longer than GitHub takes; null when it fits. */
export function tooLong(
  resource: string,
  field: string,
  text: string | null | undefined,
  maximum: number,
): Outgoing | null {
  if (text === null || text === undefined || [...text].length <= maximum) return null;
  return unprocessable(resource, {
    field,
    code: "custom",
    message: `${field} is too long (maximum is ${maximum} characters)`,
  });
}

/** One page of a list, with the Link header that leads to the others. */
export function page<T>(
  all: readonly T[],
  { query, origin, requestPath }: { query: URLSearchParams; origin: string; requestPath: string },
): { items: T[]; headers: Record<string, string> } {
  const size = Math.min(100, Math.max(1, Number(query.get("per_page") ?? 30)));
  const number = Math.max(1, Number(query.get("page") ?? 1));
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (target: number, relation: string): string => {
    const parameters = new URLSearchParams(query);
    parameters.set("page", String(target));
    return `<${origin}${requestPath}?${parameters}>; rel="${relation}"`;
  };
  const links: string[] = [];
  if (number > 1) links.push(link(number - 1, "prev"));
  if (number < last) links.push(link(number + 1, "next"), link(last, "last"));
  if (number > 1) links.push(link(1, "first"));
  return {
    items: all.slice((number - 1) * size, number * size),
    headers: links.length === 0 ? {} : { link: links.join(", ") },
  };
}
