import { AsyncLocalStorage } from 'node:async_hooks';
import { present } from '../contract/present.js';
import type { InvocationContext, Source } from '../contract/source.js';
import type { Credentials } from './connections/credentials.js';

/** The limits of everything that is sent while one call is under way. */
export interface CallBounds {
  /** Aborted at the deadline, when the turn no longer wants the answer, and when the call is over. */
  readonly signal: AbortSignal;
  /** Gives the signal that is aborted a second after that: until then the plugin may still cancel its request. */
  readonly farewell: () => AbortSignal;
  /** The time until the deadline, in milliseconds. */
  readonly left: () => number;
  /** Of one response: as it comes over the wire, and once more decompressed. */
  readonly max_response_bytes: number;
  /** Called each time before something may leave; left out where nobody asks. */
  readonly onSending?: () => void;
  /** Nothing is sent before it resolves, nor ever where it rejects; left out where nothing is on record. */
  readonly durable?: Promise<void>;
  /** Of the call's connection; left out where it has none. */
  readonly credentials?: Credentials;
}

const bounds = new AsyncLocalStorage<CallBounds>();

/** By the signal that a plugin was handed, which is another one for each call. */
const named = new WeakMap<AbortSignal, CallBounds>();

/** Made once: the end of a call is the ordinary case, and a reason of its own would cost a stack trace each time. */
const GONE = new DOMException('the call has ended, and so has the time to take its request back', 'AbortError');

/**
 * Runs a plugin's call within its bounds. They reach the plugin's fetch without the plugin's help, also through a client
 * library: a forgotten signal still applies, and outside a call, before the durable start, nothing is sent.
 */
export function withinCall<Value>(callBounds: CallBounds, run: () => Value): Value {
  return bounds.run(callBounds, run);
}

/** How long a request that takes something back may outlive its call, and how long a source has to close. */
const FAREWELL_MS = 1_000;

/**
 * The bounds of a call, and the signal that the plugin is handed, which represents them where a request names its call.
 * Of a source whose requests do not, listeners of the signal are notified within the bounds, and can still end their connection in order.
 */
export function boundCall(
  over: AbortSignal,
  limits: Pick<CallBounds, 'left' | 'max_response_bytes' | 'onSending' | 'durable' | 'credentials'>,
  source: Pick<Source, 'names_its_calls'>,
): BoundCall {
  const callBounds = { signal: over, farewell: openFarewell(over), ...limits };
  if (source.names_its_calls) {
    named.set(over, callBounds);
    return { signal: over, within: (run) => run() };
  }
  const controller = new AbortController();
  named.set(controller.signal, callBounds);
  const within: BoundCall['within'] = (run) => withinCall(callBounds, run);
  whenOver(over, () => within(() => controller.abort(over.reason)));
  return { signal: controller.signal, within };
}

/** Few calls take anything back, so that the signal is made when one does. */
function openFarewell(over: AbortSignal): () => AbortSignal {
  let ended_at: number | undefined;
  let farewell: AbortController | undefined;
  whenOver(over, () => {
    ended_at = performance.now();
    if (farewell) endLater(farewell, FAREWELL_MS);
  });
  return () => {
    if (farewell) return farewell.signal;
    farewell = new AbortController();
    if (ended_at !== undefined) endLater(farewell, ended_at + FAREWELL_MS - performance.now());
    return farewell.signal;
  };
}

function endLater(farewell: AbortController, after_ms: number): void {
  if (after_ms <= 0) farewell.abort(GONE);
  else setTimeout(() => farewell.abort(GONE), after_ms).unref();
}

function whenOver(over: AbortSignal, react: () => void): void {
  if (over.aborted) react();
  else over.addEventListener('abort', react);
}

interface BoundCall {
  readonly signal: AbortSignal;
  /** Runs the plugin so that its requests find their bounds. */
  readonly within: <Value>(run: () => Value) => Value;
}

/** Lets a source close: a second, and small responses. */
export async function withinClosing(
  close: () => Promise<void> | undefined,
  credentials: Credentials | undefined,
): Promise<void> {
  const over = new AbortController();
  const late = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  const timer = setTimeout(() => over.abort(), FAREWELL_MS);
  const { signal } = over;
  const bounds = {
    signal,
    farewell: () => signal,
    left: () => FAREWELL_MS,
    max_response_bytes: CLOSING_BYTES_MAX,
    ...present({ credentials }),
  };
  await Promise.race([withinCall(bounds, close), late]).finally(() => clearTimeout(timer));
}

const CLOSING_BYTES_MAX = 65_536;

/** Whether a plugin was handed this signal for a call: then it is aborted with the call anyway. */
export function isOfCall(signal: AbortSignal): boolean {
  return named.has(signal);
}

/** The bounds of the call that is named, else of the one that is being made, or undefined outside of one. */
export function findCallBounds(call?: Pick<InvocationContext, 'signal'>): CallBounds | undefined {
  return (call && named.get(call.signal)) ?? bounds.getStore();
}
