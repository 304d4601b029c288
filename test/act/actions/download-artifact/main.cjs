const { cpSync, existsSync, readdirSync } = require("node:fs");
const { join, matchesGlob, resolve } = require("node:path");

const { INPUT_NAME: name = "", INPUT_PATTERN: pattern = "", INPUT_PATH: path } = process.env;
const stored = join(process.env.TAILGATE_TEST_ARTIFACTS, process.env.GITHUB_RUN_ID);
const target = resolve(process.env.GITHUB_WORKSPACE, path);

const all = existsSync(stored) ? readdirSync(stored) : [];
const wanted = all.filter((each) =>
  name === "" ? matchesGlob(each, pattern || "*") : each === name,
);
if (name !== "" && wanted.length === 0) {
  console.log(`::error::Unable to download artifact(s): Artifact not found for name: ${name}`);
  process.exit(1);
}
for (const each of wanted) {
  const apart = name === "" && process.env["INPUT_MERGE-MULTIPLE"] !== "true";
  cpSync(join(stored, each), apart ? join(target, each) : target, { recursive: true });
  console.log(`artifact ${each} has been copied to ${target}`);
}
