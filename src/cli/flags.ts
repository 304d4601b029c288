// The flags that a command may have: how each is shown in `--help`, and what its text comes to.
import { UserError } from "../core/base/errors.ts";
import { DURATION, parseDuration, type Quantity } from "../core/config/units.ts";

interface Shown {
  /** Without dashes. */
  name: string;
  help: string;
}

interface Switch extends Shown {
  kind: "switch";
}

interface Value<T> extends Shown {
  kind: "value";
  /** Of the value in help: `<file>`. */
  placeholder: string;
  /** Throws a UserError that says what was expected. */
  read(text: string): T;
}

/** May be given several times. */
interface List extends Shown {
  kind: "list";
  placeholder: string;
}

export type Flag = Switch | Value<unknown> | List;

/** By what each means to the use case: what was typed is then what the use case is asked for. */
export type Flags = Readonly<Record<string, Flag>>;

/** Null: not typed. */
export type Typed<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Value<infer T>
    ? T | null
    : F[K] extends List
      ? readonly string[] | null
      : boolean;
};

export function aSwitch(name: string, help: string): Switch {
  return { kind: "switch", name, help };
}

export function list(name: string, placeholder: string, help: string): List {
  return { kind: "list", name, placeholder, help };
}

export function text(name: string, placeholder: string, help: string): Value<string> {
  return { kind: "value", name, placeholder, help, read: (typed) => typed };
}

export function oneOf<const T extends string>(
  name: string,
  help: string,
  { of: allowed, placeholder }: { of: readonly T[]; placeholder: string },
): Value<T> {
  const read = (typed: string): T => {
    const found = allowed.find((candidate) => candidate === typed);
    if (found !== undefined) return found;
    throw new UserError(`--${name} ${typed}: expected one of ${allowed.join(", ")}`);
  };
  return { kind: "value", name, placeholder, help, read };
}

interface Range {
  least: number;
  most: number;
  whole?: true;
}

export function number(name: string, help: string, { least, most, whole }: Range): Value<number> {
  const read = (typed: string): number => {
    const value = /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
    const isWhole = whole !== true || /^\d+$/.test(typed);
    if (isWhole && value >= least && value <= most) return value;
    const kind = whole === true ? "a whole number" : "a number";
    throw new UserError(`--${name} ${typed}: expected ${kind} from ${least} to ${most}`);
  };
  return { kind: "value", name, placeholder: "<number>", help, read };
}

/** Several of them, with commas between. */
export function listOf<T>(one: Value<T>): Value<T[]> {
  const read = (typed: string): T[] => typed.split(",").map((word) => one.read(word.trim()));
  return { ...one, placeholder: "<list>", read };
}

export function quantity(
  name: string,
  help: string,
  { kind, least, most }: Range & { kind: Quantity },
): Value<number> {
  const read = (typed: string): number => {
    const { expected, format, parse } = kind;
    const value = parse(typed);
    if (value !== null && value >= least && value <= most) return value;
    throw new UserError(
      `--${name} ${typed}: expected ${expected}, from ${format(least)} to ${format(most)}`,
    );
  };
  const placeholder = kind === DURATION ? "<duration>" : "<percentage>";
  return { kind: "value", name, placeholder, help, read };
}

export function duration(name: string, help: string): Value<number> {
  const read = (typed: string): number => {
    const value = parseDuration(typed);
    if (value !== null && value > 0) return value;
    throw new UserError(`--${name} ${typed}: expected a duration such as 90s or 10m`);
  };
  return { kind: "value", name, placeholder: "<duration>", help, read };
}
