// What stops many connections is said by name, and nothing is said where they fit.
import { expect, test } from "vitest";
import { UserError } from "../../core/base/errors.ts";
import { runCommand } from "../sys/process.ts";
import { assertConnectionsFit } from "./connection-limits.ts";

function problem(
  connections: number,
  { limits = "20000 20000 files", range = "32768\t60999" } = {},
): string | null {
  const shown: Record<string, string> = {
    "/proc/self/limits": `Max open files            ${limits}`,
    "/proc/sys/net/ipv4/ip_local_port_range": range,
  };
  try {
    const scenarios = [
      { id: "api/echo", connections: 16 },
      { id: "api/connections", connections },
    ];
    assertConnectionsFit(scenarios, { read: (path) => shown[path] ?? null });
    return null;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${error.message}\n${error.next}`;
  }
}

test("what fits is let through", () => {
  expect(problem(10_000)).toBeNull();
  expect(problem(19_744)).toBeNull();
  expect(problem(28_232, { limits: "unlimited unlimited files" })).toBeNull();
  expect(problem(100_000, { limits: "", range: "" })).toBeNull();
});

test("too few open files", () => {
  const words = problem(19_745);
  expect(words).toContain(
    "api/connections: 19745 connections need 20001 open files, in the service and in the generator, and a process may have 20000 here",
  );
  expect(words).toContain("ulimit -n 20001");
});

test("too few local ports", () => {
  const words = problem(28_233, { limits: "65536 65536 files" });
  expect(words).toContain(
    "api/connections: 28233 connections need as many local ports, and there are 28232 (32768 to 60999)",
  );
  expect(words).toContain("ip_local_port_range");
});

test("children may open as many files as we may, which is all that the hard limit allows", async () => {
  const { stdout } = await runCommand(["sh", "-c", "ulimit -Sn; ulimit -Hn"]);
  const [soft, hard] = stdout.split("\n");
  expect(soft).toBe(hard);
});
