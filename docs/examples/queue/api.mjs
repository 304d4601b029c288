// Takes jobs and puts them on a list; worker.mjs does them.
import { createServer } from "node:http";
import { openRedis } from "./redis.mjs";

const redis = openRedis(process.env.REDIS_URL);
let jobs = 0;

createServer(async (request, response) => {
  if (request.url === "/healthz") return response.end(await redis("PING"));
  if (request.method !== "POST" || request.url !== "/jobs") return response.writeHead(404).end();
  const job = `job-${++jobs}`;
  await redis("LPUSH", "jobs", job);
  response.writeHead(202, { "content-type": "application/json" });
  response.end(JSON.stringify({ job }));
}).listen(process.env.PORT, "127.0.0.1");
