import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { checkGolden } from "../../../test/support/golden.ts";
import { treeOf } from "../../../test/support/tree.ts";
import type { CapacitySlice } from "../../core/capacity/model.ts";
import { systemClock } from "../../machine/sys/clock.ts";
import { configFromText } from "../config/load.ts";
import { silentProgress } from "../progress.ts";
import { initConfiguration, proposeConfiguration } from "./init.ts";
import type { RateProposal } from "./proposal.ts";
import { readTree } from "./tree.ts";
import { rateFrom } from "./trial/measure-rate.ts";

const FIXTURES = resolve(import.meta.dirname, "../../../test/fixtures/init");
const REPOSITORIES = readdirSync(FIXTURES).sort();

const folder = mkdtempSync(join(tmpdir(), "tailgate-init-"));
afterAll(() => rmSync(folder, { recursive: true }));

const MAIN_GO = "package main\n\nfunc main() {}\n";

const SMALL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: { "README.md": "" },
  "a-script-that-serves-nothing": { "main.py": "print(1)\n", "index.js": "module.exports = 1;\n" },
  "nothing-listens": {
    "go.mod": "module example.com/shop\n",
    "cmd/import/main.go": MAIN_GO,
    "cmd/shop-server/main.go": MAIN_GO,
  },
  many: Object.fromEntries(
    [..."abcdefghijk"].flatMap((name, i) => [
      [`${name}/go.mod`, "module svc\n"],
      [
        `${name}/main.go`,
        'package main\n\nimport "net/http"\n\nfunc main() {\n\thttp.HandleFunc("/a", a)\n\thttp.HandleFunc("/b", b)\n\thttp.HandleFunc("/c", c)\n\thttp.ListenAndServe(":80' +
          (i === 1 ? 80 : 80 + i) +
          '", nil)\n}\n',
      ],
    ]),
  ),
  "node-tool": { "package.json": '{"scripts":{"start":"next start -p $PORT"}}' },
  "odd-names": {
    "package.json":
      '{"name":"@team/front: end","scripts":{"start":"node --enable-source-maps server.js","build":"tsc"}}',
    "package-lock.json": "{}",
  },
};

describe("a proposal for each kind of repository", () => {
  test.each(REPOSITORIES)("%s", async (name) => {
    const root = join(FIXTURES, name);
    const text = proposeConfiguration(readTree(root));
    await checkGolden(`init/${name}.yml`, text);
    const config = configFromText(text, { path: join(root, "tailgate.yml"), root });
    expect(config.services.length).toBeGreaterThan(0);
  });

  test.each(Object.entries(SMALL))("%s", async (name, files) => {
    const text = proposeConfiguration(treeOf(files));
    await checkGolden(`init/small/${name}.yml`, text);
    configFromText(text, { path: "tailgate.yml", root: null });
  });
});

const FILES = REPOSITORIES.flatMap((name) => {
  const tree = readTree(join(FIXTURES, name));
  return tree.paths.map((path) => ({ name, path, text: tree.read(path) }));
});

test("whatever part of the repositories is there, what is proposed is a configuration", () => {
  fc.assert(
    fc.property(fc.subarray(FILES), fc.boolean(), (chosen, together) => {
      const files = chosen.map(({ name, path, text }) => [
        together ? path : `${name}/${path}`,
        text,
      ]);
      const text = proposeConfiguration(treeOf(Object.fromEntries(files)));
      configFromText(text, { path: "tailgate.yml", root: null });
    }),
    { numRuns: 50 },
  );
});

test("so it is of files that are cut off, or hold something else", () => {
  fc.assert(
    fc.property(
      fc.subarray(FILES, { minLength: 1, maxLength: 12 }),
      fc.nat(400),
      fc.string({ unit: "binary", maxLength: 40 }),
      (chosen, at, inserted) => {
        const files = chosen.map(({ name, path, text }) => [
          `${name}/${path}`,
          text.slice(0, at) + inserted + text.slice(at + 5),
        ]);
        const text = proposeConfiguration(treeOf(Object.fromEntries(files)));
        configFromText(text, { path: "tailgate.yml", root: null });
      },
    ),
    { numRuns: 50 },
  );
});

test("the file belongs at the repository's root", async () => {
  const root = join(folder, "root");
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "a/b"), { recursive: true });
  writeFileSync(join(root, "go.mod"), "module x\n");
  writeFileSync(join(root, "main.go"), MAIN_GO);
  const made = await initConfiguration(
    { run: false },
    {
      version: "0",
      workingFolder: join(root, "a/b"),
      env: {},
      cache: folder,
      clock: systemClock,
      progress: silentProgress,
      abort: new AbortController().signal,
    },
  );
  expect(made.path).toBe(join(root, "tailgate.yml"));
  expect(made.text).toContain("go build");
});

test("what lies outside, what is large and what others wrote is not read", () => {
  const root = join(folder, "bounded");
  mkdirSync(join(root, "node_modules/x"), { recursive: true });
  writeFileSync(join(folder, "outside.py"), "HTTPServer(())");
  symlinkSync(join(folder, "outside.py"), join(root, "server.py"));
  symlinkSync(folder, join(root, "up"));
  writeFileSync(join(root, "node_modules/x/server.js"), "createServer().listen(1)");
  writeFileSync(join(root, "app.js"), `createServer().listen(8080)${" ".repeat(300_000)}`);
  writeFileSync(join(root, "with space.js"), "createServer().listen(8080)");
  const tree = readTree(root);
  expect(tree.paths).toEqual(["app.js"]);
  expect(tree.read("app.js")).toBe("");
});

describe("a rate from the slices of a search", () => {
  const check = (slices: string, expected: RateProposal | null): void => {
    const made = slices.split(" ").map((text) => {
      const [rate = "", kind = ""] = text.split(":");
      return { rateRps: Number(rate), verdict: { kind } } as CapacitySlice;
    });
    expect(rateFrom({ slices: made, startRps: 500 })).toEqual(expected);
  };
  const measured = (rps: number, sustainedRps: number): RateProposal => ({
    kind: "measured",
    rps,
    sustainedRps,
  });
  test("the highest that was sustained, by three", () => {
    check("500:sustained 1000:sustained 2000:exceeded 1414:sustained", measured(470, 1400));
  });
  test("less than the first one, where the service was too slow for more", () => {
    check("500:exceeded 250:exceeded 125:sustained", measured(42, 130));
  });
  test("not where only the host was too busy for more", () => {
    check("500:void 250:void 125:sustained", null);
    check("500:void", null);
  });
  test("more than the first one, whatever ended the search", () => {
    check("500:sustained 1000:sustained 2000:void", measured(330, 1000));
  });
});
