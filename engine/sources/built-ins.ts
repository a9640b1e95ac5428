/** What every program relies on, as it stood when somebody began to watch it. */
export interface BuiltIns {
  /**
   * Puts back what has been changed since, and takes away what would show in every loop over an object's members.
   * What else was added is let be, as polyfills do.
   * @returns what that was, such as `Array.prototype.map`
   */
  restore(): readonly string[];
}

// Taken at once, since they are what may be changed.
const { ownKeys, getOwnPropertyDescriptor, setPrototypeOf, defineProperty, deleteProperty } = Reflect;
const { is } = Object;

const WITH_PROTOTYPES = {
  Object,
  Function,
  Array,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Promise,
  Map,
  Set,
  WeakMap,
  WeakSet,
  RegExp,
  Date,
  Error,
  Uint8Array,
  ArrayBuffer,
};

const WATCHED: readonly (readonly [name: string, object: object])[] = [
  ...Object.entries(WITH_PROTOTYPES).map(([name, { prototype }]) => [`${name}.prototype`, prototype] as const),
  ...Object.entries({ Object, Array, Number, Promise, JSON, Math, Reflect }),
];

interface Kept {
  readonly name: string;
  readonly object: object;
  readonly members: readonly Member[];
}

interface Member {
  readonly key: string | symbol;
  /** It inherits nothing, so that nothing can be added to what it says. */
  readonly descriptor: PropertyDescriptor;
}

/** Begins to watch. */
export function keepBuiltIns(): BuiltIns {
  const kept = WATCHED.map(([name, object]): Kept => ({ name, object, members: membersOf(object) }));
  return { restore: () => restoreAll(kept) };
}

function membersOf(object: object): readonly Member[] {
  return ownKeys(object).flatMap((key) => {
    const descriptor = describe(object, key);
    return descriptor === undefined ? [] : [{ key, descriptor }];
  });
}

/** A property as it is now. */
function describe(object: object, key: string | symbol): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(object, key);
  if (descriptor !== undefined) setPrototypeOf(descriptor, null);
  return descriptor;
}

/** Written with nothing but members, loops and what was taken above: even iterators may be somebody else's by now. */
function restoreAll(kept: readonly Kept[]): readonly string[] {
  const changed: string[] = [];
  for (let place = 0; place < kept.length; place += 1) {
    const { name, object, members } = kept[place] as Kept;
    const known = { __proto__: null } as unknown as Record<string | symbol, true>;
    for (let index = 0; index < members.length; index += 1) {
      const { key, descriptor } = members[index] as Member;
      known[key] = true;
      if (isSame(descriptor, describe(object, key))) continue;
      defineProperty(object, key, descriptor);
      changed[changed.length] = nameOf(name, key);
    }
    const keys = ownKeys(object);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string | symbol;
      if (known[key] || describe(object, key)?.enumerable !== true) continue;
      deleteProperty(object, key);
      changed[changed.length] = nameOf(name, key);
    }
  }
  return changed;
}

function isSame(before: PropertyDescriptor, after: PropertyDescriptor | undefined): boolean {
  return after !== undefined && is(before.value, after.value) && before.get === after.get && before.set === after.set;
}

function nameOf(object: string, key: string | symbol): string {
  return typeof key === 'string' ? `${object}.${key}` : `a symbol of ${object}`;
}
