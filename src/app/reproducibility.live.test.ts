// What keeps real compilers from building equally, found in their real artifacts. Two builds wait
// for another second between them: the cases wait side by side.
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../test/support/build.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { tryFindProgram } from "../machine/sys/find-program.ts";
import { openProject } from "./project/project.ts";
import { examineBuilds } from "./reproducibility.ts";

interface Case {
  files: Record<string, string>;
  build: string;
  artifact: string;
  inputs?: string;
}

async function examined({ files, build, artifact, inputs }: Case) {
  using repository = makeTestRepository();
  using cache = makeTestFolder();
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  const env = "env: { ADDR: '{port}' }";
  const listed = inputs === undefined ? "" : `inputs: ${inputs}, `;
  repository.write(
    "tailgate.yml",
    `version: 1\nservices:\n  api: { dir: api, build: ${build}, ${listed}artifact: ${artifact}, ${env} }\nscenarios:\n  hello: { request: GET /, rate: 100/s }\n`,
  );
  repository.commit("first");
  repository.commit("second");
  const environment = makeEnvironment(repository.path, {
    env: {
      ...process.env,
      GOFLAGS: "",
      RUSTFLAGS: "",
      TAILGATE_LOCK: join(cache.path, "lock"),
    },
    cache: join(cache.path, "cache"),
  });
  const project = await openProject({}, environment);
  const [found] = await examineBuilds(project, environment);
  return found;
}

function needs(program: string, context: TestContext): void {
  if (tryFindProgram(program, process.env.PATH) !== null) return;
  console.warn(`skipped: ${program} not on PATH`);
  context.skip(`${program} not on PATH`);
}

const GO = {
  "api/go.mod": "module example.com/api\n\ngo 1.21\n",
  "api/main.go": 'package main\n\nvar Built string\n\nfunc main() { println("hello", Built) }\n',
};
const PLAIN = "go build -trimpath -buildvcs=false -o api .";
const stamped = (command: string): string =>
  `[sh, -c, 'go build -trimpath -buildvcs=false -ldflags "-X main.Built=$(${command})" -o api .']`;
const GO_CASES: [string, Partial<Case>, string[]][] = [
  ["nothing", { build: PLAIN }, []],
  ["the commit", { build: stamped("git rev-parse HEAD") }, ["commit"]],
  ["the folder", { build: "go build -buildvcs=false -o api ." }, ["path"]],
  ["the time", { build: stamped("date -u +%FT%TZ") }, ["time"]],
  [
    "the commit, which inputs keep out",
    { build: stamped("git rev-parse HEAD || true"), inputs: "[api]" },
    [],
  ],
];
test.concurrent.for(GO_CASES)("Go: %s", async ([, given, causes], context) => {
  needs("go", context);
  const found = await examined({ files: GO, artifact: "api", build: PLAIN, ...given });
  expect(
    found?.differences.map(({ cause }) => cause),
    JSON.stringify(found),
  ).toEqual(causes);
  expect(found).toMatchObject({ service: "api", tool: "go", isEqual: causes.length === 0 });
});

const RUST = {
  "api/Cargo.toml": '[package]\nname = "api"\nversion = "0.1.0"\nedition = "2021"\n',
  "api/Cargo.lock": 'version = 3\n\n[[package]]\nname = "api"\nversion = "0.1.0"\n',
  "api/src/main.rs": 'fn main() { println!("hello"); }\n',
};
const shows = (name: string): Record<string, string> => ({
  "api/src/main.rs": `fn main() { println!("hello {}", env!("${name}")); }\n`,
});
const BUILD_RS = {
  "api/build.rs": `use std::process::Command;
use std::time::SystemTime;

fn main() {
    let head = Command::new("git").args(["rev-parse", "HEAD"]).output().unwrap();
    println!("cargo:rustc-env=COMMIT={}", String::from_utf8(head.stdout).unwrap().trim());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    println!("cargo:rustc-env=BUILT=built at {}", now.as_secs());
}
`,
};
const DEBUG = { "api/Cargo.toml": `${RUST["api/Cargo.toml"]}\n[profile.release]\ndebug = true\n` };
const RUST_CASES: [string, Record<string, string>, string[]][] = [
  ["nothing", {}, []],
  ["the commit", { ...BUILD_RS, ...shows("COMMIT") }, ["commit"]],
  ["the time", { ...BUILD_RS, ...shows("BUILT") }, ["time"]],
  ["the folder", shows("CARGO_MANIFEST_DIR"), ["path"]],
  ["the folder in debug information", DEBUG, ["debug-path"]],
];
test.concurrent.for(RUST_CASES)("Rust: %s", async ([, files, causes], context) => {
  needs("cargo", context);
  const found = await examined({
    files: { ...RUST, ...files },
    build: "cargo build --release --offline",
    artifact: "target/release/api",
  });
  expect(
    found?.differences.map(({ cause }) => cause),
    JSON.stringify(found),
  ).toEqual(causes);
  expect(found).toMatchObject({ service: "api", tool: "rust", isEqual: causes.length === 0 });
});

const REMAPPED = `[sh, -c, 'CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=." exec cargo build --release --offline']`;
test.concurrent("Rust: what is advised takes the folder out of debug information", async (context) => {
  needs("cargo", context);
  const files = { ...RUST, ...DEBUG };
  const found = await examined({ files, build: REMAPPED, artifact: "target/release/api" });
  expect(found, JSON.stringify(found)).toMatchObject({ isEqual: true });
});
