// What the real command says where it cannot do what was asked, and where it has nothing to say.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { makeCommitted } from "../../test/support/build.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { makeReport } from "../../test/support/report.ts";

const MAIN = resolve(import.meta.dirname, "../entry/cli.ts");
const REPORT = join(sharedFolder(), "report.v1.json");
writeFileSync(REPORT, JSON.stringify(makeReport()));

function run(root: string, words: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const CONFIG = `version: 1
services:
  api: { run: "./api {port}" }
scenarios:
  hello: { request: GET /, rate: 1000/s }
`;

test.each([
  { path: "/proc/report.txt", why: "the file system of /proc takes no new files" },
  { path: "/proc/tailgate/report.txt", why: "there is no folder /proc/tailgate" },
])("a page that cannot be written to $path is told with why and what to do", ({ path, why }) => {
  expect(run(makeCommitted({ "a.txt": "" }), ["report", REPORT, "--output", path])).toEqual({
    status: 2,
    stdout: "",
    stderr: `tailgate: cannot write ${path}: ${why}\nName another place, or print it: leave out --output.\n`,
  });
});

test.each([
  [
    "help of a command that there is not",
    ["help", "gat"],
    "unknown command: gat\nDid you mean gate?",
  ],
  [
    "a path that is none",
    ["try", "--ask", "healthz"],
    "--ask healthz: expected a path such as /healthz",
  ],
  ["a history that is not there", ["history"], "Or name it: --history <folder>."],
])("%s is refused", (_, words, says) => {
  const { status, stdout, stderr } = run(makeCommitted({ "tailgate.yml": CONFIG }), words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(says);
});

test("what is refused of a command begins with its name, said once", () => {
  expect(run(".", ["gate", "main"]).stderr).toBe(
    "tailgate gate: unexpected argument: main\nDid you mean --reference main, or --service main? Usage: tailgate gate [flags]\n",
  );
});

test("a configuration of another name is pointed at", () => {
  const { status, stderr } = run(makeCommitted({ "tailgate.yaml": CONFIG }), ["plan"]);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr:
      "tailgate: cannot read tailgate.yml: there is no such file\nThere is a tailgate.yaml: rename it to tailgate.yml, which is looked for.\n",
  });
});

test.each(["version", "-v", "-V", "--version"])("%s says which one it is", (word) => {
  const { status, stdout, stderr } = run(".", [word]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^tailgate \d+\.\d+\.\d+\S*\n$/);
});

test("with --quiet what is left is the result", () => {
  const root = makeCommitted({ "tailgate.yml": `${CONFIG}policy: { looks: [8, 16] }\n` });
  const [loud, quiet] = [run(root, ["plan"]), run(root, ["plan", "-q"])];
  expect(loud.stderr).toContain("`policy.looks` is no longer used");
  expect(quiet).toEqual({ ...loud, stderr: "" });
});

test.each(["help", "--help", "help help", "help --help"])("%s says where to start", (words) => {
  const { status, stdout } = run(".", words.split(" "));
  expect(status).toBe(0);
  const [, first = "", rest = ""] = stdout.split(/Start here\n|Commands\n/);
  expect(first.match(/^ {2}\w+/gm)).toEqual(["  demo", "  init", "  try", "  gate"]);
  expect(rest).not.toMatch(/^ {2}(demo|init|try|gate) /m);
});

test("a cache that cannot be written is told before anything is built", () => {
  const stub = "{ kind: program, build: cp a b, artifact: b, run: '{artifact} {port}' }";
  const text = CONFIG.replace('{port}"', '{port}", needs: [stub]');
  const root = makeCommitted({ "tailgate.yml": `${text}dependencies: { stub: ${stub} }\n`, a: "" });
  const env = { TAILGATE_CACHE: "/proc/tailgate" };
  const { status, stderr } = run(root, ["with", "api", "--", "true"], env);
  expect(status).toBe(2);
  expect(stderr).toContain(
    "tailgate: cannot write /proc/tailgate/build: the file system of /proc takes no new files\nSet TAILGATE_CACHE",
  );
});

test("a missing command after -- is named, and where it was looked for", () => {
  const root = makeCommitted({ "tailgate.yml": CONFIG });
  const { status, stderr } = run(root, ["with", "api", "--", "no-such-program"], {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  });
  expect(status).toBe(2);
  expect(stderr).toContain(
    `tailgate: the command after -- could not be started: there is no no-such-program on PATH\n  searched PATH=${dirname(process.execPath)}:/usr/bin:/bin\n`,
  );
});

test("init says what it wrote and what comes next, and then refuses to write it again", () => {
  const root = makeCommitted({
    "go.mod": "module shop\n",
    "main.go":
      'package main\n\nimport "net/http"\n\nfunc main() {\n\thttp.HandleFunc("/a", a)\n\thttp.ListenAndServe(":8080", nil)\n}\n',
  });
  const path = join(root, "tailgate.yml");
  const { status, stdout, stderr } = run(root, ["init", "--workflow", "hosted"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain(`wrote ${path} and ${join(root, ".github/workflows/tailgate.yml")}: `);
  expect(stdout.match(/^ {2}tailgate \w+/gm)).toEqual([
    "  tailgate try",
    "  tailgate plan",
    "  tailgate gate",
  ]);
  expect(run(root, ["init"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`tailgate: ${path} exists already\n`),
  });
});

test("where init finds nothing it says so and fails, and so does a gate of what it wrote", () => {
  const root = makeCommitted({ "README.md": "nothing yet\n" });
  const path = join(root, "tailgate.yml");
  expect(run(root, ["init"])).toEqual({
    status: 2,
    stdout: `nothing that listens was found: write into ${path} what starts it, then: tailgate try\n`,
    stderr: "",
  });
  expect(readFileSync(path, "utf8")).toContain("Nothing that listens was found.");
  const { status, stdout } = run(root, ["gate"]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});
