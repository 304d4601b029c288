import { createServer } from "node:http";
import { inUnits } from "../../libs/money/format.mjs";

createServer((request, response) => {
  const [, page, id] = request.url.split("/");
  if (page === "healthz") return response.end("ok");
  if (page !== "prices") return response.writeHead(404).end();
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id, price: inUnits(Number(id) * 99) }));
}).listen(process.env.PORT, "127.0.0.1");
