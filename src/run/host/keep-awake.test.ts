import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkHalting, keepAwake } from "./keep-awake.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

type Device = "file" | "folder" | "none";

function machine({ driver, device }: { driver: boolean; device: Device }): string {
  const root = mkdtempSync(join(tmpdir(), "tailgate-awake-"));
  folders.push(root);
  mkdirSync(join(root, "dev"));
  if (driver)
    mkdirSync(join(root, "sys/devices/system/cpu/cpu0/cpuidle/state0"), { recursive: true });
  const path = join(root, "dev/cpu_dma_latency");
  // As long as a wish: what is written over it shows.
  if (device === "file") writeFileSync(path, "\x01\x02\x03\x04");
  if (device === "folder") mkdirSync(path);
  return root;
}

describe("keepAwake", () => {
  test("asks for no latency at all, in binary", () => {
    const root = machine({ driver: true, device: "file" });
    const awake = keepAwake(root);
    expect([...readFileSync(join(root, "dev/cpu_dma_latency"))]).toEqual([0, 0, 0, 0]);
    if ("why" in awake) throw new Error(awake.why);
    awake.release();
    expect(() => awake.release()).toThrow("EBADF");
  });

  test.each([
    ["no driver acts on it", { driver: false, device: "file" as const }, "no cpuidle driver"],
    ["there is no such device", { driver: true, device: "none" as const }, "a container must"],
    ["it cannot be opened", { driver: true, device: "folder" as const }, "EISDIR"],
  ])("says why where %s", (_, state, why) => {
    expect(keepAwake(machine(state))).toMatchObject({ why: expect.stringContaining(why) });
  });
});

describe("checkHalting", () => {
  test.each([
    ["good", { driver: true, device: "file" as const }, null],
    ["bad", { driver: false, device: "file" as const }, "sudo modprobe cpuidle_haltpoll force=1"],
    ["bad", { driver: true, device: "none" as const }, null],
    ["bad", { driver: true, device: "folder" as const }, 'sudo chown "$USER" /dev/cpu_dma_latency'],
  ])("%s: %o", (level, state, fix) => {
    expect(checkHalting(machine(state))).toMatchObject({ id: "halting", level, fix });
  });
});
