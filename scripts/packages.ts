// The packages for npm.
//
//   pack <folder of a release of oha> <out>   makes them, from dist/ as it is
//   publish <out>                             publishes them; npm knows where, and by whom
import { dirname, join } from "node:path";
import { RELEASED } from "../satellites/oha/released.ts";
import { packAll } from "./packages/pack.ts";
import { publishAll } from "./packages/publish.ts";

const root = dirname(import.meta.dirname);
const [what, first, second] = process.argv.slice(2);
try {
  if (what === "pack" && first !== undefined && second !== undefined) {
    const sources = { root, dist: join(root, "dist"), oha: first, released: RELEASED };
    for (const { name, version, bytes } of packAll(sources, second))
      console.log(`${name}@${version}: ${bytes.toLocaleString("en")} bytes`);
  } else if (what === "publish" && first !== undefined) {
    await publishAll(first, (line) => console.log(line));
  } else {
    throw new Error("say pack <oha> <out>, or publish <out>");
  }
} catch (error) {
  console.error(`packages: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
