import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseInterrupts, parseUptime } from "./parse-interrupts.ts";

const RECORDED = readFileSync(
  resolve(import.meta.dirname, "../../../test/fixtures/proc/interrupts.txt"),
  "utf8",
);

test("a recorded table", () => {
  const found = parseInterrupts(RECORDED);
  const of = (id: string) => found.find((interrupt) => interrupt.id === id);
  expect(of("36")).toMatchObject({ device: "virtio1-req.0", movable: true });
  expect(of("36")?.counts.get(1)).toBeGreaterThan(1_000_000);
  expect(of("LOC")).toMatchObject({ movable: false });
  // One figure for all CPUs together.
  expect(of("ERR")?.counts.get(0)).toBe(0);
});

test("CPUs that are not in a row from 0", () => {
  const [only] = parseInterrupts("      CPU2  CPU5\n 9: 1 7 IO-APIC acpi");
  expect([...(only?.counts ?? [])]).toEqual([
    [2, 1],
    [5, 7],
  ]);
});

test("of ARM, a timer of each CPU is no device that could be moved", () => {
  const found = parseInterrupts(`           CPU0       CPU1
 11:     135187     135053     GICv3  27 Level     arch_timer
 27:       4096          0   ITS-MSI 81920 Edge      nvme0q0
 30:         12          0     GICv3  41 Level     uart-pl011
IPI0:     12345      12345       Rescheduling interrupts
`);
  expect(found.filter(({ movable }) => movable).map(({ device }) => device)).toEqual([
    "nvme0q0",
    "uart-pl011",
  ]);
});

test("no text makes it fail", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const { counts } of parseInterrupts(text)) expect(counts.size).toBeGreaterThan(0);
    }),
  );
});

test("uptime", () => {
  expect(parseUptime("12.5 3.0")).toBe(12.5);
  expect(parseUptime("")).toBe(null);
});
