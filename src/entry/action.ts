// What the runner starts: takes the inputs before anything else, and loads the action.
import { takeInputs } from "../action/runner/take-inputs.ts";
import { sayDamaged } from "./say-damaged.ts";

start().catch(sayDamaged);

async function start(): Promise<void> {
  const inputs = takeInputs();
  const { startAction } = await import("../action/start.ts");
  const { satellites } = await import("./satellites.ts");
  await startAction(satellites, inputs);
}
