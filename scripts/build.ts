// Bundles src/ into dist/: main.cjs has the program, of which cli.cjs and action.cjs start one side
// each, and licences.txt the licences of what went in.
//
//   --out <folder>   writes there, so that a test can compare a fresh bundle with the committed one
//   --debug          writes to build/debug, with source maps: node --enable-source-maps build/debug/cli.cjs
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type BuildOptions, build, type Plugin } from "esbuild";

const root = dirname(import.meta.dirname);
const { debug, out } = parseArgs({
  options: { debug: { type: "boolean", default: false }, out: { type: "string" } },
}).values;
const outdir = out ?? join(root, debug ? "build/debug" : "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * Each side is loaded when it is started; the application, of which both are a thin skin, is there
 * once.
 */
const PROGRAM = `
export const startCli = async (...given) => (await import("./src/cli/main.ts")).startCli(...given);
export const startAction = async (...given) =>
  (await import("./src/action/start.ts")).startAction(...given);
export { satellites } from "./src/entry/satellites.ts";
`;

/** What a starter loads is in a bundle of its own, so that --version need not parse it. */
const inMain: Plugin = {
  name: "in-main",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./main.cjs", external: true } : undefined,
    );
  },
};

/** Parts of packages that nothing here uses, and that a bundler cannot know to be unused. */
const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // zod's words in 60 languages, a fifth of the bundle: ours are in English.
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/") ? { path: "no-locales", namespace: "leave-out" } : undefined,
    );
    onLoad({ filter: /^no-locales$/, namespace: "leave-out" }, () => ({ contents: "export {}" }));
    // Tokens for cloud providers, for which @actions/core brings an HTTP client of 700 kB; dropped
    // as nobody asks for one.
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
  },
};

const common: BuildOptions = {
  absWorkingDir: root,
  outdir,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node24",
  charset: "utf8",
  legalComments: "none",
  // Names and structure stay, so that a stack trace, a diff and a reader find their way; a
  // formatter brings back the rest.
  minifyWhitespace: !debug,
  sourcemap: debug,
  lineLimit: 160,
  define: { "process.env.TAILGATE_VERSION": JSON.stringify(version) },
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: { cli: "src/entry/cli.ts", action: "src/entry/action.ts" },
  plugins: [inMain],
  banner: { js: "#!/usr/bin/env node" },
});
const { outputs } = (
  await build({
    ...common,
    stdin: { contents: PROGRAM, resolveDir: root, sourcefile: "main.ts", loader: "ts" },
    entryNames: "main",
    plugins: [leaveOut],
    metafile: true,
  })
).metafile;

const packages = new Set<string>();
const inside = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
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
writeFileSync(join(outdir, "licences.txt"), licences.join("\n---\n\n"));
