// The JSON schemas that editors and other programs use, from the same source as our own checks.
// scripts/generate.ts writes them; nothing at run time needs them.
import { z } from "zod";
import { CapacityResultSchema, CapacitySamplesSchema } from "../../src/core/capacity/model.ts";
import { ServiceComparisonSchema } from "../../src/core/comparison/model.ts";
import { SourceSchema } from "../../src/core/config/source/source.ts";
import { BaselineSchema } from "../../src/core/model/baseline.ts";
import { HistoryRecordSchema } from "../../src/core/model/history.ts";
import { ProfileSchema } from "../../src/core/model/profile.ts";
import { ReportSchema } from "../../src/core/model/report.ts";
import { SamplesSchema } from "../../src/core/model/samples.ts";
import { TryResultSchema } from "../../src/core/model/try.ts";
import { BisectSchema, ExplanationSchema } from "./satellite-schemas.ts";

const SCHEMAS: readonly { file: string; title: string; schema: z.ZodType }[] = [
  { file: "config.schema.json", title: "tailgate.yml", schema: SourceSchema },
  { file: "samples.schema.json", title: "tailgate.samples.v1", schema: SamplesSchema },
  { file: "baseline.schema.json", title: "tailgate.baseline.v1", schema: BaselineSchema },
  { file: "history.schema.json", title: "tailgate.history.v1", schema: HistoryRecordSchema },
  { file: "profile.schema.json", title: "tailgate.profile.v1", schema: ProfileSchema },
  { file: "report.schema.json", title: "tailgate.report.v1", schema: ReportSchema },
  { file: "try.schema.json", title: "tailgate.try.v1", schema: TryResultSchema },
  {
    file: "capacity-samples.schema.json",
    title: "tailgate.capacity-samples.v1",
    schema: CapacitySamplesSchema,
  },
  { file: "capacity.schema.json", title: "tailgate.capacity.v1", schema: CapacityResultSchema },
  {
    file: "comparison.schema.json",
    title: "tailgate.comparison.v1",
    schema: ServiceComparisonSchema,
  },
  {
    file: "explanation.schema.json",
    title: "tailgate.explanation.v1",
    schema: ExplanationSchema,
  },
  { file: "bisect.schema.json", title: "tailgate.bisect.v1", schema: BisectSchema },
];

/** File names in `docs/schemas/` and what each should hold. */
export function renderSchemas(): { file: string; text: string }[] {
  return SCHEMAS.map(({ file, title, schema }) => {
    // Draft 7 is what editors support; what people write is the input side, before units are
    // parsed.
    const { $schema, ...rest } = z.toJSONSchema(schema, {
      target: "draft-7",
      io: "input",
      override: ({ jsonSchema }) => {
        // An editor would propose it for a mapping whose keys have defaults of their own.
        if (JSON.stringify(jsonSchema.default) === "{}") delete jsonSchema.default;
      },
    });
    return { file, text: `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n` };
  });
}
