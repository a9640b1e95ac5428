/** Each awaited condition holds in a moment; a test that waits for ever would hold up all others. */
const WAIT_MS = 300_000;

/** Waits until a condition holds, checking again and again. @throws Error where it never does */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > end)
      throw new Error(`after ${WAIT_MS / 60_000} minutes it does not hold: ${holds.toString()}`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
}
