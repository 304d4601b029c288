// What the runner starts: keeps compiled code between starts, and loads the action.
import { enableCompileCache } from "node:module";
import { sayDamaged } from "./say-damaged.ts";

enableCompileCache();
start().catch(sayDamaged);

async function start(): Promise<void> {
  const { startAction } = await import("../action/start.ts");
  const { satellites } = await import("./satellites.ts");
  await startAction(satellites);
}
