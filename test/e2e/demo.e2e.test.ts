// The demonstration as a visitor meets it: an empty folder, the real oha, and no rule but the defaults.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ReportSchema } from "../../src/core/model/report.ts";
import { findOha } from "../../src/machine/build/oha-tool.ts";
import { cacheFolder } from "../../src/machine/sys/files.ts";
import { makeFolder } from "../support/files.ts";
import { gatedIn, processesMentioning } from "../support/project.ts";

const CLI = resolve(import.meta.dirname, "../../src/entry/cli.ts");
/** Of the time in which a visitor shall have seen a red that is right. */
const MOST_MS = 120_000;
/** What sorting for each request makes worse; which of them is proven first is up to the machine. */
const CAUSED = [
  "shop cpuPer1k",
  "shop rssPeak",
  "shop/cheapest p99 typical",
  "shop/cheapest slow windows",
];

test("from an empty folder to a red that is right, and nothing is left but its reports", async () => {
  const { oha } = await findOha({ cache: cacheFolder(process.env), env: process.env });
  if (oha === null) throw new Error("no oha: node src/entry/cli.ts setup");
  const [folder, temporary, tools] = [makeFolder(), makeFolder(), makeFolder()];
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, "demo"], {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [dirname(oha.path), process.env.PATH].join(delimiter),
      TMPDIR: temporary,
      TAILGATE_CACHE: tools,
      TAILGATE_LOCK: join(tools, "lock"),
    },
  });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^✗ REGRESSED /);
  const page = /^The report\n {2}(.*)$/m.exec(stdout)?.[1] ?? "";
  expect(existsSync(page), stdout).toBe(true);
  const report = ReportSchema.parse(
    JSON.parse(readFileSync(join(dirname(page), "report.v1.json"), "utf8")),
  );
  const red = gatedIn(report, "regressed");
  expect(red.length).toBeGreaterThan(0);
  expect(CAUSED).toEqual(expect.arrayContaining(red));
  expect(report.run.measuredMs).toBeLessThan(MOST_MS);
  expect(stderr).toMatch(/round \d+: \d of 7 questions answered/);
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(temporary)).toEqual([dirname(page).slice(temporary.length + 1)]);
  expect(processesMentioning(temporary)).toEqual([]);
});
