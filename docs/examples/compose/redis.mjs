// Just enough of Redis's protocol, so that this example downloads nothing. Yours has a client.
import { connect } from "node:net";

/** One connection; its commands are answered in order. */
export function openRedis(url) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.on("close", () => process.exit(1));
  const waiting = [];
  let unread = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    unread += chunk;
    for (let reply = parse(unread, 0); reply !== null; reply = parse(unread, 0)) {
      unread = unread.slice(reply.end);
      waiting.shift()(reply.value);
    }
  });
  const command = (...words) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      socket.write(`*${words.length}\r\n${words.map(bulk).join("")}`);
    });
  void command("SELECT", pathname.slice(1) || "0");
  return command;
}

function bulk(word) {
  return `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`;
}

/** Null: the reply is not whole yet. Lengths count bytes: texts here are ASCII. */
function parse(text, at) {
  const line = text.indexOf("\r\n", at);
  if (line === -1) return null;
  const rest = text.slice(at + 1, line);
  let end = line + 2;
  if (text[at] === "$" && rest !== "-1") {
    const start = end;
    end += Number(rest) + 2;
    return text.length < end ? null : { value: text.slice(start, end - 2), end };
  }
  if (text[at] !== "*") return { value: rest === "-1" ? null : rest, end };
  const value = [];
  for (let left = Number(rest); left > 0; left--) {
    const item = parse(text, end);
    if (item === null) return null;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}
