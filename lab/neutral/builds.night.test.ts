// That each edit is a program of its own, formatted as the service's code is: neutral edits with the
// service's tests on top, which a plant may fail. The services are copied for each; cargo's target is
// one. That a program in Rust is another one too, the gate says, which would have nothing to measure.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Edit, editInto, type Service, titleOf } from "../edit.ts";
import { COSTS, costEdit } from "../plants/costs.ts";
import { plantEdit, SOURCE_PLANTS } from "../plants/plants.ts";
import { NEUTRAL_EDITS } from "./edits.ts";

const MINUTES_15 = 900_000;

let target: string;
let root: string;

beforeAll(() => {
  target = mkdtempSync(join(tmpdir(), "tailgate-edits-target-"));
});

afterAll(() => rmSync(target, { recursive: true, force: true }));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tailgate-edits-"));
  cpSync(resolve("services"), join(root, "services"), {
    recursive: true,
    filter: (path) => !["target", "bin", "fuzz"].includes(basename(path)),
  });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** As tailgate.yml builds it. */
const BUILD_GO = "go build -trimpath -buildvcs=false -o bin/gin-api . && sha256sum bin/gin-api";

const CHECKS: Readonly<Record<Service, { build: string[]; test: string }>> = {
  "axum-api": {
    build: ["cargo fmt --check", "cargo check --locked --all-targets"],
    test: "cargo test --locked",
  },
  // gofmt itself ends with 0 whatever it finds.
  "gin-api": {
    build: ['found=$(gofmt -l .); echo "$found"; [ -z "$found" ]', "go vet ./..."],
    test: "go test ./...",
  },
};

/** What they print; throws with it where one fails. */
function run(service: Service, commands: readonly string[]): string {
  const cwd = join(root, "services", service);
  const env = { ...process.env, CARGO_TARGET_DIR: target };
  const options = { cwd, env, stdio: "pipe", encoding: "utf8" } as const;
  return commands.map((command) => execFileSync("sh", ["-c", command], options)).join("");
}

const named = (edits: readonly Edit[]) => edits.map((edit) => [titleOf(edit), edit] as const);
const neutral = (service: Service) => NEUTRAL_EDITS.filter((edit) => edit.service === service);

test("each edit in Go makes other bytes", { timeout: MINUTES_15 }, () => {
  const programs = [run("gin-api", [BUILD_GO])];
  for (const edit of neutral("gin-api")) {
    editInto(root, edit);
    programs.push(run("gin-api", [BUILD_GO]));
  }
  expect(new Set(programs).size).toBe(programs.length);
});

describe.each(["gin-api", "axum-api"] as const)("%s", (service) => {
  const { build, test: tested } = CHECKS[service];

  test.each(named(neutral(service)))("%s builds", { timeout: MINUTES_15 }, (_, edit) => {
    editInto(root, edit);
    expect(() => run(service, build)).not.toThrow();
  });

  // They are of one place each; one after the other would be cargo's linking 24 times.
  test("passes its tests with all neutral edits", { timeout: MINUTES_15 }, () => {
    for (const edit of neutral(service)) editInto(root, edit);
    expect(() => run(service, [tested])).not.toThrow();
  });

  const plants = Object.keys(SOURCE_PLANTS).map((name) => plantEdit(name, service));
  const costs = Object.keys(COSTS).map((name) => costEdit(name, service));
  test.each(named([...plants, ...costs]))("%s builds", { timeout: MINUTES_15 }, (_, edit) => {
    editInto(root, edit);
    expect(() => run(service, build)).not.toThrow();
  });
});
