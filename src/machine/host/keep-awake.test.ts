import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { checkHalting, keepAwake } from "./keep-awake.ts";

const OWN_DEVICE = 'sudo chown "$USER" /dev/cpu_dma_latency';

type Device = "file" | "folder" | "none";

interface Machine {
  driver: boolean;
  device: Device;
  chrt?: boolean;
}

function machine({ driver, device, chrt = false }: Machine): string {
  const root = makeFolder();
  mkdirSync(join(root, "dev"));
  if (driver)
    mkdirSync(join(root, "sys/devices/system/cpu/cpu0/cpuidle/state0"), { recursive: true });
  const path = join(root, "dev/cpu_dma_latency");
  // As long as a wish: what is written over it shows.
  if (device === "file") writeFileSync(path, "\x01\x02\x03\x04");
  if (device === "folder") mkdirSync(path);
  if (chrt) {
    mkdirSync(join(root, "bin"));
    writeFileSync(join(root, "bin/chrt"), "");
  }
  return root;
}

const WILLING: Machine = { driver: true, device: "file" };

describe("keepAwake", () => {
  test("asks the kernel for no latency at all, in binary, and occupies nothing then", async () => {
    const root = machine({ ...WILLING, chrt: true });
    const awake = await keepAwake([0], { hasQuota: false, root });
    expect(awake).toMatchObject({ kept: true, pids: [] });
    expect([...readFileSync(join(root, "dev/cpu_dma_latency"))]).toEqual([0, 0, 0, 0]);
    if (!("release" in awake)) throw new Error(awake.text);
    awake.release();
    expect(() => awake.release()).toThrow("EBADF");
  });

  test.each([
    ["no chrt", { driver: false, device: "none" }, false],
    ["a quota counts their time", { driver: false, device: "none", chrt: true }, true],
  ] as const)("says why it can do neither: %s", async (why, state, hasQuota) => {
    const finding = await keepAwake([0], { hasQuota, root: machine(state) });
    expect(finding).toMatchObject({ id: "halting", level: "bad" });
    expect(finding).toMatchObject({ text: expect.stringContaining(why) });
  });
});

describe("checkHalting", () => {
  const modprobe = "sudo modprobe cpuidle_haltpoll force=1";

  test.each<[string, Machine, boolean, string | null, string]>([
    ["good", WILLING, false, null, "can be kept"],
    ["good", WILLING, true, null, "can be kept"],
    ["bad", { ...WILLING, driver: false }, false, modprobe, "(no cpuidle driver; nor"],
    ["bad", { ...WILLING, device: "none" }, false, null, "a container must be given it"],
    [
      "bad",
      { ...WILLING, device: "folder" },
      false,
      OWN_DEVICE,
      "EISDIR; nor be occupied: no chrt",
    ],
    ["note", { ...WILLING, driver: false, chrt: true }, false, modprobe, "of the lowest rank"],
    ["bad", { ...WILLING, driver: false, chrt: true }, true, modprobe, "a quota counts"],
  ])("%s: %o, quota: %s", (level, state, hasQuota, fix, text) => {
    const finding = checkHalting({ hasQuota, root: machine(state) });
    expect(finding).toMatchObject({ id: "halting", level, fix });
    expect(finding.text).toContain(text);
  });
});
