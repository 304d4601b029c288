// What turns a throughput into hosts and money: assumptions, never measured.
import * as z from "zod";

export const CostParametersSchema = z.strictObject({
  /** Requests a day, one row of the table for each. */
  requestsPerDay: z.array(z.number().positive()).min(1),
  /** Rate at the busiest time over the mean rate of the day. */
  peakFactor: z.number().min(1),
  /** Share of a core's time that may be used at the peak. */
  utilisation: z.number().gt(0).max(1),
  coresPerHost: z.number().positive(),
  /** Of one host for a month, in any currency. */
  hostPrice: z.number().min(0),
});
export type CostParameters = z.infer<typeof CostParametersSchema>;
