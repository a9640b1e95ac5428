import type { AttemptLease } from '../../ports/attempts.js';

/** What the thread that beats is born with. */
export interface BeatSettings {
  readonly connectionString: string;
  readonly lease_ms: number;
  /** How long the main thread may be deaf and dumb before its leases are kept no more. */
  readonly hang_ms: number;
  /** How long before the process is ended, which handles no signal either. */
  readonly end_ms: number;
}

/** What the main thread sends to the one that beats. `awake` says that its event loop turns. */
export type ToBeat =
  | { readonly kind: 'keep'; readonly lease: AttemptLease }
  | { readonly kind: 'drop'; readonly attempt_id: string }
  | { readonly kind: 'awake' };

/** What it gets back: attempts whose world somebody else has. */
export interface FromBeat {
  readonly lost: readonly string[];
}
