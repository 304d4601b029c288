// What `doctor --builds` prints.
import { expect, test } from "vitest";
import { checkGolden } from "../../../test/support/golden.ts";
import type { BuildCause, BuildExamination, BuildTool } from "../model/reproducibility.ts";
import { renderBuilds } from "./builds.ts";
import { adviseOnBuild } from "./words/builds.ts";

const EQUAL: BuildExamination = {
  service: "web",
  tool: "go",
  isEqual: true,
  differences: [],
  sections: [],
};
const UNEQUAL: BuildExamination = {
  service: "api",
  tool: "rust",
  isEqual: false,
  differences: [
    { cause: "commit", seen: ["rev 0123456\u001b[31m", "rev 89abcde"] },
    { cause: "debug-path", seen: ["/build/tailgate-aaaaaa/src", "/build/tailgate-bbbbbb/src"] },
  ],
  sections: [".rodata", ".debug_line"],
};
const IN_PLACE: BuildExamination = { ...EQUAL, service: "site", tool: null };
const plain = { width: 100, color: "never" } as const;

test("what differs, where it was seen and what to write", async () => {
  await checkGolden("doctor/builds.txt", renderBuilds([UNEQUAL, EQUAL, IN_PLACE], plain));
});

test("nothing differs", async () => {
  await checkGolden("doctor/builds-equal.txt", renderBuilds([EQUAL], plain));
});

test("there is advice on every cause, of every tool", () => {
  const tools: BuildTool[] = ["go", "rust", "other"];
  const causes: BuildCause[] = [
    "commit",
    "path",
    "debug-path",
    "time",
    "archive",
    "build-id",
    "unknown",
  ];
  for (const tool of tools) {
    for (const cause of causes) expect(adviseOnBuild(tool, cause)).toMatch(/\.$/);
  }
});
