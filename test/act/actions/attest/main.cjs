const { existsSync, globSync } = require("node:fs");

const input = (name) => process.env[`INPUT_${name.toUpperCase()}`] ?? "";
const subjects = [input("subject-checksums"), input("sbom-path")].filter((path) => path !== "");
const missing = subjects.filter((path) => !existsSync(path));
const pattern = input("subject-path");
if (pattern !== "" && globSync(pattern).length === 0) missing.push(pattern);
if (missing.length > 0 || (subjects.length === 0 && pattern === "")) {
  console.log(`::error::nothing to attest: ${missing.join(", ")}`);
  process.exit(1);
}
console.log(`attested ${[...subjects, ...(pattern === "" ? [] : globSync(pattern))].join(" ")}`);
