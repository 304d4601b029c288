// What the keys of tailgate.yml are made of: quantities, texts, lists and mappings, each with the
// words that say what was expected.
import * as z from "zod";
import { DURATION, type Quantity } from "../units.ts";

/** Names become file names, identifiers in reports and parts of artifact names. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * A quantity in words, given on to resolve.ts in base units; `least` and `most` are inclusive and
 * in base units.
 */
export function quantity(
  kind: Quantity,
  range: { least?: number; most?: number; step?: number } = {},
) {
  const { least = 0, most = Number.MAX_SAFE_INTEGER, step } = range;
  const limits =
    most === Number.MAX_SAFE_INTEGER
      ? least > 0
        ? `, at least ${kind.format(least)}`
        : ""
      : `, from ${kind.format(least)} to ${kind.format(most)}`;
  const expected = `${kind.expected}${limits}`;
  return z
    .string({ error: expected })
    .transform((text, context) => {
      const value = kind.parse(text);
      const within = value !== null && value >= least && value <= most;
      if (within && (step === undefined || Number.isInteger(value / step))) return value;
      const grain = within && step !== undefined ? `, in steps of ${kind.format(step)}` : "";
      context.addIssue({ code: "custom", message: expected + grain, input: text });
      return z.NEVER;
    })
    .meta({ pattern: kind.pattern });
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const wholeMs = (least: number, most: number) =>
  quantity(DURATION, { least, most, step: 1 });

export function integer(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function text(what: string) {
  return z.string({ error: what }).min(1, { error: what });
}

export function amount(least: number, most: number) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

/** Keys of `services`, `scenarios` and `mix`. */
const NameSchema = z.string().regex(NAME, {
  error: "a name of letters, digits, dot, dash and underscore that starts with a letter or digit",
});
export const named = <T extends z.ZodType>(entry: T, what: string) =>
  z.record(NameSchema, entry, { error: `a mapping of ${what} by name` });

export const path = (what: string) => text(`${what}, relative, such as services/api`);
export const list = <T extends z.ZodType>(item: T, what: string) =>
  z.array(item, { error: what }).min(1, { error: what });

/** Of an unknown key its message lists the known ones: describeIssue makes words of it. */
export const mapping = <T extends z.ZodRawShape>(what: string, shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join(" ") : what),
  });
export const mappingOf = <T extends z.ZodRawShape>(shape: T) =>
  mapping(`a mapping with ${Object.keys(shape).join(", ")}`, shape);
export const either = <const T extends readonly z.ZodType[]>(what: string, options: T) =>
  z.union(options, { error: what });
/** A key without a value of its own where it is absent; `help` says what holds then. */
export const optional = <T extends z.ZodType>(schema: T, help: string) =>
  schema.optional().describe(help);
/**
 * A key with a default, written as a configuration would write it: what holds and what is said are
 * one. `shown` is for what reads badly as it is written.
 */
export const usual = <T extends z.ZodType>(
  schema: T,
  written: z.input<T>,
  help: string,
  shown = String(written),
) => schema.prefault(written as never).describe(`${help} Default: ${shown}.`);
/** A mapping that may be absent as its keys may: each then has its default. */
export const section = <T extends z.ZodType>(schema: T) => schema.prefault({} as never);

/** A command on one line, or its words. */
export const words = [
  text("a command"),
  list(z.string({ error: "text" }), "a list of words"),
] as const;
export const command = either("a command on one line, or a list of its words", words);

const plain = either("text", [z.string(), z.number(), z.boolean()]).transform(String);
export const textMap = (what: string) =>
  z.record(z.string(), plain, { error: `a mapping of ${what}` });

export const ofPath = (what: string, broken = what) =>
  z.string({ error: what }).regex(/^\/[\x21-\x7e]*$/, { error: broken });
export const urlPath = ofPath(
  "a path such as /healthz",
  "a path that starts with /, in ASCII and without spaces: ü is written %C3%BC",
);
