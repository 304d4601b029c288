// The functions of the large module that is linked and not called: as many as a middling library has,
// no two alike.

export const TABLES: readonly {
  /** Odd, below 2^32. */
  factor: number;
  /** Bits, 1 to 63. */
  turn: number;
}[] = Array.from({ length: 300 }, (_, nth) => ({
  factor: (Math.imul(nth + 1, 0x9e3779b2) | 1) >>> 0,
  turn: 1 + ((nth * 7) % 63),
}));

export const tableName = (nth: number): string => `table_number_${String(nth).padStart(3, "0")}`;
