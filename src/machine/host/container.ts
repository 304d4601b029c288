// Whether programs are at work on this machine that /proc does not show.
import { readlinkSync } from "node:fs";
import { orNull } from "../sys/or-null.ts";

/** PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h: of the machine itself. */
const WHOLE_MACHINE = "pid:[4026531836]";

/** `root`: as HostOptions. */
export function isInContainer(root = ""): boolean {
  const space = orNull(() => readlinkSync(`${root}/proc/self/ns/pid`));
  return space !== null && space !== WHOLE_MACHINE;
}
