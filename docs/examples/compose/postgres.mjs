// Just enough of PostgreSQL's protocol, so that this example downloads nothing. Yours has a driver.
import { connect } from "node:net";

/** One connection; its queries are answered in order. */
export function openDatabase(url) {
  const { hostname, port, username, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.on("close", () => process.exit(1));
  const waiting = [];
  let unread = Buffer.alloc(0);
  let rows = [];
  let failure = null;

  const ask = (message) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(message);
    });
  const take = (type, body) => {
    if (type === "D") rows.push(columnsOf(body));
    else if (type === "E") failure = new Error(body.toString("utf8").replaceAll("\0", " "));
    else if (type === "Z") {
      const { resolve, reject } = waiting.shift();
      if (failure === null) resolve(rows);
      else reject(failure);
      rows = [];
      failure = null;
    }
  };
  socket.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
      const end = 1 + unread.readInt32BE(1);
      take(String.fromCharCode(unread[0]), unread.subarray(5, end));
      unread = unread.subarray(end);
    }
  });

  const names = ["user", username, "database", pathname.slice(1), "", ""].join("\0");
  const opened = ask(framed(Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(names)])));
  return {
    /** Rows of text. */
    async query(sql) {
      await opened;
      return ask(Buffer.concat([Buffer.from("Q"), framed(Buffer.from(`${sql}\0`))]));
    },
  };
}

function framed(body) {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

function columnsOf(body) {
  const columns = [];
  for (let at = 2; at < body.length; ) {
    const length = body.readInt32BE(at);
    columns.push(length < 0 ? null : body.toString("utf8", at + 4, at + 4 + length));
    at += 4 + Math.max(0, length);
  }
  return columns;
}
