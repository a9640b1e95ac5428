/** The part of a record that these members are, in their order. */
export function pick<Shape extends object, const Name extends keyof Shape>(
  record: Shape,
  names: readonly Name[],
): Pick<Shape, Name> {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as unknown as Pick<Shape, Name>;
}
