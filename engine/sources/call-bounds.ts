import { AsyncLocalStorage } from 'node:async_hooks';

/** What holds for everything that is sent while one call is under way. */
export interface CallBounds {
  /** Aborted at the deadline, when the turn no longer wants the answer, and when the call is over. */
  readonly signal: AbortSignal;
  /** Of one response, as it comes over the wire. */
  readonly max_wire_bytes: number;
  /** Of one response, decompressed. */
  readonly max_body_bytes: number;
}

const bounds = new AsyncLocalStorage<CallBounds>();

/**
 * Runs a plugin's call within its bounds. They reach the plugin's fetch without the plugin's help, also through a client
 * library: what a plugin forgets to pass on still holds, and outside a call, before the durable start, nothing is sent.
 */
export function withinCall<Value>(callBounds: CallBounds, run: () => Value): Value {
  return bounds.run(callBounds, run);
}

/** The bounds of the call that is being made, or undefined outside of one. */
export function findCallBounds(): CallBounds | undefined {
  return bounds.getStore();
}
