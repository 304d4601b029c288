import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { FIRST, FULL, parse } from "../../test/support/configurations.ts";
import { UserError } from "../base/errors.ts";
import { sha256Of } from "./body-file.ts";
import { configFromText, loadConfig } from "./load.ts";
import { ScenarioSourceSchema } from "./source.ts";

const GOLDEN = join(import.meta.dirname, "../../test/golden/config");

describe("what people write", () => {
  test("a first configuration: every default", async () => {
    const text = `${JSON.stringify(parse(FIRST), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(GOLDEN, "first.json"));
  });

  test("every key", async () => {
    const text = `${JSON.stringify(parse(FULL), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(GOLDEN, "full.json"));
  });

  const rates: [string, number, number][] = [
    ["2000/s", 500, 1000],
    ["100000/s", 250, 50_000],
    ["50/s", 4000, 25],
  ];
  test.each(rates)("slice and warm-up follow from the rate: %s", (rate, durationMs, warmup) => {
    const [scenario] = parse(FIRST.replace("2000/s", rate)).scenarios;
    expect(scenario?.slice).toEqual({ durationMs, pairs: 8 });
    expect(scenario?.warmupRequests).toBe(warmup);
  });

  test("a closer promise brings its floor along", () => {
    const { policy } = parse(`${FIRST}metrics: { p99: { promise: 4% } }\n`);
    const p99 = policy.metrics.find(({ metric }) => metric === "p99");
    expect(p99).toMatchObject({ promise: 0.04, floor: 0.02, tolerance: 0.01 });
  });

  test("advice only: nothing has to gate", () => {
    const levels = "p99: { level: warn }, p99.pooled: { level: warn }, rss: { level: warn }";
    const { policy } = parse(`${FIRST}metrics: { ${levels} }\n`);
    expect(policy.metrics.filter(({ level }) => level === "gate")).toEqual([]);
  });
});

describe("files", () => {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "tailgate-test-"));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const write = (path: string, content: string | Uint8Array): string => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  const load = (path: string): string => {
    try {
      loadConfig(path, root);
      return "accepted";
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error.message;
    }
  };

  test("paths are relative to the root, wherever the file is, and editors say so", () => {
    write("inner/body.txt", "hello é");
    const text = FIRST.replace("GET /hello", "{ path: /, bodyFile: body.txt }");
    const config = loadConfig(write("inner/perf/tailgate.yml", text), join(root, "inner"));
    expect(config.scenarios[0]?.request).toMatchObject({
      method: "POST",
      body: { path: "body.txt", bytes: 8, sha256: sha256Of(Buffer.from("hello é")), repeat: null },
    });
    const schema = JSON.stringify(z.toJSONSchema(ScenarioSourceSchema, { io: "input" }));
    expect(schema).toContain("Relative to the repository's root.");
  });

  test.each([
    ["missing", () => join(root, "nowhere.yml"), "there is no such file"],
    ["a folder", () => root, "it is a folder"],
    ["not a file", () => "/dev/zero", "not a regular file"],
    ["not text", () => write("latin1.yml", new Uint8Array([0x61, 0xe9, 0x0a])), "not UTF-8"],
    ["huge", () => write("huge.yml", "#".repeat(1024 * 1024 + 1)), "larger than 1 MiB"],
  ])("%s", (_name, path, words) => {
    expect(load(path())).toContain(words);
  });

  test("a body file that is a link out of the repository is not followed", () => {
    write("repo/tailgate.yml", FIRST.replace("GET /hello", "{ path: /, bodyFile: link }"));
    symlinkSync("/etc/hostname", join(root, "repo/link"));
    const load = () => loadConfig(join(root, "repo/tailgate.yml"), join(root, "repo"));
    expect(load).toThrow("leads out of the repository");
  });

  test("text of another commit is read without its files", () => {
    const text = FULL.replace("services/api", "gone").replace("body.json", "gone.json");
    const config = configFromText(text, { path: "base:tailgate.yml", root: null });
    expect(config.services[0]?.recipe.dir).toBe("gone");
    const here = () => configFromText(text, { path: join(root, "tailgate.yml"), root });
    expect(here).toThrow("tailgate.yml: 4 errors");
  });

  test.each(["tailgate.yml", "tailgate.full.yml"])("this repository's own %s is valid", (file) => {
    const repository = join(import.meta.dirname, "../..");
    const config = loadConfig(join(repository, file), repository);
    expect(config.scenarios.map(({ id }) => id)).toContain("axum-api/echo");
  });
});
