// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere,
// groups in GitHub Actions.
import type { Progress } from "../app/progress.ts";
import type { Clock } from "../machine/sys/clock.ts";

/** Between two plain status lines, so that a log of an hour stays readable. */
const PLAIN_STATUS_EVERY_MS = 15_000;

interface LineProgress extends Progress {
  /** Leaves a clean line behind. */
  end(): void;
}

/** Functions that may be handed around on their own. */
export function createLineProgress(
  target: Pick<NodeJS.WriteStream, "write" | "columns" | "isTTY">,
  env: NodeJS.ProcessEnv,
  { nowMs }: Clock,
): LineProgress {
  const style = env.GITHUB_ACTIONS === "true" ? "github" : target.isTTY ? "terminal" : "plain";
  let statusShown = false;
  let groupOpen = false;
  let lastPlainMs = Number.NEGATIVE_INFINITY;

  const clear = (): void => {
    if (statusShown) target.write("\r\u001b[K");
    statusShown = false;
  };
  const end = (): void => {
    clear();
    if (groupOpen) target.write("::endgroup::\n");
    groupOpen = false;
  };
  return {
    end,
    stage(name) {
      end();
      target.write(style === "github" ? `::group::${name}\n` : `${name}\n`);
      groupOpen = style === "github";
    },
    secret(value) {
      if (style !== "github") return;
      clear();
      target.write(`::add-mask::${escapeCommand(value)}\n`);
    },
    note(line) {
      clear();
      target.write(`  ${line}\n`);
    },
    status(line) {
      if (style === "terminal") {
        clear();
        target.write(`  ${line}`.slice(0, Math.max(20, (target.columns ?? 100) - 1)));
        statusShown = true;
        return;
      }
      const now = nowMs();
      if (now - lastPlainMs < PLAIN_STATUS_EVERY_MS) return;
      lastPlainMs = now;
      target.write(`  ${line}\n`);
    },
  };
}

/** Of a command to GitHub's runner, which is one line. */
function escapeCommand(value: string): string {
  return value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
