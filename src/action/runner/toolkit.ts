// The runner as actions/toolkit speaks to it. The only file that knows @actions/core.
import { existsSync, writeFileSync } from "node:fs";
import * as core from "@actions/core";
import { messageOf } from "../../core/base/errors.ts";
import { screenLine, screenText } from "../../core/text/screen.ts";
import type { Runner } from "./runner.ts";

/** GitHub drops a summary that is larger, and says so nowhere near it. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

const ANNOTATE = { error: core.error, warning: core.warning, notice: core.notice } as const;

export function connectRunner(env: NodeJS.ProcessEnv): Runner {
  const log = (line: string): void => core.info(screenLine(line));
  return {
    output: (name, value) => core.setOutput(name, value),
    annotate: ({ level, title, message }) =>
      ANNOTATE[level](screenText(message), { title: screenLine(title) }),
    summary: (markdown) => {
      const path = env.GITHUB_STEP_SUMMARY;
      if (path === undefined || !existsSync(path)) return;
      try {
        writeFileSync(path, withinBytes(markdown, MAX_SUMMARY_BYTES));
      } catch (error) {
        log(`the summary could not be written: ${messageOf(error)}`);
      }
    },
    log,
    startGroup: (title) => core.startGroup(screenLine(title)),
    endGroup: () => core.endGroup(),
    hide: (secret) => core.setSecret(secret),
  };
}

function withinBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  // A character cut in half would decode to a replacement character of up to three bytes.
  return bytes.length <= maxBytes ? text : bytes.subarray(0, maxBytes - 3).toString("utf8");
}
