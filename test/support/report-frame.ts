// The parts of a made report that do not depend on what was found: configuration, machine, sources,
// builds.
import type { Config } from "../../src/core/model/config.ts";
import type { Host } from "../../src/core/model/host.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { ArtifactFacts } from "../../src/core/model/samples.ts";
import { END_WORDS } from "../../src/core/report/words/faults.ts";
import {
  makePolicy,
  makeRecipe,
  makeRequest,
  makeScenario,
  makeConfig as usualConfig,
  makeHost as usualHost,
} from "./samples.ts";

export interface Workload {
  id: string;
  service: string;
  name: string;
  /** Median latency. */
  baseUs: number;
}

interface FrameRequest {
  services: readonly string[];
  workloads: readonly Workload[];
  pairs: number;
  alone: boolean;
}

export function makeReportFrame(request: FrameRequest): Omit<Report, "verdict" | "scenarios"> {
  return {
    schema: "tailgate.report.v1",
    tool: "tailgate 0.1.0",
    run: {
      id: "20260214-093012-3f9a",
      startedAt: "2026-02-14T09:30:12.000Z",
      seed: 3_141_592_653,
      compare: request.alone ? "stored" : "base",
      measuredMs: 412_300,
      end: "answered",
      ended: END_WORDS.answered,
      slices: 0,
      voidSlices: 0,
      voidByRule: {},
      disturbedByRule: {},
      loadShare: 0.713,
    },
    sources: {
      candidate: {
        commit: "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293",
        label: "feature/connection-pool",
        dirty: false,
        subject: "Reuse buffers between requests",
      },
      reference: request.alone
        ? null
        : {
            commit: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
            label: "merge base with main",
            dirty: false,
            subject: "Answer 413 to large bodies",
          },
    },
    host: makeHost(),
    cpuSets: { service: [2, 3, 4, 5], generator: [6, 7], disjoint: true },
    config: makeConfig(request),
    artifacts: request.services.flatMap((service) =>
      (request.alone ? (["candidate"] as const) : (["candidate", "reference"] as const)).map(
        (arm) => makeArtifact(service, arm),
      ),
    ),
  };
}

function makeHost(): Host {
  const { fingerprint } = usualHost({
    cpuModel: "AMD EPYC 4244P 6-Core Processor",
    cpus: 12,
    memoryGiB: 62.7,
    kernel: "6.8.0-52-generic",
    microcode: "0xa601209",
    smt: "off",
    generator: "oha 1.10.0",
  });
  return {
    fingerprint,
    allowedCpus: [0, 1, 2, 3, 4, 5, 6, 7],
    cores: [[0], [1], [2], [3], [4], [5], [6], [7]],
    findings: [
      { id: "governor", level: "good", text: "the frequency governor is performance", fix: null },
      {
        id: "turbo",
        level: "note",
        text: "turbo is on: clock speed depends on temperature and on neighbours",
        fix: "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
      },
    ],
  };
}

function makeConfig({ services, workloads, pairs }: FrameRequest): Config {
  const usual = usualConfig();
  const metrics = [
    makePolicy("p99", "typical", "gate", [0.1, 0.05, 10]),
    makePolicy("p99", "pooled", "gate", [0.25, 0.1, 10]),
    makePolicy("p50", "pooled", "info", [0.1, 0.05, 10]),
    makePolicy("p999", "pooled", "info", [0.25, 0.1, 10]),
    makePolicy("rss", "launch", "gate", [0.05, 0.025, 64 * 1024]),
    makePolicy("rssPeak", "launch", "warn", [0.05, 0.025, 64 * 1024]),
    makePolicy("startup", "launch", "info", [0.1, 0.05, 1]),
    makePolicy("cpuPer1k", "launch", "info", [0.1, 0.05, 1]),
  ];
  return {
    ...usual,
    services: services.map((name) => ({
      name,
      scheme: "sliced",
      recipe: makeRecipe({
        dir: `services/${name}`,
        build: ["make"],
        artifact: "bin/service",
        run: ["{artifact}"],
        env: { ADDR: "127.0.0.1:{port}" },
        ready: { kind: "http", path: "/healthz", timeoutMs: 30_000 },
      }),
    })),
    scenarios: workloads.map(({ id, service, name }) =>
      makeScenario({
        ...{ id, service, name, request: makeRequest({ path: "/" }) },
        slice: { durationMs: 500, pairs },
      }),
    ),
    policy: { ...usual.policy, metrics },
    compare: "auto",
    runner: { class: "epyc-4244p", cpus: null },
  };
}

function makeArtifact(service: string, arm: ArtifactFacts["arm"]): ArtifactFacts {
  const isCandidate = arm === "candidate";
  return {
    arm,
    service,
    key: isCandidate ? "c4d1" : "77ab",
    sha256: (isCandidate ? "5b3e9a" : "e01f77").padEnd(64, "4"),
    binaryBytes: isCandidate ? 4_812_344 : 4_790_120,
    strippedBytes: isCandidate ? 3_902_112 : 3_881_008,
    buildMs: isCandidate ? 48_200 : 51_900,
    cached: !isCandidate,
    toolchain: "rustc 1.92.0",
  };
}
