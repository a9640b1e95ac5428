import type { Alarm } from '../contract/source.js';

/** The value of a promise. @returns undefined where that takes longer than so many milliseconds */
export async function noLongerThan<Value>(
  after_ms: number,
  promise: Promise<Value>,
  alarm: Alarm,
): Promise<Value | undefined> {
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = alarm(after_ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}
