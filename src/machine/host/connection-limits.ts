// Whether this machine can hold a scenario's connections: asked before anything is built or
// measured, since a limit met half-way looks like a service that fails.
import { UserError } from "../../core/base/errors.ts";
import type { Scenario } from "../../core/model/config.ts";
import type { HostFiles } from "./checks/check.ts";
import { hostFiles } from "./host.ts";
import { parseOpenFilesLimit, parsePortCount } from "./parse-host.ts";

/** Of a process besides its connections: libraries, pools, logs. */
const OTHER_FILES = 256;
const PORT_RANGE = "/proc/sys/net/ipv4/ip_local_port_range";

/**
 * Throws for the first scenario that does not fit. A connection is an open file of the service and
 * of the generator each, and a local port. Our own limit is theirs: Node raises its soft limit to
 * the hard one when it starts, and children inherit it.
 */
export function assertConnectionsFit(
  scenarios: readonly Pick<Scenario, "id" | "connections">[],
  files: Pick<HostFiles, "read"> = hostFiles(""),
): void {
  const openFiles = parseOpenFilesLimit(files.read("/proc/self/limits") ?? "");
  const range = files.read(PORT_RANGE);
  const ports = parsePortCount(range ?? "");
  for (const { id, connections } of scenarios) {
    const needed = connections + OTHER_FILES;
    if (openFiles !== null && needed > openFiles) {
      throw new UserError(
        `${id}: ${connections} connections need ${needed} open files, in the service and in the generator, and a process may have ${openFiles} here`,
        {
          next: `Raise the hard limit (ulimit -n ${needed} as root, LimitNOFILE=${needed} of a systemd unit, --ulimit nofile=${needed} of a container), or ask for fewer connections.`,
        },
      );
    }
    if (ports !== null && connections > ports) {
      throw new UserError(
        `${id}: ${connections} connections need as many local ports, and there are ${ports} (${range?.replace(/\s+/, " to ")})`,
        {
          next: 'Widen the range (sudo sysctl net.ipv4.ip_local_port_range="1024 65535"), or ask for fewer connections.',
        },
      );
    }
  }
}
