import type { Alarm } from '../contract/source.js';

/**
 * The process's own timers. They ring once everything that had arrived by then could be read: after the main thread was
 * busy, Node runs timers before it reads its sockets, and an answer that lies in one came in time. A timer that was late
 * waits as long again, a second at most, since an answer may have to be decompressed.
 */
export const timerAlarm: Alarm = (after_ms, ring) => {
  const due_at = performance.now() + after_ms;
  let isCancelled = false;
  const ringUnlessCancelled = (): void => {
    if (!isCancelled) ring();
  };
  const ringAfterReading = (): void => void setImmediate(() => setImmediate(ringUnlessCancelled));
  let timer = setTimeout(() => {
    const late_ms = Math.max(performance.now() - due_at, 0);
    timer = setTimeout(ringAfterReading, Math.min(late_ms, LATE_MS_MAX));
  }, after_ms);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
};

const LATE_MS_MAX = 1_000;
