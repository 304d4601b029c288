// Ends one server: its signal, its grace, then SIGKILL. Returns when it is gone.
import type { ChildGroup } from "../../sys/process.ts";

export async function stopChild(
  child: ChildGroup,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  child.signal(signal);
  const killer = setTimeout(() => child.signal("SIGKILL"), graceMs);
  await child.exited;
  clearTimeout(killer);
}
