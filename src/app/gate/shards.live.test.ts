// A run in shards: whatever each leaves out as unchanged, a question is answered at the level at
// which all of them are judged together.
import { expect, test } from "vitest";
import { makeTestRepository } from "../../../test/support/build.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { makeHost } from "../../../test/support/samples.ts";
import type { Config } from "../../core/model/config.ts";
import type { Unchanged } from "../../core/model/samples.ts";
import { gatingCount, sharingOf } from "../../core/verdict/hypotheses.ts";
import { openProject, type Project } from "../project/project.ts";
import { configFor } from "./measure.ts";

const MACHINE = { profile: null, fingerprint: makeHost().fingerprint };

/** Services of 10, 8, 6 and 4 gated questions. */
const CONFIGURATION = `version: 1
services:
  a: { run: [node, server.cjs, "{port}"], ready: /healthz }
  b: { variantOf: a }
  c: { variantOf: a }
  d: { variantOf: a }
scenarios:
  a1: { services: [a], request: GET /1, rate: 500/s }
  a2: { services: [a], request: GET /2, rate: 500/s }
  a3: { services: [a], request: GET /3, rate: 500/s }
  b1: { services: [b], request: GET /1, rate: 500/s }
  b2: { services: [b], request: GET /2, rate: 500/s }
  c1: { services: [c], request: GET /1, rate: 500/s }
  d1: { services: [d], request: GET /1, rate: 500/s, metrics: { p99: { level: info }, slow: { level: info } } }
`;

const gatedOf = (config: Config, unchanged: readonly string[] = []): number =>
  gatingCount(sharingOf({ config, unchanged: unchanged.map(same) }));
const same = (service: string): Unchanged => ({ service, by: "sources", key: "" });

test.each([1, 2, 3, 4, 8])("%d shards, whatever is unchanged", async (of) => {
  using repository = makeTestRepository();
  repository.write("tailgate.yml", CONFIGURATION);
  const environment = makeEnvironment(repository.path);
  const { config: whole } = await openProject({}, environment);
  const shards: Project[] = [];
  for (let index = 1; index <= of; index++) {
    shards.push(await openProject({ shard: { index, of } }, environment));
  }
  // Each would screen by itself.
  expect(shards.map(({ config }) => config.compare)).toEqual(shards.map(() => "base"));
  const names = whole.services.map(({ name }) => name);
  const all = gatedOf(whole);
  expect(all).toBe(37);
  for (let set = 0; set < 2 ** names.length; set++) {
    const unchanged = names.filter((_, i) => (set >> i) % 2 === 1);
    for (const shard of shards) {
      const own = shard.config.services.map(({ name }) => name);
      const left = unchanged.filter((name) => own.includes(name));
      const asked = gatedOf(shard.config, left);
      if (asked === 0) continue;
      const { alpha } = configFor(shard, { unchanged: left.map(same) }, MACHINE).policy;
      const listed = gatedOf(shard.config);
      expect(alpha).toBeCloseTo((shard.config.policy.alpha * asked) / listed, 12);
      // What is answered at this level is answered where all are judged, with fewer questions.
      expect(alpha / asked).toBeCloseTo(whole.policy.alpha / all, 12);
    }
  }
});
