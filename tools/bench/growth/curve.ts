/** How one figure develops while its cause grows. */
export interface Curve {
  /** For programs, stable. */
  readonly id: string;
  /** The measured figure, for people. */
  readonly title: string;
  /** The quantity that grows. */
  readonly over: string;
  readonly unit: 'ms' | 's' | '/s';
  /** In rising order of `x`. */
  readonly points: readonly Point[];
}

export interface Point extends Measured {
  readonly x: number;
}

/** A figure, and its CPU for each turn: engine, services and database. */
export interface Measured {
  readonly y: number;
  readonly cpu_ms?: number;
}

/** How many times as large the last figure is as the first, and how many times as much it stands on. */
export function growthOf({ points }: Pick<Curve, 'points'>): Measured & { readonly x: number } {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was measured');
  const times = { x: last.x / Math.max(1, first.x), y: last.y / first.y };
  if (first.cpu_ms === undefined || last.cpu_ms === undefined) return times;
  return { ...times, cpu_ms: last.cpu_ms / first.cpu_ms };
}

/** Measures one point after the other. */
export async function trace(
  about: Omit<Curve, 'points'>,
  sizes: readonly number[],
  measure: (size: number) => Promise<Measured>,
  onPoint: (text: string) => void,
): Promise<Curve> {
  const points: Point[] = [];
  for (const x of sizes) {
    onPoint(`${about.title}: ${x.toLocaleString('en')} ${about.over}`);
    points.push({ x, ...(await measure(x)) });
  }
  return { ...about, points };
}
