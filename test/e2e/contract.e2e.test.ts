// The services' contract over real sockets: every vector, against both services, in order.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  dependencyUrls,
  NO_DEPENDENCIES,
  SERVICE_NAMES,
  type StartedService,
  startService,
} from "./service.ts";
import { checkVectors, readVectors } from "./vectors.ts";

describe.each(SERVICE_NAMES)("%s", (name) => {
  let service: StartedService;
  beforeAll(async () => {
    service = await startService(name, {});
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  test("answers every vector as the contract says", async () => {
    const vectors = readVectors("vectors");
    expect(vectors.length).toBeGreaterThan(300);
    await checkVectors(name, service.origin, vectors);
  });
});

describe.each(SERVICE_NAMES)("%s with PostgreSQL, Redis and an upstream", (name) => {
  test("answers every vector as the contract says", async (context) => {
    const urls = dependencyUrls();
    if (urls === null) {
      console.warn(`skipped: ${NO_DEPENDENCIES}`);
      return context.skip(NO_DEPENDENCIES);
    }
    const service = await startService(name, urls);
    try {
      const vectors = readVectors("vectors/with-dependencies");
      expect(vectors.length).toBeGreaterThan(50);
      await checkVectors(name, service.origin, vectors);
    } finally {
      await service.stop();
    }
  });
});
