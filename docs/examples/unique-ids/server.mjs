// Takes orders. The database gives each a number of its own.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { openDatabase } from "./postgres.mjs";

const database = openDatabase(process.env.DATABASE_URL);

async function place(request, response) {
  const { item } = JSON.parse(await text(request));
  const quoted = `'${String(item).replaceAll("'", "''")}'`;
  const [[id]] = await database.query(`INSERT INTO orders (item) VALUES (${quoted}) RETURNING id`);
  response.writeHead(201, { "content-type": "application/json" });
  response.end(JSON.stringify({ id }));
}

createServer((request, response) => {
  if (request.url === "/healthz") return response.end("ok");
  if (request.method !== "POST" || request.url !== "/orders") return response.writeHead(404).end();
  place(request, response).catch(() => response.writeHead(500).end());
}).listen(process.env.PORT, "127.0.0.1");
