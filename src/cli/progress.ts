// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere,
// groups in GitHub Actions.
import { createLogProgress, type LineProgress } from "../app/progress.ts";
import { clip } from "../core/text/columns.ts";
import { screenLine } from "../core/text/screen.ts";
import type { Clock } from "../machine/sys/clock.ts";

/** Functions that may be handed around on their own. */
export function createLineProgress(
  target: Pick<NodeJS.WriteStream, "write" | "columns" | "isTTY">,
  env: NodeJS.ProcessEnv,
  clock: Clock,
): LineProgress {
  const isGitHub = env.GITHUB_ACTIONS === "true";
  let statusShown = false;

  const clear = (): void => {
    if (statusShown) target.write("\r\u001b[K");
    statusShown = false;
  };
  const say = (line: string): void => {
    clear();
    target.write(`${line}\n`);
  };
  const sayToGitHub = (line: string): void => {
    if (isGitHub) say(line);
  };
  const lines = createLogProgress(
    {
      log: (line) => say(screenLine(`  ${line}`)),
      startGroup: (name) =>
        say(isGitHub ? `::group::${escapeCommand(screenLine(name))}` : screenLine(name)),
      endGroup: () => sayToGitHub("::endgroup::"),
      hide: (value) => sayToGitHub(`::add-mask::${escapeCommand(value)}`),
    },
    clock,
  );
  if (isGitHub || !target.isTTY) return lines;
  return {
    ...lines,
    end() {
      clear();
      lines.end();
    },
    status(line) {
      clear();
      target.write(clip(screenLine(`  ${line}`), Math.max(20, (target.columns ?? 100) - 1)));
      statusShown = true;
    },
  };
}

/** Of a command to GitHub's runner, which is one line. */
function escapeCommand(value: string): string {
  return value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
