// The Lua program that wrk2 runs for us: it sends the scenario's request, counts answers by status,
// keeps watch over wrk2's own stops, and writes all of it, and all that wrk2 recorded, as numbers
// into a file. parse-report.ts reads that file.
import type { Scenario } from "../../../../core/model/config.ts";

interface Wrk2Files {
  /** Written by the program when the run has ended. */
  report: string;
  /** What each request carries; null: nothing. */
  body: string | null;
}

export function renderWrk2Script(
  {
    request,
    keepAlive,
    rateRps,
    connections,
  }: Pick<Scenario, "request" | "keepAlive" | "rateRps" | "connections">,
  files: Wrk2Files,
): string {
  const periodUs = (1e6 * connections) / rateRps;
  // By this name alone wrk2 knows that there is one.
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name.toLowerCase() === "host" ? "Host" : name,
    value,
  ]);
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
    `local longest_us = ${Math.ceil(periodUs) + LEAST_STOP_US}`,
    WITNESS,
    REPORTER,
  ].join("\n");
}

/** Every byte by its number: what is in it cannot end the string, nor be read as an escape. */
function luaString(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `"${bytes.map((byte) => `\\${String(byte).padStart(3, "0")}`).join("")}"`;
}

/** A shorter wait is a late timer. */
const LEAST_STOP_US = 10_000;

/**
 * Knows of each thread when nothing moved (docs/adr/0009), without knowing connections. Each
 * connection sends and is answered once in its period. So if nothing comes for longer, all of them
 * stood still: by wrk2 itself if no request is under way, since nothing holds it up then; by the
 * service or by the host if the answers come later. What is never answered ends no such wait.
 *
 * `behind_us` is how much of that is not yet made up for, at most: wrk2 sends a backlog at twice the
 * rate, or faster, so it falls as fast as time goes by. A late start is never made up for, as the schedule begins with
 * it.
 *
 * `init` runs just before its thread starts. It ends early in a millisecond, so that the first
 * timer is made and looked at within the same one: otherwise that timer is overdue and wrk2 sleeps
 * for a second.
 *
 * `request` is called before each send, and once before the first thread starts.
 */
const WITNESS = `
local clock = wrk.time_us
local bytes, stop_ended_us
local last_us, backlog_us, late_us = 0, 0, 0
sent, answered, stopped_us, behind_us = 0, 0, 0, 0

local function left(now_us)
  if not stop_ended_us then return 0 end
  return math.max(0, backlog_us - (now_us - stop_ended_us))
end

local function stood(now_us)
  local wait_us = now_us - last_us
  last_us = now_us
  if wait_us <= longest_us then
    wait_us = 0
  else
    backlog_us = left(now_us) + wait_us
    stop_ended_us = now_us
  end
  behind_us = late_us + left(now_us)
  return wait_us
end

function init()
  repeat last_us = clock() until last_us % 1000 < 200
end

function request()
  bytes = bytes or wrk.request()
  if is_trial then
    is_trial = nil
    return bytes
  end
  if sent == answered then
    local wait_us = stood(clock())
    stopped_us = stopped_us + wait_us
    if sent == 0 then late_us, backlog_us = wait_us, 0 end
  end
  sent = sent + 1
  return bytes
end

function response(status)
  answered = answered + 1
  stood(clock())
  local name = "status_" .. status
  _G[name] = (_G[name] or 0) + 1
end
`;

/**
 * Each thread has its own globals, of which a number can be asked by name; tables of wrk2 4.0.0
 * arrive with keys and values swapped. `latency[i]` is the i-th smallest recorded value, found by a
 * walk through the histogram: runs of equal values are skipped by doubling steps.
 */
const REPORTER = `
local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
  if #threads == 1 then thread:set("is_trial", 1) end
end

function done(summary, latency)
  local out = assert(io.open(report, "w"))
  local function line(...) out:write(table.concat({ ... }, " "), "\\n") end
  local function whole(number) return string.format("%.0f", number) end
  line("tailgate-wrk2", 1)
  line("requests", whole(summary.requests))
  for _, name in ipairs({ "sent", "stopped_us", "behind_us" }) do
    local sum = 0
    for _, thread in ipairs(threads) do sum = sum + thread:get(name) end
    line(name, whole(sum))
  end
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
