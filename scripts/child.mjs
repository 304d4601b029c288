// Programs that scripts run. Each leads a process group of its own, which ends with us, also when a signal ends us.
import { spawn } from "node:child_process";

const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
const running = new Set();

for (const [signal, code] of Object.entries(SIGNAL_EXIT)) {
  process.on(signal, () => process.exit(code));
}
process.on("exit", () => {
  for (const { pid } of running) if (pid !== undefined) end(pid);
});

/** Whole output, and the exit code: 127 for a program that is not there, 1 for one that a signal or `timeoutMs` ended. */
export function runChild([program, ...args], { onOutput = () => {}, timeoutMs = null, ...where }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...where,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running.add(child);
    const timer = timeoutMs === null ? null : setTimeout(() => end(child.pid), timeoutMs);
    let output = "";
    const done = (code) => {
      running.delete(child);
      clearTimeout(timer);
      resolve({ code, output });
    };
    for (const stream of ["stdout", "stderr"]) {
      child[stream].on("data", (chunk) => {
        output += chunk;
        onOutput(chunk, stream);
      });
    }
    child.on("error", (error) => {
      output += `${error.message}\n`;
      done(127);
    });
    child.on("close", (code) => done(code ?? 1));
  });
}

function end(pid) {
  try {
    process.kill(-pid, "SIGTERM");
  } catch (error) {
    // It has ended, or never began.
    if (error.code !== "ESRCH") throw error;
  }
}
