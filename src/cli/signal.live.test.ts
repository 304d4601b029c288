// A signal ends a command that has nothing to clean up at once, whatever it is busy with.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { constants, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { makeTestRepository } from "../../test/support/build.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { processesMentioning } from "../../test/support/project.ts";
import { makeSamples } from "../../test/support/samples.ts";

const folder = sharedFolder();

/** `judge` of samples that come through a pipe: it is opened once the other side reads. */
async function judging(name: string) {
  const pipe = join(folder, name);
  execFileSync("mkfifo", [pipe]);
  const child = spawn(process.execPath, ["src/entry/cli.ts", "judge", pipe], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close").then(([, signal]) => ({ signal, said }));
  return { pipe, child, ended, file: await open(pipe, "w") };
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "judge ends by %s while it reads",
  async (signal) => {
    const { child, ended, file } = await judging(signal);
    // Read until this side is closed.
    await using _ = file;
    child.kill(signal);
    expect(await ended).toEqual({ signal, said: "" });
  },
);

test("a trial that is interrupted says nothing of what it keeps, and leaves nothing", async () => {
  using repository = makeTestRepository();
  // A name that no service of another test has.
  const file = "serves-until-a-signal.mjs";
  repository.write("package.json", JSON.stringify({ scripts: { start: `node ${file}` } }));
  repository.write(
    file,
    'console.log("up");\nsetInterval(() => {}, 1000);\ncreateServer().listen(process.env.PORT);\nfunction createServer() { return { listen() {} }; }\n',
  );
  repository.commit("first");
  const cli = resolve("src/entry/cli.ts");
  const child = spawn(process.execPath, [cli, "init", "--run"], {
    cwd: repository.path,
    env: { ...process.env, TAILGATE_LOCK: join(folder, "lock"), XDG_CACHE_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => said.push(String(text)));
  const serving = () => processesMentioning(file).length > 0;
  await expect.poll(serving, { timeout: 60_000 }).toBe(true);
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(130);
  expect(said.join("")).toMatch(/SIGINT: stopping\n/);
  expect(said.join("")).not.toMatch(/kept/);
  await expect.poll(serving).toBe(false);
  expect(readdirSync(repository.path).sort()).toEqual([".git", "package.json", file]);
});

test("judge ends by a signal in the middle of 400 rounds", async () => {
  const { pipe, child, ended, file } = await judging("rounds");
  await file.writeFile(JSON.stringify(makeSamples({ rounds: 400, noise: 0.3 })));
  await file.close();
  // Nobody reads it any more, and judging takes most of a second.
  const reader = (): Promise<string> =>
    open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).then(
      (again) => again.close().then(() => "reads"),
      (error: NodeJS.ErrnoException) => error.code ?? "",
    );
  await expect.poll(reader, { interval: 5 }).toBe("ENXIO");
  child.kill("SIGTERM");
  expect(await ended).toEqual({ signal: "SIGTERM", said: "" });
});
