import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkGolden } from "../../../test/support/golden.ts";
import { configFromText } from "../config/load.ts";
import { initConfiguration, proposeConfiguration } from "./init.ts";
import { parseCargoManifest, parseGoModule, parsePackageManifest } from "./parse-manifest.ts";

const folder = mkdtempSync(join(tmpdir(), "tailgate-init-"));
let trees = 0;
afterAll(() => rmSync(folder, { recursive: true }));

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = join(folder, String(trees++));
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const MAIN_GO = "package main\n\nfunc main() {}\n";
const CRATE = (name: string) => `[package]\nname = "${name}"\nversion = "0.1.0"\n`;

const TREES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rust: { "Cargo.toml": CRATE("orders-api"), "Cargo.lock": "", "src/main.rs": "" },
  "rust-workspace": {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "crates/core/Cargo.toml": CRATE("core"),
    "crates/core/src/lib.rs": "",
    "crates/gateway/Cargo.toml": `${CRATE("gateway")}[[bin]]\nname = "migrate"\n[[bin]]\nname = "gatewayd-server"\n`,
    "crates/worker/Cargo.toml": CRATE("worker"),
    "crates/worker/src/main.rs": "",
  },
  go: { "go.mod": "module example.com/team/shop/v2\n", "main.go": MAIN_GO },
  "go-commands": {
    "go.mod": "module example.com/shop\n",
    "shop.go": "package shop\n",
    "cmd/import/main.go": MAIN_GO,
    "cmd/shop-server/main.go": MAIN_GO,
    "cmd/notes/README.md": "",
  },
  both: {
    "services/users/Cargo.toml": CRATE("users"),
    "services/users/src/main.rs": "",
    "services/search/go.mod": "module search\n",
    "services/search/main.go": MAIN_GO,
    "services/web/package.json": '{"scripts":{"start":"vite"}}',
    "vendor/other/go.mod": "module other\n",
    "vendor/other/main.go": MAIN_GO,
  },
  many: Object.fromEntries(
    ["a", "b", "c", "d", "e"].flatMap((name) => [
      [`${name}/go.mod`, "module svc\n"],
      [`${name}/main.go`, MAIN_GO],
    ]),
  ),
  node: {
    "package.json":
      '{"name":"@team/front: end","scripts":{"start":"node --enable-source-maps server.js","build":"tsc"}}',
    "package-lock.json": "{}",
  },
  "node-tool": { "package.json": '{"scripts":{"start":"next start -p $PORT"}}' },
  "node-file": {
    "server.mjs": `import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url !== "/greet") response.statusCode = 404;
  response.end();
}).listen(process.env.PORT, "127.0.0.1");
`,
  },
  "node-packages": {
    "package.json": '{"main":"index.js","dependencies":{"express":"5"}}',
    "package-lock.json": "{}",
    "index.js":
      'const app = require("express")();\napp.get("/users/:id", one);\napp.get("/v1/users", all);\napp.listen(process.argv[2]);\n',
  },
  "python-file": {
    "server.py":
      'HTTPServer(("127.0.0.1", int(os.environ["HTTP_PORT"])), Greeter).serve_forever()\n',
    "test_server.py": "",
  },
  "python-packages": {
    "api/requirements.txt": "flask\n",
    "api/app.py":
      'open("/etc/hosts")\n@app.route("/health")\napp.run(port=int(os.getenv("PORT")))\n',
  },
  "a-script-that-serves-nothing": { "main.py": "print(1)\n", "index.js": "module.exports = 1;\n" },
  nothing: { "README.md": "" },
};

describe("a proposal for each kind of repository", () => {
  test.each(Object.entries(TREES))("%s", async (name, files) => {
    const root = treeOf(files);
    const text = proposeConfiguration(root);
    await checkGolden(`config/init-${name}.yml`, text);
    const config = configFromText(text, { path: join(root, "tailgate.yml"), root });
    expect(config.services.length).toBeGreaterThan(0);
  });
});

test("the file belongs at the repository's root", async () => {
  const root = treeOf({ ".git/HEAD": "", "go.mod": "module x\n", "main.go": MAIN_GO, "a/b/c": "" });
  const made = await initConfiguration({ workingFolder: join(root, "a/b") });
  expect(made.path).toBe(join(root, "tailgate.yml"));
  expect(made.text).toContain("go build");
});

describe("manifests", () => {
  const cases: [string, unknown, unknown][] = [
    [
      "a package with binaries",
      parseCargoManifest(`${CRATE("a")}[dependencies]\nname = "no"\n[[ bin ]]\nname = 'b'\n`),
      { package: "a", binaries: ["b"], workspace: false },
    ],
    [
      "a workspace",
      parseCargoManifest('[workspace.package]\nname = "no"\n'),
      { package: null, binaries: [], workspace: true },
    ],
    ["not TOML", parseCargoManifest("name = 1"), { package: null, binaries: [], workspace: false }],
    ["a module", parseGoModule("// x\nmodule example.com/a/b/v3 // y\n"), "b"],
    ["no module", parseGoModule("go 1.26\n"), null],
    [
      "no start script",
      parsePackageManifest('{"scripts":{"build":"x"},"dependencies":{"y":"1"}}'),
      { name: null, start: null, builds: true, needsInstall: true },
    ],
    ["not an object", parsePackageManifest("null"), null],
    ["not JSON", parsePackageManifest("{"), null],
    [
      "a start script",
      parsePackageManifest('{"name":"@a/b","scripts":{"start":"x"}}'),
      { name: "b", start: "x", builds: false, needsInstall: false },
    ],
  ];
  test.each(cases)("%s", (_name, got, expected) => {
    expect(got).toEqual(expected);
  });
});
