// Bundles src/ and satellites/ into dist/:
//
//   cli.cjs, action.cjs   what is started
//   main.cjs              all that the action loads; the others share what is in it
//   commands.cjs          what only the command line has
//   export.cjs, …         each satellite
//   licences.txt          the licences of what went in
//
//   --out <folder>   writes there, so that a test can compare a fresh bundle with the committed one
//   --debug          writes to build/debug, with source maps: node --enable-source-maps build/debug/cli.cjs
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type BuildOptions, build, type Plugin } from "esbuild";

const root = dirname(import.meta.dirname);
const { debug, out } = parseArgs({
  options: { debug: { type: "boolean", default: false }, out: { type: "string" } },
}).values;
const outdir = out ?? join(root, debug ? "build/debug" : "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The bundle that a file is in which is loaded on its own: that of its satellite, or of its side. */
function bundleOf(path: string): string {
  const satellite = /^satellites\/([^/]+)\//.exec(path)?.[1];
  return satellite ?? (path.startsWith("src/cli/") ? "commands" : "main");
}

/** What `src/entry/` loads is in a bundle of its own; `found` is told what is loaded of each. */
const apart = (found: Map<string, Set<string>>): Plugin => ({
  name: "apart",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      const isByEntry = relative(root, importer).startsWith("src/entry/");
      if (kind !== "dynamic-import" || !isByEntry || pluginData === apart) return undefined;
      const options = { importer, kind, resolveDir, pluginData: apart };
      const target = relative(root, (await resolve(path, options)).path);
      const bundle = bundleOf(target);
      found.set(bundle, (found.get(bundle) ?? new Set()).add(target));
      return { path: `./${bundle}.cjs`, external: true };
    });
  },
});

/** What is in main.cjs is taken from there, so that it is shipped and loaded once. */
const shared = (inMain: ReadonlySet<string>, taken: Set<string>): Plugin => ({
  name: "shared",
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /./ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === shared) return undefined;
      const options = { importer, kind, resolveDir, pluginData: shared };
      const target = relative(root, (await resolve(path, options)).path);
      return inMain.has(target) ? { path: target, namespace: "shared" } : undefined;
    });
    onResolve({ filter: /^\.\/main\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: "shared" }, ({ path }) => {
      taken.add(path);
      return { contents: `module.exports = require("./main.cjs").parts["${path}"]()` };
    });
  },
});

/** Each part is loaded when it is first asked for. */
const mainWith = (parts: Iterable<string>): string => `
export { satellites } from "./src/entry/satellites.ts";
export const startAction = async (...given) =>
  (await import("./src/action/start.ts")).startAction(...given);
export const parts = {
  ${[...parts].map((path) => `"${path}": () => require("./${path}"),`).join("\n")}
};
`;

/** Parts of packages that nothing here uses, and that a bundler cannot know to be unused. */
const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    // Schemas as JSON Schema, which only `npm run generate` asks for.
    onResolve({ filter: /\/(to-json-schema|json-schema-processors)\.js$/ }, ({ importer }) =>
      importer.endsWith("/zod/v4/classic/schemas.js")
        ? { path: "json-schema", namespace: "left-out" }
        : undefined,
    );
    onLoad({ filter: /./, namespace: "left-out" }, () => ({ contents: "module.exports = {}" }));
    // Tokens for cloud providers, for which @actions/core brings an HTTP client of 700 kB; dropped
    // as nobody asks for one.
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
  },
};

/** Returns the files that went in. */
async function bundle(options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    // As require(): import() would read all of a file once more, for the names that it exports.
    supported: { "dynamic-import": false },
    charset: "utf8",
    legalComments: "none",
    // Functions and classes keep their names, for whoever reads a stack trace.
    minify: !debug,
    keepNames: !debug,
    sourcemap: debug,
    // A line break of its own in every 160 characters would add 3 % to each download.
    lineLimit: 1000,
    define: {
      "process.env.TAILGATE_VERSION": JSON.stringify(version),
      "import.meta.dirname": "__dirname",
    },
    logLevel: "warning",
    ...options,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
}

const loaded = new Map<string, Set<string>>();
const plugins = [apart(loaded), leaveOut];
const named = (name: string, contents: string): BuildOptions => ({
  stdin: { contents, resolveDir: root, sourcefile: `${name}.ts`, loader: "ts" },
  entryNames: name,
  plugins,
});

await bundle({
  entryPoints: { cli: "src/entry/cli.ts", action: "src/entry/action.ts" },
  banner: { js: "#!/usr/bin/env node" },
  plugins,
});
const inMain = new Set(await bundle({ ...named("main", mainWith([])), write: false }));
loaded.delete("main");
const taken = new Set<string>();
const inside: string[] = [];
for (const [name, targets] of loaded) {
  const contents = [...targets].map((target) => `export * from "./${target}";`).join("\n");
  const sharing = [shared(inMain, taken), ...plugins];
  inside.push(...(await bundle({ ...named(name, contents), plugins: sharing })));
}
inside.push(...(await bundle(named("main", mainWith([...taken].sort())))));
const packages = new Set(
  inside.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
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
