// What a server of one file says about itself, as far as `init` goes by it: whether it serves,
// where its port comes from, which path it answers. Pure, and forgiving: what is not understood is
// as if absent.

export interface ServerFacts {
  /** Whether the text looks like a program that listens. */
  serves: boolean;
  /** Environment variable with the port, such as PORT; null: none is read. */
  portVariable: string | null;
  /** Whether it takes the port as its first argument. */
  portArgument: boolean;
  /** The first path that it names; null: it names none. */
  path: string | null;
}

const SERVES =
  /\.listen\(|createServer\(|\bserve\(|serve_forever|HTTPServer|app\.run\(|run_app\(|uvicorn\.run\(|start_server\(/;
const VARIABLE =
  /(?:process\.env\.|process\.env\[["']|Deno\.env\.get\(["']|os\.environ(?:\.get\(|\[)["']|os\.getenv\(["'])([A-Z][A-Z0-9_]*)/g;
const ARGUMENT = /process\.argv\[2\]|sys\.argv\[1\]|Deno\.args\[0\]/;
/** A path in quotes. One with a placeholder, such as `/users/:id`, answers nothing as it stands. */
const PATH = /["'`](\/[\w.-]+(?:\/[\w.-]+)*)["'`]/g;
/** Folders of the machine, and what is there for machines. */
const NO_ROUTE = /^\/(?:bin|dev|etc|home|opt|proc|root|run|srv|sys|tmp|usr|var)\b|^\/favicon/;

export function parseServerSource(text: string): ServerFacts {
  const variables = [...text.matchAll(VARIABLE)].map(([, name = ""]) => name);
  const paths = [...text.matchAll(PATH)].map(([, path = ""]) => path);
  return {
    serves: SERVES.test(text),
    portVariable: variables.find((name) => /PORT$/.test(name)) ?? null,
    portArgument: ARGUMENT.test(text),
    path: paths.find((path) => !NO_ROUTE.test(path)) ?? null,
  };
}
