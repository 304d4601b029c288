// What the runner starts: keeps compiled code between starts, and loads the action.
import { enableCompileCache } from "node:module";

enableCompileCache();
void start();

async function start(): Promise<void> {
  const { startAction } = await import("../action/start.ts");
  const { satellites } = await import("./satellites.ts");
  await startAction(satellites);
}
