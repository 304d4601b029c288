/** `1234` cents are `12.34`. */
export function inUnits(cents) {
  return (cents / 100).toFixed(2);
}
