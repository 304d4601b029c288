// `merge`: the samples of shards, measured on several machines, to those of one run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { ARTIFACT_FILES } from "../../core/model/manifest.ts";
import {
  type MergedShards,
  mergeShards,
  type ShardSamples,
} from "../../core/verdict/merge-shards.ts";
import { listOrEmpty } from "../../machine/sys/or-null.ts";
import type { DocumentWords } from "../documents/document.ts";
import { FILES, placeFor } from "../documents/reports.ts";
import { readSamples, writeSamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";

/** Written to the project's output folder; `note` is told what each shard has. */
export function mergeFolder(
  folder: string,
  { config, out }: Pick<Project, "config" | "out">,
  note: (line: string) => void,
): MergedShards & { path: string } {
  const shards = readShards(folder);
  const merged = mergeShards(shards, config);
  for (const { name, samples } of shards) {
    const services = samples.config.services.map((service) => service.name).join(", ");
    note(`${name}: ${samples.rounds.length} rounds of ${services}`);
  }
  const path = placeFor(FILES.samples, { out });
  writeSamples(path, merged.samples);
  return { ...merged, path };
}

const SHARD: DocumentWords = {
  what: "shard's samples file",
  next: "Use the same version of Tailgate in all jobs of a run.",
  failure: "invalid",
};

/** The samples in `folder` and in the folders inside it, in the order of their names. */
export function readShards(folder: string): ShardSamples[] {
  if (!existsSync(folder)) {
    throw new UserError(`there is no ${folder} with the shards' samples`, {
      next: `Name the folder that has one for each shard. In a workflow write before it:
- uses: actions/download-artifact@v8
  with:
    pattern: shard-*
    path: shards`,
    });
  }
  return [".", ...listOrEmpty(folder).sort()].flatMap((name) => {
    const path = join(folder, name, ARTIFACT_FILES.samples);
    return existsSync(path) ? [{ name, samples: readSamples(path, SHARD) }] : [];
  });
}
