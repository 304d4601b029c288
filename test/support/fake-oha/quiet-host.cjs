// Loaded into a gate before it starts (`node --require`): shows it a machine on which nothing else runs, whatever runs beside the test.
// The slices of a fake generator say nothing of the host, so the host must not decide whether they count. Every other file of /proc
// is the kernel's: the processes, their memory and their CPU time are real.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const readFileSync = fs.readFileSync;
const TICKS_PER_SECOND = 100;

/**
 * Since boot every CPU has had nothing to do: user, nice, system, idle. Twice as long as it was: a stop between this reading and that of
 * the clock is then no time that others used either.
 */
function idleCpus(text) {
  const ticks = 2 * TICKS_PER_SECOND * (performance.now() / 1000);
  return text.replace(/^cpu(\d+) .*$/gm, `cpu$1 0 0 0 ${ticks} 0 0 0 0 0 0`);
}

/** Children that have ended have used nothing: a fake generator is no measure of how busy a real one is. */
function withoutChildren(text) {
  const [head, tail] = [text.lastIndexOf(")") + 2, /^((?:\S+ ){13})\S+ \S+ /];
  return text.slice(0, head) + text.slice(head).replace(tail, "$10 0 ");
}

const SHOWN = [
  [/^\/proc\/stat$/, idleCpus],
  [new RegExp(`^/proc/${process.pid}/stat$`), withoutChildren],
  [/^\/sys\/fs\/cgroup\/(.*\/)?cpu\.stat$/, () => "nr_throttled 0\n"],
];

fs.readFileSync = (path, ...options) => {
  const read = readFileSync(path, ...options);
  if (typeof read !== "string") return read;
  const shown = SHOWN.find(([pattern]) => pattern.test(path));
  return shown === undefined ? read : shown[1](read);
};
syncBuiltinESMExports();
