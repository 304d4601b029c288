// A program's bytes → Go's build information in it. The linker puts the list of modules, as
// `go version -m` prints it, between two marks of cmd/go/internal/modload.

const MAGIC = Buffer.from("\xff Go buildinf:", "latin1");
const BEGIN = Buffer.from("3077af0c9274080241e1c107e6d618e6", "hex");
const END = Buffer.from("f932433186182072008242104116d8f2", "hex");

/** The modules that lie in the repository: main, and those replaced by a folder. Null: not of Go. */
export function parseBuildInfo(program: Buffer): string[] | null {
  if (!program.includes(MAGIC)) return null;
  const from = program.indexOf(BEGIN);
  const to = program.indexOf(END, from);
  const list = from === -1 || to === -1 ? "" : program.toString("latin1", from + BEGIN.length, to);
  const own: string[] = [];
  let last = "";
  for (const line of list.split("\n")) {
    const [kind, name = ""] = line.split("\t");
    if (kind === "mod") own.push(name);
    if (kind === "=>" && /^\.{0,2}\//.test(name)) own.push(last);
    last = name;
  }
  return own;
}
