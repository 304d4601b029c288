// Texts of /proc as kernels write them, odd names included.
import { expect, test } from "vitest";
import {
  parseCpuTimes,
  parseFields,
  parseListening,
  parseProcStat,
  parseRunMs,
} from "./parse-proc.ts";

const STAT =
  "4242 (odd) name (x)) S 4200 4242 4242 0 -1 4194560 1117 0 0 0 12 34 5 6 20 0 3 0 6000 300000000 1080 18446744073709551615 1 1 0 0 0 0 0 4096 17642 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0";

test("/proc/PID/stat, with a command name that imitates its fields", () => {
  expect(parseProcStat(STAT)).toEqual({
    pid: 4242,
    command: "odd) name (x)",
    state: "S",
    isEnding: false,
    parent: 4200,
    group: 4242,
    cpuMs: 460,
    endedChildrenCpuMs: 110,
    threads: 3,
    startTicks: 6000,
  });
  expect(parseProcStat(STAT.replace("4194560", "4194564"))?.isEnding).toBe(true);
  expect(parseProcStat(STAT.replace(") S ", ") Z "))?.isEnding).toBe(true);
  expect(parseProcStat("")).toBeNull();
  expect(parseProcStat("12 (short) S 1")).toBeNull();
});

test("kB fields become bytes, others stay", () => {
  const fields = parseFields("Name:\tsleep\nRss:      1234 kB\nThreads:\t3\nPss_Anon:  10 kB\n");
  expect([...fields]).toEqual([
    ["Rss", 1234 * 1024],
    ["Threads", 3],
    ["Pss_Anon", 10 * 1024],
  ]);
});

test("/proc/stat: idle with iowait, and steal, of each CPU", () => {
  const times = parseCpuTimes(
    "cpu  1 1 1 1 1 1 1 1 1 1\ncpu0 100 20 30 5000 40 5 6 7 8 9\ncpu11 1 0 0 0 0 0 0 0 0 0\nintr 5\n",
  );
  expect(times.get(0)).toEqual({ idleMs: 50_400, stealMs: 70 });
  expect([...times.keys()]).toEqual([0, 11]);
});

test.each([
  ["1500000 20 3", 1.5],
  ["0 0 0", 0],
  ["", null],
])("the time on a CPU of schedstat %j: %s ms", (text, expected) => {
  expect(parseRunMs(text)).toBe(expected);
});

test("what listens, by inode, with its address as a URL has it", () => {
  const tcp = (address: string, state: string, inode: number): string =>
    `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000000000000000 100 0 0 10 0\n`;
  const text = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n",
    tcp("0100007F:1F90", "0A", 1),
    tcp("00000000:0050", "0A", 2),
    tcp("0100007F:1F90", "01", 3),
    tcp("00000000000000000000000001000000:1F91", "0A", 4),
    tcp("00000000000000000000000000000000:1F92", "0A", 5),
    tcp("B80D01200000000000000000010000FF:1F93", "0A", 6),
  ].join("");
  expect(
    [...parseListening(text)].map(([inode, { host, port }]) => `${inode} ${host}:${port}`),
  ).toEqual([
    "1 127.0.0.1:8080",
    "2 0.0.0.0:80",
    "4 [::1]:8081",
    "5 [::]:8082",
    "6 [2001:db8::ff00:1]:8083",
  ]);
});
