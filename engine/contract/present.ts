/** An object whose members are there where they have a value, as optional members are. */
export type Present<Shape> = {
  readonly [Name in keyof Shape as undefined extends Shape[Name] ? never : Name]: Shape[Name];
} & {
  readonly [Name in keyof Shape as undefined extends Shape[Name] ? Name : never]?: Exclude<Shape[Name], undefined>;
};

/** Leaves out the members that are undefined: what is optional is left out, and never there without a value. */
export function present<const Shape extends object>(members: Shape): Present<Shape> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Shape>;
}
