// Any other program that a service needs: built from the candidate's commit, started as a service
// is, one for both arms. Its TMPDIR is a folder that goes with it.
import { throwIfStopped, UserError } from "../../../core/base/errors.ts";
import { makeTemporaryFolder } from "../../sys/files.ts";
import { janitor } from "../../sys/janitor.ts";
import { launchService, type ServiceTarget } from "../service/launch.ts";
import { placesAt, type RunningDependency } from "./dependency.ts";
import { type DependencyStart, secondsSince } from "./start.ts";

/** `key`: equal for equal builds. */
export async function startProgram(
  name: string,
  { target, key }: { target: ServiceTarget; key: string },
  start: DependencyStart,
): Promise<RunningDependency> {
  const folder = makeTemporaryFolder();
  const env = { TMPDIR: folder, ...target.recipe.env };
  const own = { ...target, recipe: { ...target.recipe, env } };
  const result = await launchService(own, start);
  if (result.kind === "failed") {
    janitor.removePath(folder);
    throwIfStopped(start.abort);
    const { detail, next } = result;
    throw new UserError(`${name} ${result.text}`, { detail, next });
  }
  const { service } = result;
  start.progress.note(
    `${name}: on port ${service.port}, started in ${secondsSince(start.clock.nowMs() - service.startupMs, start)}`,
  );
  const contents = { candidate: key, reference: key };
  const places = placesAt(service.port, { scheme: "http" });
  return {
    name,
    facts: () => ({ program: "program", contents, settings: {} }),
    pid: service.pid,
    places: () => places,
    reset: async () => {},
    exit: () => service.exit(),
    tail: () => service.tail(),
    stop: async () => {
      await service.stop();
      janitor.removePath(folder);
    },
  };
}
