// MySQL, which no configuration starts by name, as a program beside a service. Pure.
import type { Language, Schema } from "./proposal.ts";
import { type Line, line, word } from "./yaml-text.ts";

/** Either runs by the same script: the other may be on the machine that gates. */
export const MYSQL_SERVERS = ["mariadbd", "mysqld"];
/** Where Debian keeps servers. */
export const SERVER_FOLDER = "/usr/sbin";

/** Who needs no password, and what both servers are given. */
export const MYSQL_PARTS = { user: "root", password: "", database: "test" };
const { user, database } = MYSQL_PARTS;

/** In the form of the sample; without one, as the language's usual driver reads it. */
export function mysqlUrl(sample: string, language: Language): string {
  const scheme = /^((?:mysql|mariadb)[+\w]*):\/\//.exec(sample)?.[1];
  const query = /\?[\w=&.%+-]+$/.exec(sample)?.[0] ?? "";
  // The server has no certificate.
  const rest = `/${database}${/ssl|tls/i.test(query) ? "" : query}`;
  if (scheme === undefined && language === "go") {
    return `${user}@tcp(127.0.0.1:{mysql.port})${rest}`;
  }
  return `${scheme ?? "mysql"}://${user}@127.0.0.1:{mysql.port}${rest}`;
}

export function mysqlLines(name: string, { dir, files }: Schema, comment: string): Line[] {
  const tables = files.length === 0 ? "" : ` cat ${files.join(" ")};`;
  return [
    line(`  ${name}:`, comment),
    line("    kind: program"),
    ...(dir === "." ? [] : [line(`    dir: ${word(dir)}`)]),
    line("    run:"),
    line("      - sh"),
    line("      - -c"),
    line("      - |"),
    ...[
      // Below the TMPDIR that a program is given. Ubuntu lets its mysqld write to /tmp alone.
      `PATH=$PATH:${SERVER_FOLDER}; data=$(mktemp -d)`,
      `{ echo "CREATE DATABASE IF NOT EXISTS ${database};"; echo "USE ${database};";${tables} } > $data/first.sql`,
      "set -- --no-defaults --user=$(id -un) --datadir=$data/files",
      "if command -v mariadbd",
      "then server=mariadbd; mariadb-install-db $@ --auth-root-authentication-method=normal",
      "else server=mysqld; mysqld $@ --initialize-insecure --loose-mysqlx=OFF",
      "fi &&",
      "exec $server $@ --init-file=$data/first.sql --socket=$data/socket --bind-address=127.0.0.1 --port={port}" +
        " --skip-log-bin --innodb-flush-log-at-trx-commit=0 --loose-mysqlx=OFF",
    ].map((text) => line(`        ${text}`)),
  ];
}
