// A shop that brings its database up to date before it listens.
import { createServer } from "node:http";
import { openDatabase } from "./postgres.mjs";

const MIGRATIONS = [
  "CREATE TABLE products (id int PRIMARY KEY, name text NOT NULL, price int NOT NULL)",
  "INSERT INTO products SELECT n, 'product ' || n, n % 1000 FROM generate_series(1, 20000) AS n",
  "CREATE INDEX products_price ON products (price)",
];

const database = openDatabase(process.env.DATABASE_URL);

async function migrate() {
  await database.query("CREATE TABLE IF NOT EXISTS migrations (id int PRIMARY KEY)");
  const [[done]] = await database.query("SELECT count(*) FROM migrations");
  // As strict migrators are: an older build does not start on what a newer one has migrated.
  if (Number(done) > MIGRATIONS.length) throw new Error("the database is newer than this build");
  for (const [id, sql] of MIGRATIONS.entries()) {
    if (id < Number(done)) continue;
    await database.query(`BEGIN; ${sql}; INSERT INTO migrations VALUES (${id}); COMMIT`);
  }
}

await migrate();
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/healthz") return response.end("ok");
  const price = Number(searchParams.get("price"));
  if (pathname !== "/products" || !Number.isInteger(price)) return response.writeHead(404).end();
  const found = await database.query(`SELECT id, name FROM products WHERE price = ${price}`);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(found));
}).listen(process.env.PORT, "127.0.0.1");
