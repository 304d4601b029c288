// Bundles src/cli into dist/ (cli.cjs starts at once, main.cjs has the program) and lists the licences of what went in.
// `--out <folder>` writes elsewhere, so that a test can compare a fresh bundle with the committed one.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outFlag = process.argv.indexOf("--out");
const out = outFlag === -1 ? join(root, "dist") : process.argv[outFlag + 1];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const result = await build({
  absWorkingDir: root,
  entryPoints: { cli: "src/cli/entry.ts", main: "src/cli/main.ts" },
  external: ["./main.cjs"],
  outdir: out,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node24",
  charset: "utf8",
  legalComments: "none",
  define: { "process.env.TAILGATE_VERSION": JSON.stringify(version) },
  metafile: true,
  logLevel: "warning",
});

const entry = join(out, "cli.cjs");
writeFileSync(entry, `#!/usr/bin/env node\n${readFileSync(entry, "utf8")}`);

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
  if (name !== undefined) packages.add(name);
}
const licences = [...packages].sort().map((name) => {
  const folder = join(root, "node_modules", name);
  const facts = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  return `${name} ${facts.version} (${facts.license})\n\n${text}\n`;
});
writeFileSync(join(out, "licences.txt"), licences.join("\n---\n\n"));
