// Asks the databases of npm, Rust, Go and Python whether what the lock files name is known to be vulnerable, leaves out what
// .github/advisories.yml excepts, and fails on the rest. Needs the network, cargo-audit, go and curl. Not part of ./scripts/test: its answer
// changes from one day to the next, and the workflow `advisories` asks each night.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseExceptions, whatIsOpen } from "./advisories/exceptions.ts";
import { QUESTIONS } from "./advisories/questions.ts";
import type { Found } from "./advisories/read.ts";

const ROOT = resolve(import.meta.dirname, "..");
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_CHARS_SHOWN = 100;

const today = new Date().toISOString().slice(0, 10);
const exceptions = parseExceptions(readFileSync(join(ROOT, ".github/advisories.yml"), "utf8"));
const found: Found[] = [];
const unanswered: string[] = [];
for (const { folder, argv, read } of QUESTIONS) {
  const [program, ...args] = argv;
  const cwd = join(ROOT, folder);
  const asked = `${folder}: ${argv.join(" ").slice(0, MOST_CHARS_SHOWN)}`;
  // They end with 1 when they find something: only what they print tells an answer from a failure.
  const { stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: MOST_BYTES,
  });
  try {
    if (error !== undefined) throw error;
    const some = read(JSON.parse(stdout));
    console.log(`${asked}: ${some.length} found`);
    found.push(...some);
  } catch (cause) {
    const said = [String(cause), stdout ?? "", stderr ?? ""].map((text) =>
      text.trim().slice(-2_000),
    );
    unanswered.push(`${asked} gave no answer.\n${said.join("\n")}`);
  }
}

// Without an answer nobody knows whether an exception is still needed.
const open = unanswered.length > 0 ? unanswered : whatIsOpen(found, exceptions, today);
for (const line of open) console.error(line);
process.exitCode = open.length === 0 ? 0 : 1;
