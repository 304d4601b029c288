// A compiler that is replaced between two gates, behind a tool that stays the same.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { bothArms, edit, makeProject, type Project } from "../../../test/support/build-project.ts";
import { buildArtifacts } from "./build.ts";
import { resolveCandidate } from "./source.ts";

interface Gate {
  /** Of candidate and reference. */
  texts: string[];
  cached: boolean[];
}

/** Both arms, the candidate as the working tree is now. */
async function gate(project: Project, build: string[]): Promise<Gate> {
  const candidate = await resolveCandidate(await project.repository.open());
  const jobs = bothArms(project, { build }).map((job) => ({
    ...job,
    ...(job.arm === "candidate" ? { revision: candidate } : {}),
  }));
  const built = await buildArtifacts(jobs, project.ports);
  return {
    texts: built.map(({ path }) => readFileSync(path ?? "", "utf8")),
    cached: built.map(({ facts }) => facts.cached),
  };
}

test("both arms are of one compiler", async () => {
  using project = await makeProject(edit);
  const replaceCompiler = (name: string) => project.cache.write("compiler", name);
  const write = (text: string) => project.repository.write("service/source.txt", text);
  const build = ["sh", "-c", `cat '${join(project.cache.path, "compiler")}' source.txt > artifact`];
  const run = () => gate(project, build);

  replaceCompiler("cc1 ");
  expect(await run()).toEqual({ texts: ["cc1 two", "cc1 one"], cached: [false, false] });
  expect(await run()).toEqual({ texts: ["cc1 two", "cc1 one"], cached: [true, true] });

  replaceCompiler("cc2 ");
  write("three");
  expect(await run()).toEqual({ texts: ["cc2 three", "cc2 one"], cached: [false, false] });
  expect(project.ports.notes).toContain(
    "api: its packages or compilers may be newer than at the last build, so both versions are built now",
  );
  // Each of the two was built before, but not with the other.
  write("two");
  expect(await run()).toEqual({ texts: ["cc2 two", "cc2 one"], cached: [false, false] });
  expect(await run()).toEqual({ texts: ["cc2 two", "cc2 one"], cached: [true, true] });
});

test("a version that stands is not built again where the compiler is known", async () => {
  using project = await makeProject(edit);
  const script =
    '#!/bin/sh\nif [ "$1" = build ]; then cp source.txt artifact; else echo go1.26; fi\n';
  project.cache.write("bin/go", script, { mode: 0o755 });
  const PATH = `${join(project.cache.path, "bin")}${delimiter}${process.env.PATH}`;
  Object.assign(project.ports, { env: { ...process.env, PATH } });
  await gate(project, ["go", "build"]);
  project.repository.write("service/source.txt", "three");
  expect(await gate(project, ["go", "build"])).toEqual({
    texts: ["three", "one"],
    cached: [false, true],
  });
});
