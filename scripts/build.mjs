// Bundles src/ into dist/: main.cjs has the program, of which cli.cjs and action.cjs start one side each, and licences.txt the
// licences of what went in. `--out <folder>` writes elsewhere, so that a test can compare a fresh bundle with the committed one.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outFlag = process.argv.indexOf("--out");
const out = outFlag === -1 ? join(root, "dist") : process.argv[outFlag + 1];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Each side is loaded when it is started; the application, of which both are a thin skin, is there once. */
const PROGRAM = `
export const startCli = () => import("./src/cli/main.ts");
export const startAction = () => import("./src/action/start.ts");
`;

/** Parts of packages that nothing here uses, and that a bundler cannot know to be unused. */
const leaveOut = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // zod's words in 60 languages, a fifth of the bundle: ours are in English.
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/") ? { path: "no-locales", namespace: "leave-out" } : undefined,
    );
    onLoad({ filter: /^no-locales$/, namespace: "leave-out" }, () => ({ contents: "export {}" }));
    // Tokens for cloud providers, for which @actions/core brings an HTTP client of 700 kB; dropped as nobody asks for one.
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
  },
};

const common = {
  absWorkingDir: root,
  outdir: out,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node24",
  charset: "utf8",
  legalComments: "none",
  // Names and structure stay, so that a stack trace, a diff and a reader find their way; a formatter brings back the rest.
  minifyWhitespace: true,
  lineLimit: 160,
  define: { "process.env.TAILGATE_VERSION": JSON.stringify(version) },
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: { cli: "src/cli/entry.ts", action: "src/action/entry.ts" },
  external: ["./main.cjs"],
  banner: { js: "#!/usr/bin/env node" },
});
const { metafile } = await build({
  ...common,
  stdin: { contents: PROGRAM, resolveDir: root, sourcefile: "main.ts", loader: "ts" },
  entryNames: "main",
  plugins: [leaveOut],
  metafile: true,
});

const packages = new Set();
const inside = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
for (const [input, { bytesInOutput }] of inside) {
  if (bytesInOutput === 0) continue;
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
  if (name !== undefined) packages.add(name);
}
const licences = [...packages].sort().map((name) => {
  const folder = join(root, "node_modules", name);
  const facts = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"].find((one) =>
    existsSync(join(folder, one)),
  );
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${facts.version} (${facts.license})\n\n${text}\n`;
});
writeFileSync(join(out, "licences.txt"), licences.join("\n---\n\n"));
