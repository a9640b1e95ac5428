import { timerAlarm } from './timer-alarm.js';

/** Why a call was ended from outside. */
export type Cut = 'timeout' | 'stopped' | 'overtaken';

/** The time that a call has, and everything else that may end it early. */
export interface CallLimit {
  readonly signal: AbortSignal;
  /** Why the call was cut, once it was. */
  readonly cut: () => Cut | undefined;
  readonly whenCut: Promise<Cut>;
  /** The time until the deadline, in milliseconds. */
  readonly left: () => number;
  /** Ends the call because its record cannot be kept any more. */
  readonly overtake: () => void;
  /** The call is over: ends what it may have left running. */
  readonly close: () => void;
}

/** Made once: a call that is over is the ordinary case, and a reason of its own would cost a stack trace each time. */
const OVER = new DOMException('the call is over', 'AbortError');

/**
 * Limits a call. It ends at the deadline, or when the turn's own signal is aborted.
 * @param durable its time is counted from there
 */
export function openCallLimit(runtime_ms: number, stop: AbortSignal, durable: Promise<void>): CallLimit {
  const controller = new AbortController();
  let reason: Cut | undefined;
  let resolveCut: (cut: Cut) => void = () => {};
  const whenCut = new Promise<Cut>((resolve) => {
    resolveCut = resolve;
  });
  const cutBy = (cut: Cut): void => {
    if (reason || controller.signal.aborted) return;
    reason = cut;
    resolveCut(cut);
    controller.abort();
  };
  const onStop = (): void => cutBy('stopped');
  let cancelTimer = (): void => {};
  let ends_at: number | undefined;
  const startTime = (): void => {
    ends_at = performance.now() + runtime_ms;
    if (!controller.signal.aborted)
      cancelTimer = timerAlarm(Math.min(runtime_ms, TIMER_MAX_MS), () => cutBy('timeout'));
  };
  durable.then(startTime, () => cutBy('overtaken'));
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop);
  return {
    signal: controller.signal,
    cut: () => reason,
    whenCut,
    left: () => (ends_at === undefined ? runtime_ms : ends_at - performance.now()),
    overtake: () => cutBy('overtaken'),
    close: () => {
      cancelTimer();
      stop.removeEventListener('abort', onStop);
      controller.abort(OVER);
    },
  };
}

/** Timers take no more. */
const TIMER_MAX_MS = 2_147_483_647;
