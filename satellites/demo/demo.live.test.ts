// The demonstration's repository as git and Node have it, and what is left where it cannot go on.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { findFreePort } from "../../src/machine/run/service/free-port.ts";
import { tryFindProgram } from "../../src/machine/sys/find-program.ts";
import { PROGRAMS } from "../../src/machine/sys/programs.ts";
import { makeFolder } from "../../test/support/files.ts";
import { fakeLoad, processesMentioning } from "../../test/support/project.ts";
import { makeRepository } from "./demo.ts";

const CLI = resolve(import.meta.dirname, "../../src/entry/cli.ts");

const gitIn = (folder: string) => (args: readonly string[]) =>
  Promise.resolve(execFileSync("git", args, { cwd: folder, encoding: "utf8" }));

test("both versions of the service answer the same", async () => {
  const folder = makeFolder();
  const git = gitIn(folder);
  await makeRepository(folder, git);
  const answers: string[] = [];
  for (const branch of ["main", "new-prices"]) {
    await git(["checkout", "--quiet", branch]);
    const port = await findFreePort();
    const env = { ...process.env, PORT: String(port) };
    const service = spawn(process.execPath, ["shop.mjs"], { cwd: folder, env, stdio: "ignore" });
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/products?most=20`)).text();
    const asked = async () => await ask().catch(() => "");
    await expect.poll(asked, { timeout: 60_000 }).toMatch(/^\[\{"id":/);
    answers.push(await ask());
    service.kill();
    await once(service, "exit");
  }
  const [before, after] = answers;
  expect(after).toBe(before);
  expect(JSON.parse(before ?? "")).toHaveLength(20);
  expect(await git(["log", "--format=%s", "new-prices"])).toBe(
    "Show a new price at once\nList products by price\n",
  );
});

/** Its own temporary folder, and what it says. */
function demoWith(env: Record<string, string>, words: readonly string[] = []) {
  const [folder, temporary] = [makeFolder(), makeFolder()];
  const child = spawn(process.execPath, [CLI, "demo", ...words], {
    cwd: folder,
    env: { ...process.env, ...env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const left = () => [...readdirSync(folder), ...readdirSync(temporary)];
  return { child, temporary, said: () => said.join(""), left };
}

/** Apart from the demonstration's own folders. */
function fakeTools(): Record<string, string> {
  const root = makeFolder();
  mkdirSync(join(root, ".git"));
  return fakeLoad(root);
}

test.each(["SIGINT", "SIGTERM"] as const)("%s ends it, and nothing is left", async (signal) => {
  const { child, temporary, said, left } = demoWith(fakeTools());
  await expect.poll(said, { timeout: 60_000 }).toContain("round 1, shop");
  child.kill(signal);
  const [code] = await once(child, "close");
  expect(code, said()).toBe(signal === "SIGINT" ? 130 : 143);
  expect(said()).toContain("stopped by a signal: the demo leaves no report");
  expect(left()).toEqual([]);
  expect(processesMentioning(temporary)).toEqual([]);
});

test("a place that cannot be written is told before anything is measured", async () => {
  const { child, said, left } = demoWith(fakeTools(), ["--out", "/proc/tailgate/demo"]);
  const [code] = await once(child, "close");
  expect(code, said()).toBe(2);
  expect(said()).toMatch(/^tailgate: cannot write \/proc\/tailgate/);
  expect(left()).toEqual([]);
});

test("without a load generator it says how to get one, and nothing is left", async () => {
  const tools = fakeTools();
  const bin = makeFolder();
  for (const name of [...PROGRAMS.map((one) => one.name), "sh", "rm", "chmod"]) {
    const found = tryFindProgram(name);
    if (found !== null) symlinkSync(found, join(bin, name));
  }
  const path = [bin, dirname(process.execPath)].join(delimiter);
  const { child, said, left } = demoWith({ ...tools, PATH: path, CARGO_HOME: bin });
  const [code] = await once(child, "close");
  expect(code, said()).toBe(2);
  expect(said()).toContain("the load generator oha is not there");
  expect(said()).toContain("https://rustup.rs");
  expect(left()).toEqual([]);
});
