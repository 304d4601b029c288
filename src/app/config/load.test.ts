import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { FIRST, FULL, NO_GATES, parse } from "../../../test/support/configurations.ts";
import { sharedFolder } from "../../../test/support/files.ts";
import { checkGolden } from "../../../test/support/golden.ts";
import { UserError } from "../../core/base/errors.ts";
import { ConfigError } from "../../core/config/problem.ts";
import { ScenarioSourceSchema } from "../../core/config/source/scenario.ts";
import type { MetricPolicy } from "../../core/model/config.ts";
import { listHypotheses } from "../../core/verdict/hypotheses.ts";
import { sha256Of } from "./body-file.ts";
import { configFromText, loadConfig } from "./load.ts";

/** As JSON, what is asked of a metric on one line. */
const shown = (config: unknown): string =>
  `${JSON.stringify(config, null, 2).replaceAll(/\{\s+"metric"[^{}]*(?:\{[^}]*\}\s*)?\}/g, (one) => one.replaceAll(/\s+/g, " "))}\n`;

describe("what people write", () => {
  test("a first configuration: every default", async () => {
    await checkGolden("config/first.json", shown(parse(FIRST)));
  });

  test("every key", async () => {
    await checkGolden("config/full.json", shown(parse(FULL)));
  });

  test("connections, slice and warm-up follow from the rate", () => {
    const [scenario] = parse(FIRST.replace("2000/s", "50/s")).scenarios;
    expect(scenario).toMatchObject({
      connections: 13,
      slice: { durationMs: 2520, pairs: 3 },
      warmupRequests: 26,
    });
  });

  test("memory is read after the slices, or after as many requests as are wanted", () => {
    expect(parse(FIRST).services[0]?.memory).toBeUndefined();
    const text = FIRST.replace("    ready: /healthz", "    memory: { requests: 9000 }");
    expect(parse(text).services[0]?.memory).toEqual({ requests: 9000 });
  });

  test("environment variables and command arguments stay strings", () => {
    const env = "{ A: 0123, B: 1e3, C: 1_000, D: yes, E: 1.10, F: 0x10, G: 12345678901234567890 }";
    const words = '[./it, 007, 1.10, true, "{port}"]';
    const { services, dependencies } = parse(
      FIRST.replace(/env: .*/, `env: ${env}\n    run: ${words}`)
        .replace(/build: .*/, `build: { command: [make, 010], needs: [db], env: ${env} }`)
        .replace(
          "scenarios:",
          `dependencies: { db: { kind: redis }, it: { kind: program, run: ${words}, env: ${env} } }\nscenarios:`,
        ),
    );
    const texts = { A: "0123", B: "1e3", C: "1_000", D: "yes", E: "1.10", F: "0x10" };
    const asWritten = { ...texts, G: "12345678901234567890" };
    const run = ["./it", "007", "1.10", "true", "{port}"];
    expect(services[0]?.recipe).toMatchObject({
      run,
      env: asWritten,
      build: ["make", "010"],
      buildBeside: { env: asWritten },
    });
    expect(dependencies[1]).toMatchObject({ recipe: { run, env: asWritten } });
  });

  test("what one connection takes is not held against what a process may", () => {
    const floors = parse(FIRST).policy.metrics.map((one) => [one.metric, one.absoluteFloor]);
    expect(floors).toContainEqual(["rss", 65_536]);
    expect(floors).toContainEqual(["rssPerConnection", 64]);
    expect(floors).toContainEqual(["allocPerRequest", 64]);
  });

  test("a margin may be left to the profile, which is not asked here", () => {
    const parsed = parse(
      `${FIRST}    metrics: { p99: { margin: auto 30% } }\n  other: { request: GET /, rate: 9/s, metrics: { p99: { margin: 20% } } }\n  like: { request: GET /, rate: 9/s, metrics: { p99: { level: warn } } }\nmetrics: { p99: { margin: auto } }\n`,
    );
    const marginOf = (metrics: readonly MetricPolicy[]) => {
      const p99 = metrics.find(({ metric }) => metric === "p99");
      return [p99?.margin, p99?.floor, p99?.auto];
    };
    expect(marginOf(parsed.policy.metrics)).toEqual([0.1, 0.05, true]);
    expect(parsed.scenarios.map(({ metrics }) => marginOf(metrics))).toEqual([
      [0.3, 0.05, true],
      [0.2, 0.05, undefined],
      [0.1, 0.05, true],
    ]);
    for (const wrong of ["auto 5", "auto30%", "automatic", "auto 2000%", "auto 0.5%"]) {
      const refused = () => parse(`${FIRST}metrics: { p99: { margin: ${wrong} } }\n`);
      expect(refused, wrong).toThrow(ConfigError);
    }
  });

  test("a tighter margin lowers its floor", () => {
    const { policy } = parse(`${FIRST}metrics: { p99: { margin: 4% } }\n`);
    const p99 = policy.metrics.find(({ metric }) => metric === "p99");
    expect(p99).toMatchObject({ margin: 0.04, floor: 0.02, tolerance: 0.01 });
  });

  test("the slowest answers may be as slow as the p99 may, unless something else is said of them", () => {
    const slow = (text: string) => {
      const { policy, scenarios } = parse(FIRST + text);
      const of = (metrics: typeof policy.metrics) => metrics.find((m) => m.metric === "slow");
      return of(scenarios[0]?.metrics ?? []) ?? of(policy.metrics);
    };
    expect(slow("")).toMatchObject({ level: "gate", margin: 0.4, floor: 0.1 });
    expect(slow("metrics: { p99: { margin: 60%, floor: 50% } }\n")).toMatchObject({
      margin: 0.6,
      floor: 0.5,
    });
    expect(slow("metrics: { p99: { margin: 5% } }\n")).toMatchObject({ margin: 0.4 });
    expect(slow("metrics: { p99: { margin: 60% }, slow: { margin: 30% } }\n")).toMatchObject({
      margin: 0.3,
    });
    expect(slow("    metrics: { p99: { margin: 40% } }\n")).toMatchObject({ margin: 0.4 });
  });

  test("a service has limits of its own, and a variant those of its other", () => {
    const text = FIRST.replace(
      "scenarios:",
      "    metrics: { rss: { margin: 20% } }\n  b: { variantOf: api }\n  c: { variantOf: api, metrics: { rss: { level: info } } }\nscenarios:",
    );
    const margins = listHypotheses(parse(text))
      .filter(({ policy }) => policy.metric === "rss")
      .map(({ service, policy }) => [service, policy.level, policy.margin, policy.floor]);
    expect(margins).toEqual([
      ["api", "gate", 0.2, 0.025],
      ["b", "gate", 0.2, 0.025],
      ["c", "info", 0.05, 0.025],
    ]);
  });

  test("a limit gates unless its level says otherwise, and holds wherever none is nearer", () => {
    const service = "    metrics: { rss: { max: 1GiB }, startup: { level: warn } }\nscenarios:";
    const { policy, services, scenarios } = parse(
      `${FIRST.replace("scenarios:", service)}    metrics: { p99: { max: 1.5s }, p99.pooled: { level: info } }
metrics:
  p99: { max: 20ms }
  p99.pooled: { max: 300us }
  slow: { level: warn, max: 1s }
  rss: { level: warn, max: 200MiB }
  startup: { max: 2s }
  anon: { max: 100MiB }
  threads: { max: 64 }
`,
    );
    const limits = (metrics: typeof policy.metrics = []) =>
      metrics.flatMap(({ metric, estimator, level, max }) =>
        max === undefined ? [] : [[metric, estimator, level, max.value, max.level]],
      );
    expect(limits(policy.metrics)).toEqual([
      ["p99", "typical", "gate", 20_000, "gate"],
      ["p99", "pooled", "warn", 300, "gate"],
      ["slow", "windows", "warn", 1_000_000, "warn"],
      ["rss", "launch", "warn", 200 * 1024 ** 2, "warn"],
      ["anon", "launch", "info", 100 * 1024 ** 2, "gate"],
      ["startup", "launch", expect.any(String), 2000, "gate"],
      ["threads", "launch", "info", 64, "gate"],
    ]);
    expect(limits(scenarios[0]?.metrics)).toEqual([
      ["p99", "typical", "gate", 1_500_000, "gate"],
      ["p99", "pooled", "info", 300, "info"],
      ["slow", "windows", "warn", 1_000_000, "warn"],
    ]);
    expect(limits(services[0]?.metrics)).toEqual([
      ["rss", "launch", "warn", 1024 ** 3, "warn"],
      ["startup", "launch", "warn", 2000, "warn"],
    ]);
  });

  test("a configuration without gated metrics is valid", () => {
    const { policy } = parse(`${FIRST}metrics: ${NO_GATES}\n`);
    expect(policy.metrics.filter(({ level }) => level === "gate")).toEqual([]);
  });
});

describe("files", () => {
  const root = sharedFolder();

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
    expect(schema).toContain("A file with the body, from the repository's root.");
  });

  const many = (key: string, count: number, entry: string): string =>
    `${key}:\n${Array.from({ length: count }, (_, i) => `  n${i}: ${entry}\n`).join("")}`;
  const SERVICE = "{ run: x, ready: / }";
  const SCENARIO = "{ request: GET /, rate: 10/s, connections: 1 }";
  test.each([
    [many("services", 101, SERVICE), "services: 101 services; expected at most 100"],
    [many("dependencies", 101, "{ kind: redis }"), "101 dependencies; expected at most 100"],
    [`waivers: [${"{},".repeat(101)}]`, "waivers: 101 waivers; expected at most 100"],
    [
      many("services", 30, SERVICE) + many("scenarios", 17, SCENARIO),
      "scenarios: 510 scenarios, one for each service that it loads; expected at most 500",
    ],
    [
      many("services", 30, SERVICE) +
        many("scenarios", 500, "{ services: [n1], request: GET /, rate: 10/s }") +
        "  more: { services: [n1, n2], request: GET /, rate: 10/s }\n",
      "scenarios: 502 scenarios, one",
    ],
  ])("more than is multiplied is refused in one error: %#", (text, told) => {
    expect(load(write("many.yml", `version: 1\n${text}`))).toMatch(
      new RegExp(`^many\\.yml:\\d+:1: .*${told}`),
    );
  });

  test("services times scenarios take no time where they are refused", () => {
    const text = `version: 1\n${many("services", 3000, "{ run: x }")}${many("scenarios", 3000, "{}")}`;
    const begunMs = performance.now();
    expect(load(write("product.yml", text))).toBe("product.yml: 2 errors");
    expect(performance.now() - begunMs).toBeLessThan(10_000);
  });

  test.each([
    ["missing", () => join(root, "nowhere.yml"), "there is no such file"],
    ["a folder", () => root, "it is a folder"],
    ["not a file", () => "/dev/zero", "not a regular file"],
    ["not text", () => write("latin1.yml", new Uint8Array([0x61, 0xe9, 0x0a])), "not UTF-8"],
    ["huge", () => write("huge.yml", "#".repeat(256 * 1024 + 1)), "larger than 0.25 MiB"],
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
    const config = configFromText(text, "base:tailgate.yml");
    expect(config.services[0]?.recipe.dir).toBe("gone");
    const here = () => configFromText(text, join(root, "tailgate.yml"), root);
    expect(here).toThrow("tailgate.yml: 7 errors");
  });

  test.each(["tailgate.yml", "services/tailgate.full.yml"])(
    "this repository's own %s is valid",
    (file) => {
      const repository = join(import.meta.dirname, "../../..");
      const config = loadConfig(join(repository, file), repository);
      expect(config.scenarios.map(({ id }) => id)).toContain("axum-api/echo");
    },
  );
});
