// One metric of a service, launch by launch: steps and drifts that a median hides.
import { METRIC_FACTS } from "../../../../model/metric.ts";
import type { Report } from "../../../../model/report.ts";
import type { Comparison } from "../../../../model/verdict.ts";
import { formatAmount, formatValue } from "../../../../text/format.ts";
import type { Markup } from "../../../kit/element.ts";
import { countTicks, linearScale, linearTicks, paddedDomain } from "../../../kit/scale.ts";
import {
  ARM_NAMES,
  type ArmNames,
  across,
  armKey,
  type Box,
  figure,
  frame,
  hover,
} from "../../../kit/svg.ts";

const SIZE = { width: 640, height: 300 };
const BOX: Box = { left: 82, top: 12, right: 622, bottom: 248 };

type Launches = Report["launches"][number];

interface MemoryWords {
  names?: ArmNames;
  /** What the lines across are called. */
  key?: string;
}

/** `medians` are of the same metric. */
export function plotMemory(
  launches: Omit<Launches, "service">,
  medians: Pick<Comparison, "candidate" | "reference">,
  { names = ARM_NAMES, key = "median of the rounds that decided" }: MemoryWords = {},
): Markup {
  const { unit, label } = METRIC_FACTS[launches.metric];
  const arms = armKey(names).filter((arm) => launches[arm.class].length > 0);
  const most = Math.max(2, launches.candidate.length, launches.reference.length);
  const x = linearScale({ domain: [0.4, most + 0.6], range: [BOX.left, BOX.right] });
  const y = linearScale({
    domain: paddedDomain(
      [
        ...launches.candidate,
        ...launches.reference,
        ...[medians.candidate, medians.reference].flatMap((median) => median ?? []),
      ],
      0.12,
    ),
    range: [BOX.bottom, BOX.top],
  });
  const step = unit === "bytes" ? largestBinaryUnit(y.domain[1]) : 1;
  const [low, high] = y.domain;
  const yTicks = linearTicks([low / step, high / step], 5).map((value) => value * step);
  return figure(
    {
      title: `${label}, launch by launch`,
      caption:
        "Look for one arm lying wholly above the other; scatter between launches is the allocator's. The axis does not start at zero.",
      key: [...arms, { name: key, class: "median" }],
    },
    SIZE,
    frame(
      BOX,
      { scale: x, ticks: countTicks(x.domain), write: String, title: "launch" },
      { scale: y, ticks: yTicks, write: (value) => formatAmount(unit, value), title: label },
    ),
    ...arms.flatMap((arm) => {
      const median = medians[arm.class];
      return median == null ? [] : [across(`median ${arm.class}`, BOX, y.at(median))];
    }),
    ...arms.flatMap(({ name, class: arm }) =>
      launches[arm].map((value, index) =>
        hover(
          "circle",
          // The arms stand side by side, so that equal values are both seen.
          {
            class: `point ${arm}`,
            cx: x.at(index + 1) + (arm === "candidate" ? -3.5 : 3.5),
            cy: y.at(value),
            r: 3.6,
          },
          `${name}, launch ${index + 1}: ${formatValue(unit, value)}`,
        ),
      ),
    ),
  );
}

function largestBinaryUnit(value: number): number {
  const units = [1, 1024, 1024 ** 2, 1024 ** 3];
  return units.findLast((unit) => value >= unit) ?? 1;
}
