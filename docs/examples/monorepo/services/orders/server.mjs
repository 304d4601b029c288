import { createServer } from "node:http";
import { inUnits } from "../../libs/money/format.mjs";

createServer((request, response) => {
  const [, page, id] = request.url.split("/");
  if (page === "healthz") return response.end("ok");
  if (page !== "orders") return response.writeHead(404).end();
  const lines = Array.from({ length: 20 }, (_, line) => ({ line, price: inUnits(line * 199) }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id, lines }));
}).listen(process.env.PORT, "127.0.0.1");
