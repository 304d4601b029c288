// Gives the title of a book, and counts who asked.
import { createServer } from "node:http";
import { openDatabase } from "./postgres.mjs";
import { openRedis } from "./redis.mjs";

const database = openDatabase(process.env.DATABASE_URL);
const counts = openRedis(process.env.COUNTS_URL);

async function give(id, response) {
  const [book] = await database.query(`SELECT title FROM books WHERE id = ${id}`);
  if (book === undefined) return response.writeHead(404).end();
  await counts("HINCRBY", "asked", id, "1");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ title: book[0] }));
}

createServer((request, response) => {
  if (request.url === "/healthz") return response.end("ok");
  const [, id] = /^\/books\/(\d{1,6})$/.exec(request.url) ?? [];
  if (id === undefined) return response.writeHead(404).end();
  give(id, response).catch(() => response.writeHead(500).end());
}).listen(process.env.PORT, "127.0.0.1");
