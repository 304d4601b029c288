// Numbers that may not be there, as JSON has them: it knows no NaN and no infinity.

export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
