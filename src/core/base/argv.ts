// Splits a command written as one line into its words, the way people expect for simple commands.
// There is no shell: what would need one is refused with the way out, never passed on as a literal
// word.

type Command = { ok: true; argv: string[] } | { ok: false; why: string };

/** What a shell would act on when it stands outside quotes. */
const SHELL_CHARACTERS = new Set(["|", "&", ";", "<", ">", "$", "`", "*", "\n"]);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/**
 * Words are separated by spaces; 'single' and "double" quotes keep them together; a backslash keeps
 * the next character.
 */
export function parseCommand(text: string): Command {
  const argv: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === "\\" && quote !== "'") {
      i++;
      if (i === text.length) return { ok: false, why: "it ends with a backslash" };
      word = (word ?? "") + text[i];
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === " " || char === "\t") {
      if (word !== null) argv.push(word);
      word = null;
    } else if (SHELL_CHARACTERS.has(char)) {
      const shown = char === "\n" ? "a line break" : `"${char}"`;
      const why = `${shown} would need a shell: quote it, or write a list: [sh, -c, "…"]`;
      return { ok: false, why };
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) return { ok: false, why: `a quote (${quote}) is not closed` };
  if (word !== null) argv.push(word);
  return checkArgv(argv);
}

/** What holds for a command however it was written. */
export function checkArgv(argv: readonly string[]): Command {
  const program = argv[0];
  if (program === undefined || program === "") return { ok: false, why: "it names no program" };
  if (argv.some((word) => word.includes("\0"))) {
    return { ok: false, why: "it holds a NUL character" };
  }
  if (ASSIGNMENT.test(program)) {
    return { ok: false, why: `"${program}" would be taken for the program: put env before it` };
  }
  return { ok: true, argv: [...argv] };
}
