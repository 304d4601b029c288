// What `strace -c -U calls,name` writes → how often each system call was made.

export function parseStrace(text: string): Record<string, number> {
  const rows = text.split("\n").flatMap((line) => {
    const [, calls, name = ""] = /^ *(\d+) +([a-z_]\w*)$/.exec(line) ?? [];
    return calls === undefined || name === "total" ? [] : [[name, Number(calls)] as const];
  });
  return Object.fromEntries(rows);
}
