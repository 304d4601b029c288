// The Lua program that wrk2 runs for us: it sends the scenario's request, counts answers by status, and writes all that wrk2
// recorded as numbers into a file. parse-wrk2-report.ts reads that file.
import type { Scenario } from "../../model/config.ts";

export interface Wrk2Files {
  /** Written by the program when the run has ended. */
  report: string;
  /** What each request carries; null: nothing. */
  body: string | null;
}

export function renderWrk2Script(
  { request, keepAlive }: Pick<Scenario, "request" | "keepAlive">,
  files: Wrk2Files,
): string {
  const headers = Object.entries(request.headers);
  if (!keepAlive) headers.push(["Connection", "close"]);
  return [
    `wrk.method = ${luaString(request.method)}`,
    `wrk.path = ${luaString(request.path)}`,
    ...headers.map(([name, value]) => `wrk.headers[${luaString(name)}] = ${luaString(value)}`),
    ...(files.body === null
      ? []
      : [
          `do local f = assert(io.open(${luaString(files.body)}, "rb")); wrk.body = f:read("*a"); f:close() end`,
        ]),
    `local report = ${luaString(files.report)}`,
    REPORTER,
  ].join("\n");
}

/** Every byte by its number: what is in it cannot end the string, nor be read as an escape. */
function luaString(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `"${bytes.map((byte) => `\\${String(byte).padStart(3, "0")}`).join("")}"`;
}

/**
 * Each thread has its own globals, of which a number can be asked by name; tables of wrk2 4.0.0 arrive with keys and values
 * swapped. `latency[i]` is the i-th smallest recorded value, found by a walk through the histogram: runs of equal values are
 * skipped by doubling steps.
 */
const REPORTER = `
local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function response(status)
  local name = "status_" .. status
  _G[name] = (_G[name] or 0) + 1
end

function done(summary, latency)
  local out = assert(io.open(report, "w"))
  local function line(...) out:write(table.concat({ ... }, " "), "\\n") end
  local function whole(number) return string.format("%.0f", number) end
  line("tailgate-wrk2", 1)
  line("duration_us", whole(summary.duration))
  line("requests", whole(summary.requests))
  for _, kind in ipairs({ "connect", "read", "write", "timeout" }) do
    line("error", kind, whole(summary.errors[kind]))
  end
  for status = 100, 999 do
    local count = 0
    for _, thread in ipairs(threads) do count = count + (thread:get("status_" .. status) or 0) end
    if count > 0 then line("status", status, whole(count)) end
  end
  local n, first = #latency, 1
  while first <= n do
    local value, last, step = latency[first], first, 1
    while last + step <= n and latency[last + step] == value do
      last, step = last + step, step * 2
    end
    while step >= 1 do
      if last + step <= n and latency[last + step] == value then last = last + step end
      step = math.floor(step / 2)
    end
    line("value", whole(value), whole(last - first + 1))
    first = last + 1
  end
  line("end", whole(n))
  out:close()
end
`;
