// The crate `regex` in axum-api's Cargo.lock, as `cargo add regex` leaves it.
import { replace, type Step } from "../edit.ts";

interface Locked {
  name: string;
  version: string;
  checksum: string;
  needs: readonly string[];
}

const AHO_CORASICK: Locked = {
  name: "aho-corasick",
  version: "1.1.5",
  checksum: "c982642fa9e8606056828ee9a8505737230110bb1099153c79efe865c59d12ba",
  needs: ["memchr"],
};

const REGEX: readonly Locked[] = [
  {
    name: "regex",
    version: "1.13.1",
    checksum: "f020237b6c8eed93db2e2cb53c00c60a8e1bc73da7d073199a1180401450218d",
    needs: ["aho-corasick", "memchr", "regex-automata", "regex-syntax"],
  },
  {
    name: "regex-automata",
    version: "0.4.18",
    checksum: "ad8553b9b26413251cbf30e620595c7a41b3887f03da04579c0e6b0d6a06b4b2",
    needs: ["aho-corasick", "memchr", "regex-syntax"],
  },
  {
    name: "regex-syntax",
    version: "0.8.11",
    checksum: "d6f6ff9a378485b298a5286656da665ba74413d36db0979633275d2e708145d4",
    needs: [],
  },
];

function entry({ name, version, checksum, needs }: Locked): string {
  const list = needs.map((one) => ` "${one}",\n`).join("");
  return `[[package]]
name = "${name}"
version = "${version}"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "${checksum}"
${list === "" ? "" : `dependencies = [\n${list}]\n`}
`;
}

/** Before the package that follows in the alphabet. */
function lockedBefore(next: string, packages: readonly Locked[]): Step {
  const head = `[[package]]\nname = "${next}"\n`;
  return replace("Cargo.lock", head, packages.map(entry).join("") + head);
}

export const REGEX_LOCKED: readonly Step[] = [
  lockedBefore("allocator-api2", [AHO_CORASICK]),
  lockedBefore("reqwest", REGEX),
  replace("Cargo.lock", ` "redis",\n "reqwest",\n`, ` "redis",\n "regex",\n "reqwest",\n`),
];
