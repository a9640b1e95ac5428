import { sha256Bytes } from '../content/sha256.js';

/** Uniform numbers from 0 up to, and without, 1. */
export type Random = () => number;

const UINT32 = 2 ** 32;

/** Numbers that look random, and are the same for the same text on every machine: the generator sfc32, seeded by SHA-256. */
export function randomOf(text: string): Random {
  const seed = new DataView(Uint8Array.from(sha256Bytes(text)).buffer);
  let [a, b, c, count] = [seed.getInt32(0), seed.getInt32(4), seed.getInt32(8), seed.getInt32(12)];
  return () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / UINT32;
  };
}

/** The items in a random order, each order as likely as any other. */
export function shuffle<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const drawn = [...items];
  for (let last = drawn.length - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1));
    [drawn[last], drawn[chosen]] = [drawn[chosen] as Item, drawn[last] as Item];
  }
  return drawn;
}
