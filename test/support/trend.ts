// Nights whose levels change where a test says so.
import { createPrng } from "../../src/core/base/prng.ts";
import type { HistoryPoint, HistoryRecord } from "../../src/core/model/history.ts";
import { ANCHOR, nightOf, SERIES } from "./history.ts";

const RELEASE = "b".repeat(40);

export interface TrendRecipe {
  nights: number;
  /** Default: those of nightOf. */
  series?: readonly string[];
  /** Added to the log ratio from this night on, by series. */
  steps?: Readonly<Record<string, { night: number; size: number }>>;
  /** From this night on the anchor is a release; it was measured against the one before that night. */
  releaseAt?: number;
  newKernelAt?: number;
  /** In this night a waiver lets the first series through. */
  waivedAt?: number;
}

/** By the night, so that a longer history begins as a shorter one. */
export function trendOf(recipe: TrendRecipe): HistoryRecord[] {
  const { nights, releaseAt = nights, newKernelAt = nights } = recipe;
  const prng = createPrng(1);
  return Array.from({ length: nights }, (_, day) => {
    const night = (anchorCommit: string, run: string, shard: string | null): HistoryRecord => {
      const name = anchorCommit === RELEASE ? "v1.4.0" : "commit of the stored baseline";
      const kernel = day < newKernelAt ? "6.12.0" : "6.13.0";
      const record = nightOf({ day, run, anchorCommit, kernel });
      return {
        ...record,
        run: {
          ...record.run,
          shard,
          url: `https://github.com/acme/shop/actions/runs/${1000 + day}`,
        },
        commit: { ...record.commit, subject: `Change of day ${day}` },
        anchors: Object.fromEntries(
          seriesOf(recipe).map((id) => [id.split("/", 1)[0], { commit: anchorCommit, name }]),
        ),
        ...(day === recipe.waivedAt ? { waived: seriesOf(recipe).slice(0, 1) } : {}),
        series: pointsOf(day, recipe, prng.next),
      };
    };
    const usual = night(day < releaseAt ? ANCHOR : RELEASE, `night-${day}`, null);
    return day === releaseAt ? [usual, night(ANCHOR, `splice-${day}`, "splice")] : [usual];
  }).flat();
}

const seriesOf = ({ series = SERIES }: TrendRecipe): readonly string[] => series;

function pointsOf(
  day: number,
  recipe: TrendRecipe,
  uniform: () => number,
): Record<string, HistoryPoint> {
  const rounded = (value: number): number => Number(value.toFixed(5));
  return Object.fromEntries(
    seriesOf(recipe).map((id) => {
      const step = recipe.steps?.[id];
      const noise = 0.01 * (uniform() + uniform() + uniform() - 1.5);
      const estimate = noise + (step !== undefined && day >= step.night ? step.size : 0);
      const ratio = {
        estimate: rounded(estimate),
        low: rounded(estimate - 0.015),
        high: rounded(estimate + 0.015),
      };
      return [id, { candidate: 300, anchor: 300, ratio, rounds: 12, detectable: 0.05 }];
    }),
  );
}
