// Why a verdict is red, as profiles of both builds show it: what reports have of it.
import * as z from "zod";
import { bounded } from "./number.ts";

/** Of a program's function: foreign text. */
const name = z.string().max(200);

export const ExplanationSchema = z.strictObject({
  /** What there is more of; `timer`, `disk`, `service`: waiting for one; `waiting`: for nobody knows what. */
  cause: z.enum(["cpu", "timer", "disk", "service", "waiting", "memory", "start", "nothing"]),
  /** CPU of 1,000 requests or of a start in ms, memory in bytes; of waiting and of nothing, latency in µs. */
  before: bounded,
  after: bounded,
  /** Functions that take more, most first, in the unit of the cause. None: no profile could be taken. */
  rows: z
    .array(
      z.strictObject({
        function: name,
        calledBy: name.nullable(),
        before: bounded,
        after: bounded,
        /** Whether the change wrote lines of it. */
        changedHere: z.enum(["yes", "no", "unknown"]),
      }),
    )
    .max(5),
});
export type Explanation = z.infer<typeof ExplanationSchema>;
