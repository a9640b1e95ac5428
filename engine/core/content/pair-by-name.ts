/** Pairs two lists by name, in the order of the later one; missing items are last. Of equal names the last counts. */
export function pairByName<Item>(
  from: readonly Item[],
  to: readonly Item[],
  nameOf: (item: Item) => string,
): readonly (readonly [name: string, before: Item | undefined, after: Item | undefined])[] {
  const [before, after] = [from, to].map((items) => new Map(items.map((item) => [nameOf(item), item])));
  return [...new Set([...to, ...from].map(nameOf))].map((name) => [name, before?.get(name), after?.get(name)]);
}
