/** Makes a value of each thing once: things are the same by their keys. */
export function onceFor<T, V extends NonNullable<unknown>>(
  make: (one: T) => V,
  keyOf: (one: T) => string = String,
): (one: T) => V {
  const made = new Map<string, V>();
  return (one) => {
    const key = keyOf(one);
    const value = made.get(key) ?? make(one);
    made.set(key, value);
    return value;
  };
}
