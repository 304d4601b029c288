import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { toolPath } from "./tool-cache.ts";

test("complete folders of the tool cache come after PATH, newest first", () => {
  const cache = makeFolder();
  const add = (version: string, complete: boolean): string => {
    const place = join(cache, "oha", version, process.arch);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "oha"), "");
    if (complete) writeFileSync(`${place}.complete`, "");
    return place;
  };
  const [old, fresh] = [add("1.9.0", true), add("1.16.0", true)];
  add("2.0.0", false);
  const path = "/usr/bin:/bin";
  expect(toolPath({ PATH: path, RUNNER_TOOL_CACHE: cache })).toBe(`${path}:${fresh}:${old}`);
  expect(toolPath({ PATH: path, RUNNER_TOOL_CACHE: join(cache, "none") })).toBe(path);
  expect(toolPath({ PATH: path })).toBe(path);
});
