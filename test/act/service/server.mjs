// The service that the tests under act gate: it announces to a fake oha how long it takes.
import { createServer } from "node:http";

const latencyUs = 1000;

const server = createServer((_request, response) => {
  response.setHeader("x-latency-us", latencyUs).end("hello\n");
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"));
