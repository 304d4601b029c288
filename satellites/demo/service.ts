// The service of the demonstration, before a change and with it. The change is of a kind that passes
// a review: one line moves into the handler, every test stays green, and each request pays for it.

/** Needs Node alone. */
export const SERVICE = `// A shop: GET /products?most=20 lists the 20 cheapest products.
import { createServer } from "node:http";

const products = Array.from({ length: 1500 }, (_, id) => ({
  id,
  name: \`Product \${id}\`,
  cents: (id * 7919) % 10_000,
}));

const byPrice = products.toSorted((a, b) => a.cents - b.cents);

createServer((request, response) => {
  const { searchParams } = new URL(request.url, "http://shop");
  const most = Number(searchParams.get("most") ?? 20);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(byPrice.slice(0, most)));
}).listen(process.env.PORT, "127.0.0.1");
`;

export const SORTED = "const byPrice = products.toSorted((a, b) => a.cents - b.cents);\n";

export const CHANGED_SERVICE = SERVICE.replace(`${SORTED}\n`, "").replace(
  "  response.setHeader",
  `  // Prices change while the shop is open.\n  ${SORTED}  response.setHeader`,
);

/** As a user would write it: all that it leaves out is as everybody's. */
export function configuration(node: string): string {
  return `version: 1
services:
  shop:
    run: ${JSON.stringify([node, "shop.mjs"])}
    env: { PORT: "{port}" }
scenarios:
  cheapest:
    request: GET /products?most=20
    rate: 800/s
`;
}
