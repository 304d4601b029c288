// Loaded into a gate before it starts (`node --require`): it is FAKE_DAYS days later (or earlier) than it is, and the kernel is FAKE_KERNEL.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { FAKE_DAYS = "0", FAKE_KERNEL = "" } = process.env;
const laterMs = Number(FAKE_DAYS) * 24 * 3600 * 1000;
const { now } = Date;

globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + laterMs] : given));
  }
  static now() {
    return now() + laterMs;
  }
};

const readFileSync = fs.readFileSync;
fs.readFileSync = (path, ...options) =>
  path === "/proc/sys/kernel/osrelease" && FAKE_KERNEL !== ""
    ? `${FAKE_KERNEL}\n`
    : readFileSync(path, ...options);
syncBuiltinESMExports();
