// A generator whose words hold no secret: what a request held may come back in its errors.
import type { LoadFailed, LoadGenerator, LoadResult, Sent } from "../../../core/slice/load.ts";
import type { Secrets } from "../../../core/text/secrets.ts";

export function masked(generator: LoadGenerator, { mask }: Pick<Secrets, "mask">): LoadGenerator {
  const { name, send } = generator;
  return {
    name,
    run: async (request) => maskResult(await generator.run(request), mask),
    ...(send === undefined
      ? {}
      : { send: async (request) => maskResult(await send(request), mask) }),
  };
}

function maskResult<T extends LoadResult | Sent | LoadFailed>(result: T, mask: Secrets["mask"]): T {
  if (result.kind === "failed") {
    return { ...result, text: mask(result.text), detail: mask(result.detail) };
  }
  // Errors that differ in a secret alone become one.
  const errors: Record<string, number> = {};
  for (const [words, count] of Object.entries(result.errors)) {
    const shown = mask(words);
    errors[shown] = (errors[shown] ?? 0) + count;
  }
  if (result.kind !== "done" || result.parts === undefined) return { ...result, errors };
  const parts = result.parts.map((part) => ({ ...part, load: maskResult(part.load, mask) }));
  return { ...result, errors, parts };
}
