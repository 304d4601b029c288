// Which function of a stack is the repository's own, and what it is called however often it was
// compiled: closures belong to the function that they stand in, since their numbers change with any
// edit above them.
import type { Frame, Own } from "./model.ts";

/** By name, which is enough for compiled languages; scripts are known by their path. */
export function isOwn({ name, file }: Pick<Frame, "name" | "file">, own: Own): boolean {
  switch (own.kind) {
    case "go":
      return (
        name.startsWith("main.") ||
        own.modules.some((one) => name.startsWith(one) && /^[./]/.test(name.slice(one.length)))
      );
    case "rust":
      return own.crates.some((one) => isOfCrate(name, one.replaceAll("-", "_")));
    case "path": {
      const path = file ?? name;
      return own.roots.some((root) => path.includes(`${root}/`)) && !INSTALLED.test(path);
    }
  }
}

/** What package managers put below a repository. */
const INSTALLED = /\/(?:node_modules|site-packages|vendor|\.venv)\//;

/**
 * `crate::f`, `<crate::T as Trait>::f` and `<T as crate::Trait>::f`, which only this crate may write;
 * not `other::f::<crate::T>`, which is other's.
 */
function isOfCrate(name: string, crate: string): boolean {
  if (name.startsWith(`${crate}::`)) return true;
  const head = /^<(.*?)(?: as (.*))?$/.exec(name);
  if (head === null) return false;
  const [, type = "", trait = ""] = head;
  const isIts = (path: string): boolean => path.startsWith(`${crate}::`);
  return isIts(type.replace(/^(?:[&*[(]|mut |const |dyn |'\w+ )+/, "")) || isIts(trait);
}

const GO_CLOSURE = /(?:\.(?:func\d+|gowrap\d+|deferwrap\d+|abi0|\d+)|-fm|-range\d+)+$/;
const RUST_CLOSURE = /(?:::\{[^{}]*\})+$/;

/** The function that a symbol is of: without closures, and without what it was made generic for. */
export function functionOf(symbol: string): string {
  // Of a module, in place of a name.
  if (symbol.startsWith("[")) return symbol;
  if (!symbol.includes("::")) return symbol.replace(/\[.*\]|\[[^\]]*$/, "").replace(GO_CLOSURE, "");
  return withoutArguments(symbol.replace(RUST_CLOSURE, "")).replace(RUST_CLOSURE, "");
}

/** Without the last `::<…>`; an arrow closes nothing. */
function withoutArguments(name: string): string {
  let depth = 0;
  for (let at = name.length - 1; name.endsWith(">") && at > 1; at--) {
    if (name[at] === ">" && name[at - 1] !== "-") depth++;
    if (name[at] === "<" && --depth === 0)
      return name.slice(at - 2, at) === "::" ? name.slice(0, at - 2) : name;
  }
  return name;
}

/** Without all that stands in angle brackets, from the innermost on; of a name that was cut, the last is open. */
function withoutBrackets(name: string): string {
  const bare = name.replace(/<(?:->|[^<>])*(?<!-)>/g, "");
  return bare === name ? name.replace(/<.*/, "") : withoutBrackets(bare);
}

/** What tells functions of one repository apart: `server.accessLog`, `echo::audit`, `Reply::fmt`. */
export function shortName(name: string): string {
  if (!name.includes("::")) return name.slice(name.lastIndexOf("/") + 1);
  // Of a method of a trait, the type that has it.
  const method = /^(?:.*::)?<(?:impl .*? for (.*)|(.*?) as .*)>::(.*)$/.exec(name);
  const [, implementor, type = implementor, rest] = method ?? [];
  const whole = rest === undefined ? name : `${type}::${rest}`;
  return withoutBrackets(whole)
    .split("::")
    .filter((part) => part !== "")
    .slice(-2)
    .join("::");
}
