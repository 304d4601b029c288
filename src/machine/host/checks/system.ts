// Checks of memory, limits and what else runs on the machine.

import * as proc from "../parse-host.ts";
import { bad, type Checks, good, note, writeTo } from "./check.ts";

const QUIET_PRESSURE_PERCENT = 1;
const BUSY_PRESSURE_PERCENT = 10;
const MIN_OPEN_FILES = 4096;
const MIN_PORTS = 20_000;
const MAX_TIME_WAIT = 1000;
const MIN_BACKLOG = 1024;

/**
 * Programs that wake up on their own and work hard, as /proc/<pid>/comm shows them (15 characters
 * at most).
 */
const DISTURBERS =
  /^(apt|apt-get|dnf|dpkg|fstrim|logrotate|mandb|packagekitd|plocate-build|snapd|unattended-upgr|updatedb|updatedb\.plocat|yum)$/;

export const SYSTEM_CHECKS: Checks = {
  "huge-pages": (files) => {
    const path = "/sys/kernel/mm/transparent_hugepage/enabled";
    const choice = proc.parseChoice(files.read(path) ?? "");
    if (choice === null) return null;
    return choice === "always"
      ? bad(
          "transparent huge pages always: merging pages stalls requests and moves RSS by megabytes",
          writeTo("madvise", path),
        )
      : good(`transparent huge pages ${choice}`);
  },

  ksm: (files) => {
    const path = "/sys/kernel/mm/ksm/run";
    return files.read(path) === "1"
      ? bad("same-page merging runs: it costs CPU and shares pages", writeTo("0", path))
      : null;
  },

  "address-layout": (files) => {
    const value = files.read("/proc/sys/kernel/randomize_va_space");
    if (value === null) return null;
    return value === "2"
      ? good("address layout randomised: each launch draws another one")
      : note(
          `address layout not fully randomised (${value}): a lucky or unlucky layout stays for the whole run`,
          "sudo sysctl kernel.randomize_va_space=2",
        );
  },

  swap: (files) => {
    const text = files.read("/proc/swaps");
    if (text === null) return null;
    const usedKib = proc.parseSwapUsedKib(text);
    if (usedKib === null) return good("no swap");
    const effect = "swapped pages are not in RSS and stall the request that needs them";
    return usedKib > 0
      ? bad(`${Math.ceil(usedKib / 1024)} MiB swapped out: ${effect}`, "sudo swapoff -a")
      : note(`swap is on: ${effect}`, "sudo swapoff -a");
  },

  numa: (files) => {
    const nodes = proc.parseCpuList(files.read("/sys/devices/system/node/online") ?? "").length;
    if (nodes < 2) return null;
    return files.read("/proc/sys/kernel/numa_balancing") === "1"
      ? bad(
          `${nodes} memory nodes with automatic balancing: pages move while being measured`,
          "sudo sysctl kernel.numa_balancing=0",
        )
      : note(
          `${nodes} memory nodes: a service that spans them has slow and fast memory; runner.cpus can keep it on one`,
        );
  },

  pressure: (files) => {
    const kinds = ["cpu", "memory", "io"].flatMap((kind) => {
      const percent = proc.parsePressure(files.read(`/proc/pressure/${kind}`) ?? "");
      return percent === null ? [] : [{ kind, percent }];
    });
    if (kinds.length === 0) return null;
    const busy = kinds.filter(({ percent }) => percent >= QUIET_PRESSURE_PERCENT);
    if (busy.length === 0) return good("nothing waited for CPU, memory or disk");
    const seen = busy.map(({ kind, percent }) => `${kind} ${percent} %`).join(", ");
    const text = `in the last 10 s something waited for ${seen} of the time: other programs are at work`;
    const worst = Math.max(...busy.map(({ percent }) => percent));
    const fix = "top -o %CPU";
    return worst >= BUSY_PRESSURE_PERCENT ? bad(text, fix) : note(text, fix);
  },

  "open-files": (files) => {
    const limit = proc.parseOpenFilesLimit(files.read("/proc/self/limits") ?? "");
    if (limit === null) return null;
    return limit >= MIN_OPEN_FILES
      ? good(`${limit === Number.POSITIVE_INFINITY ? "any number of" : limit} open files allowed`)
      : bad(
          `${limit} open files allowed: a scenario with many connections fails`,
          "ulimit -n 65536",
        );
  },

  ports: (files) => {
    const count = proc.parsePortCount(files.read("/proc/sys/net/ipv4/ip_local_port_range") ?? "");
    const waiting = proc.parseTimeWait(files.read("/proc/net/sockstat") ?? "");
    if (count !== null && count < MIN_PORTS) {
      return note(
        `${count} local ports: without keep-alive they run out at ${Math.floor(count / 60)} requests/s`,
        'sudo sysctl net.ipv4.ip_local_port_range="16384 60999"',
      );
    }
    return waiting !== null && waiting > MAX_TIME_WAIT
      ? note(`${waiting} closed connections still hold their ports: wait a minute`)
      : null;
  },

  backlog: (files) => {
    const value = files.read("/proc/sys/net/core/somaxconn");
    return value === null || Number(value) >= MIN_BACKLOG
      ? null
      : note(
          `${value} connections may wait to be accepted: more at once are delayed by a second`,
          "sudo sysctl net.core.somaxconn=4096",
        );
  },

  programs: (files) => {
    const names = files
      .list("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .map((pid) => files.read(`/proc/${pid}/comm`))
      .filter((name) => name !== null);
    const jobs = names.filter((name) => name === "Runner.Worker").length;
    if (jobs > 1) return bad(`${jobs} GitHub jobs run on this machine: give it one runner`);
    const found = [...new Set(names.filter((name) => DISTURBERS.test(name)))].sort();
    if (found.length > 0) return bad(`${found.join(", ")} running: works hard now and then`);
    return names.includes("irqbalance")
      ? note(
          "irqbalance moves interrupts between CPUs, measured ones included",
          "sudo systemctl stop irqbalance",
        )
      : null;
  },
};
