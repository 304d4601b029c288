// What of a command's help becomes a script, and what is said to a shell that there is none for.
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { renderHelp } from "../../src/cli/help.ts";
import { parseHelp, valuesOf } from "./complete.ts";
import { renderCompletion } from "./completion.ts";

const HELP = `tailgate merge <folder> [flags]

  the verdict on "shards": it's one

Flags
  --config <file>     a file [of yours]
  --format <csv|gha>  in which
  --all               all of them
  -q, --quiet         nothing else

Examples
  tailgate merge shards --all  of all
`;

test.each(["bash", "zsh", "fish"])("the script for %s", (shell) => {
  expect(renderCompletion(shell, { merge: HELP })).toMatchSnapshot();
});

test.each([
  ["csh", "tailgate completion: there is none for csh"],
  ["", "tailgate completion: name a shell"],
  ["constructor", "tailgate completion: there is none for constructor"],
])("%j is refused", (shell, message) => {
  const next = "One of: bash, zsh, fish.";
  expect(() => renderCompletion(shell, {})).toThrow(expect.objectContaining({ message, next }));
});

test.each([
  ["<file>", "files"],
  ["<samples.v1.json>", "files"],
  ["<folder>", "folders"],
  ["<command>", "words"],
  ["record | update", "words"],
  ["<csv|gha>", "words"],
  ["<service>", "unknown"],
  ["", "unknown"],
])("%j stands for %s", (shown, kind) => {
  expect(valuesOf(shown, ["gate", "help"])).toMatchObject({ kind });
});

test.each(Object.entries(COMMANDS))("all of %s is read from its help", (name, command) => {
  const { flags, summary, positionals } = parseHelp(name, renderHelp(name, command));
  expect(summary).toBe(command.summary);
  expect(positionals.replaceAll(/ +/g, " ")).toBe(command.positionals ?? "");
  expect(flags.map((flag) => [flag.name, flag.takes])).toEqual([
    ...Object.values(command.flags).map((flag) => [
      `--${flag.name}`,
      flag.kind === "switch" ? null : flag.placeholder,
    ]),
    ["--quiet", null],
  ]);
});
