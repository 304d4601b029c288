import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "./argv.ts";

describe("a command on one line", () => {
  const accepted: [string, string[]][] = [
    ["cargo build --release --locked", ["cargo", "build", "--release", "--locked"]],
    ["  go\tbuild  -o bin/api . ", ["go", "build", "-o", "bin/api", "."]],
    ["{artifact} --port {port}", ["{artifact}", "--port", "{port}"]],
    [`sh -c 'a && b'`, ["sh", "-c", "a && b"]],
    [`x "" 'it''s' "a \\"b\\""`, ["x", "", "its", 'a "b"']],
    [String.raw`x a\ b '\n' \$HOME`, ["x", "a b", "\\n", "$HOME"]],
    ["env CGO_ENABLED=0 go build", ["env", "CGO_ENABLED=0", "go", "build"]],
    [`go build -ldflags "-s -w"`, ["go", "build", "-ldflags", "-s -w"]],
  ];
  test.each(accepted)("%s", (text, argv) => {
    expect(parseCommand(text)).toEqual({ ok: true, argv });
  });

  const refused: [string, string][] = [
    ["", "no program"],
    ["   ", "no program"],
    ['""', "no program"],
    ["make && make install", '"&"'],
    ["echo $HOME", '"$"'],
    ["a > b", '">"'],
    ["a\nb", "a line break"],
    ["a 'b", "not closed"],
    ["a \\", "backslash"],
    ["CGO_ENABLED=0 go build", "put env before it"],
    ["a\0b", "NUL"],
  ];
  test.each(refused)("%j is refused: %s", (text, why) => {
    const command = parseCommand(text);
    expect(command.ok ? command.argv : command.why).toContain(why);
  });

  test("words in single quotes come back as they were", () => {
    const words = fc.array(
      fc.string().filter((word) => !/['\0]/.test(word)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(words, (rest) => {
        const argv = ["x", ...rest];
        const text = argv.map((word) => `'${word}'`).join(" ");
        expect(parseCommand(text)).toEqual({ ok: true, argv });
      }),
    );
  });
});
