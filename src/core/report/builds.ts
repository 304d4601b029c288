// What `doctor --builds` found, on a terminal. Excerpts of artifacts are foreign.
import type { BuildExamination } from "../model/reproducibility.ts";
import { plainLine } from "../text/escape.ts";
import { type Block, type Item, list, paragraph, type Section, section } from "./kit/blocks.ts";
import { renderTerminalDocument, type TerminalOptions } from "./kit/terminal.ts";
import { adviseOnBuild, BUILD_CAUSE_WORDS } from "./words/builds.ts";

export function renderBuilds(found: readonly BuildExamination[], options: TerminalOptions): string {
  const unequal = found.filter(({ isEqual }) => !isEqual);
  return renderTerminalDocument(
    {
      mark: null,
      headline:
        unequal.length === 0
          ? "equal sources build equally"
          : `equal sources build unequally: ${unequal.map(({ service }) => service).join(", ")}`,
      summary: [
        paragraph(
          "Each service was built twice from the same files: in two folders, at two times and, where there are two, of two commits.",
        ),
      ],
      sections: found.map(describeService),
    },
    options,
  );
}

function describeService(found: BuildExamination): Section {
  return section(found.service, ...blocksOf(found));
}

function blocksOf({ tool, isEqual, differences, sections }: BuildExamination): Block[] {
  if (tool === null) {
    return [paragraph("It has no artifact: its sources alone decide whether it is the same.")];
  }
  if (isEqual) return [paragraph("Both artifacts are equal to the byte.")];
  const items = differences.map(
    ({ cause, seen }): Item => ({
      symbol: "✗",
      text: `${cause}: ${BUILD_CAUSE_WORDS[cause]}`,
      ...(seen.every((text) => text === "")
        ? {}
        : { under: `seen: ${seen.map((text) => plainLine(text.trim())).join("  and  ")}` }),
      fix: adviseOnBuild(tool, cause),
    }),
  );
  return [
    list(items),
    ...(sections.length === 0 ? [] : [paragraph(`Parts that differ: ${sections.join(", ")}.`)]),
    paragraph(
      "Such a service is measured whatever a change touches. One cause may hide another: run this again once it is fixed.",
    ),
  ];
}
