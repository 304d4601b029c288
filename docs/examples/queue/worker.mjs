// Does one job after another, and counts them.
import { createHash } from "node:crypto";
import { openRedis } from "./redis.mjs";

const redis = openRedis(process.env.REDIS_URL);

for (;;) {
  const [, job] = await redis("BRPOP", "jobs", "0");
  const digest = createHash("sha256").update(job).digest("hex");
  await redis("HINCRBY", "done", digest[0], "1");
}
