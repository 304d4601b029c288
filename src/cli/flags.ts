// The flags that a command may have: how each is shown in `--help`, and what its text comes to.
import { UserError } from "../core/base/errors.ts";
import { DURATION, PERCENTAGE, parseDuration, type Quantity } from "../core/config/units.ts";

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
  allowed: readonly T[],
): Value<T> {
  const read = (typed: string): T => {
    const found = allowed.find((candidate) => candidate === typed);
    if (found !== undefined) return found;
    throw new UserError(`--${name} ${typed}: expected one of ${allowed.join(", ")}`);
  };
  return { kind: "value", name, placeholder: `<${allowed.join("|")}>`, help, read };
}

/** Both ends are allowed. */
type Ranged = [name: string, help: string, least: number, most: number];

export const number = (...given: Ranged): Value<number> =>
  numeric("a number", /^\d+(?:\.\d+)?$/, given);

export const count = (...given: Ranged): Value<number> => numeric("a whole number", /^\d+$/, given);

function numeric(what: string, form: RegExp, [name, help, least, most]: Ranged): Value<number> {
  const read = (typed: string): number => {
    const value = form.test(typed) ? Number(typed) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new UserError(`--${name} ${typed}: expected ${what} from ${least} to ${most}`);
  };
  return { kind: "value", name, placeholder: "<number>", help, read };
}

/** Several of them, with commas between. */
export function listOf<T>(one: Value<T>): Value<T[]> {
  const read = (typed: string): T[] => typed.split(",").map((word) => one.read(word.trim()));
  return { ...one, placeholder: "<list>", read };
}

export const span = (...given: Ranged): Value<number> => quantity(DURATION, "duration", given);

export const share = (...given: Ranged): Value<number> => quantity(PERCENTAGE, "percentage", given);

function quantity(
  { expected, format, parse }: Quantity,
  what: string,
  [name, help, least, most]: Ranged,
): Value<number> {
  const read = (typed: string): number => {
    const value = parse(typed);
    if (value !== null && value >= least && value <= most) return value;
    throw new UserError(
      `--${name} ${typed}: expected ${expected}, from ${format(least)} to ${format(most)}`,
    );
  };
  return { kind: "value", name, placeholder: `<${what}>`, help, read };
}

export function duration(name: string, help: string): Value<number> {
  const read = (typed: string): number => {
    const value = parseDuration(typed);
    if (value !== null && value > 0) return value;
    throw new UserError(`--${name} ${typed}: expected a duration such as 90s or 10m`);
  };
  return { kind: "value", name, placeholder: "<duration>", help, read };
}
