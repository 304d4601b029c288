// Which slices and windows were calm: by the host alone.
import { expect, test } from "vitest";
import type { Slice, Window } from "../model/samples.ts";
import { calmWindows, describeDisturbance, disturbancesOf } from "./disturbance.ts";
import { emptySlice } from "./slice.ts";

const HOST: Slice["host"] = { steal: 0, foreign: 0, generator: 0.2, service: 0.3, throttled: 0 };

function sliceWith(change: Partial<Slice>): Slice {
  const facts = { arm: "candidate", pair: 0, attempt: 0, startedAtMs: 0, host: HOST } as const;
  return { ...emptySlice({ ...facts, scheduled: 1000 }), ...change };
}

const lag = (p99: number, max: number): Slice["lag"] => ({ p50: 900, p99, max });

function check(change: Partial<Slice>, rules: string[]): void {
  const slice = sliceWith(change);
  const found = disturbancesOf(slice);
  expect(found.map(({ rule }) => rule)).toEqual(rules);
  expect(disturbancesOf({ ...slice, arm: "reference" } as Slice)).toEqual(found);
  const slow = { requests: 960, p50: 9e6, p90: 9e6, p95: 9e6, p99: 9e6, p999: 9e6, max: 9e6 };
  expect(disturbancesOf({ ...slice, latency: slow } as Slice)).toEqual(found);
}

test("a slice is disturbed by a CPU that was taken, a quota, or a generator that was late", () => {
  check({}, []);
  check({ lag: null }, []);
  check({ lag: null, oversleptUs: 20_000 }, []);
  check({ lag: null, oversleptUs: 21_000 }, ["lag"]);
  check({ lag: lag(1900, 4100) }, []);
  check({ lag: lag(4100, 5000) }, ["lag"]);
  check({ lag: lag(1900, 21_000) }, ["lag"]);
  // Of 60 requests the p99 is the largest: one late one is no generator that lags.
  check({ scheduled: 64, dropped: 4, lag: lag(5000, 5000) }, []);
  check({ scheduled: 64, dropped: 4, lag: lag(21_000, 21_000) }, ["lag"]);
  check({ host: { ...HOST, steal: 0.05, foreign: 0.05 } }, []);
  check({ host: { ...HOST, steal: 0.11 } }, ["steal"]);
  check({ host: { ...HOST, foreign: 0.16 } }, ["foreign-cpu"]);
  check({ host: { ...HOST, slowed: 0.02 } }, []);
  check({ host: { ...HOST, slowed: 0.021 } }, ["slow-cpu"]);
  check({ host: { ...HOST, throttled: 1 } }, ["throttled"]);
  // A generator that is short of CPU is the generator's fault.
  check({ host: { ...HOST, generator: 0.9 } }, []);
  check({ lag: lag(9000, 9000), host: { ...HOST, steal: 0.2, foreign: 0.2 } }, [
    "steal",
    "foreign-cpu",
    "lag",
  ]);
});

const windows = (...lags: (number | undefined)[]): Window[] =>
  lags.map((lagMax) => ({
    requests: 100,
    p50: 80,
    p90: 90,
    p95: 95,
    p99: 99,
    ...(lagMax === undefined ? {} : { lagMax }),
  }));

function checkCalm(change: Partial<Slice>, calm: boolean[]): void {
  expect(calmWindows(sliceWith(change))).toEqual(calm);
}

test("a stop spoils the windows it fell on, whatever the whole slice says", () => {
  checkCalm({ lag: lag(5600, 9000), windows: windows(9000, 1000, 4000, 4100) }, [
    false,
    true,
    true,
    false,
  ]);
  checkCalm({ lag: lag(1900, 4100), windows: windows(1000, 4100) }, [true, false]);
});

test("who took the CPU is known for the whole slice alone", () => {
  checkCalm({ host: { ...HOST, foreign: 0.3 }, windows: windows(100, 100) }, [false, false]);
  checkCalm({ host: { ...HOST, throttled: 2 }, windows: windows(100, 100) }, [false, false]);
});

test("when CPUs were slow is known for each window, or of a slice that is not cut", () => {
  const slow = { ...HOST, slowed: 0.2 };
  const told = windows(100, 100, 100).map((one, k) => ({ ...one, slowed: k === 1 ? 0.6 : 0.02 }));
  checkCalm({ host: slow, windows: told }, [true, false, true]);
  checkCalm({ host: slow }, [false]);
});

test("a slice that is not cut is one window, and one of a version before is judged as a whole", () => {
  checkCalm({}, [true]);
  checkCalm({ host: { ...HOST, steal: 0.3 } }, [false]);
  checkCalm({ lag: lag(5000, 9000) }, [false]);
  checkCalm({ lag: lag(900, 3000), windows: windows(undefined, undefined) }, [true, true]);
  checkCalm({ lag: lag(5000, 9000), windows: windows(undefined, undefined) }, [false, false]);
});

test("a disturbance has words", () => {
  const all = disturbancesOf(
    sliceWith({
      lag: lag(9123, 9500),
      host: { ...HOST, steal: 0.2, slowed: 0.16, foreign: 0.1, throttled: 3 },
    }),
  );
  expect(all.map(describeDisturbance)).toEqual([
    // First: it is certain, and the run's own to lift.
    "the control group's CPU quota stopped it 3 times",
    "the hypervisor took the measured CPUs for 20 % of the time, 5 % allowed",
    "the measured CPUs were slow, which cost 16.0 % of the time, 2 % allowed",
    "other processes used the measured CPUs for 10 % of the time, 5 % allowed",
    "the generator released requests up to 9.1 ms late, 4.0 ms allowed",
  ]);
});
