import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeSession } from "../../test/support/profiles.ts";
import { encodePprof } from "./pprof.ts";

test("go tool pprof opens both profiles and shows what differs", (context) => {
  if (spawnSync("go", ["version"]).status !== 0) context.skip("go not on PATH");
  using folder = mkdtempDisposableSync(join(tmpdir(), "tailgate-pprof-"));
  const { launches } = makeSession({ change: { "@hash @echo http.serve": 100 } });
  const [reference = "", candidate = ""] = (["reference", "candidate"] as const).map((arm) => {
    const file = join(folder.path, `${arm}.pb`);
    writeFileSync(file, encodePprof(launches, arm));
    return file;
  });
  const top = (...args: string[]): string => {
    const argv = ["tool", "pprof", "-top", "-cum", ...args];
    const { status, stdout, stderr } = spawnSync("go", argv, { encoding: "utf8" });
    expect(stderr.replace(/^Main binary.*\n/m, "")).toBe("");
    expect(status).toBe(0);
    return stdout;
  };
  expect(top(candidate)).toMatch(/^Type: cpu$/m);
  expect(top("-sample_index=samples", reference)).toMatch(/^Type: samples$/m);
  const [, flat = ""] =
    /^ *(\S+)ms .* example\.com\/shop\/server\.hash$/m.exec(
      top("-diff_base", reference, "-unit=ms", candidate),
    ) ?? [];
  expect(Number(flat)).toBeGreaterThan(90);
  expect(Number(flat)).toBeLessThan(110);
});
