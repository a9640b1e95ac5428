import type { ProblemCode } from '../../contract/problems/index.js';
import type { InboxMessageType } from '../../core/inbox/message.js';
import type { Fail } from '../../core/protocol/command.js';
import type { PutOff, AttemptOfTurn } from '../../ports/attempts.js';
import type { Tidied } from '../../ports/inbox.js';

/**
 * Why an attempt is resumed. `undriven`: its driver was gone, or has handed it over. `queued`: its world has a turn to
 * be done, and it is that turn's.
 */
export type Continued = 'undriven' | 'queued' | Exclude<InboxMessageType, 'turn'>;

/** An attempt of a world. */
type WorldAttempt = AttemptOfTurn & { readonly world_slug: string };

/** An event of a worker, for watchers. Nothing depends on whether there are any. */
export type WorkerEvent =
  | (WorldAttempt & {
      readonly kind: 'turn_began';
      /** So many calls of an earlier attempt answer this one's commands. */
      readonly adopts?: { readonly attempt_id: string; readonly calls: number };
    })
  /** An open attempt is resumed: so many of its calls are answered from their records, so many nobody saw end. */
  | (WorldAttempt & {
      readonly kind: 'turn_continued';
      readonly why: Continued;
      readonly answered: number;
      readonly interrupted: number;
    })
  | (WorldAttempt & { readonly kind: 'turn_committed' | 'turn_suspended' | 'turn_handed_over' })
  | (WorldAttempt & {
      readonly kind: 'turn_failed';
      readonly failure: Fail;
      /** The queued turn is tried anew, since what failed may pass by itself. */
      readonly put_off?: PutOff;
      /** The queued turn is over without a turn of the world. */
      readonly is_used_up?: true;
    })
  /** It cannot be done now; where no message asks for it, the watchdog comes back to it. */
  | { readonly kind: 'turn_deferred'; readonly world_slug: string; readonly reason: string; readonly delay_ms: number }
  /** It can never be done. */
  | { readonly kind: 'turn_discarded'; readonly world_slug: string; readonly reason: string }
  /** Another driver has the world now. */
  | { readonly kind: 'overtaken'; readonly world_slug: string }
  /** A bug: the attempt stays open, and the next driver resumes it, a few times. */
  | { readonly kind: 'driver_broke'; readonly world_slug: string; readonly error: unknown }
  /** So many calls were to be answered by now. */
  | { readonly kind: 'timed_out'; readonly calls: number }
  | ({ readonly kind: 'tidied' } & Tidied)
  /** It is gone, or failing; the reason says how to mend that. */
  | { readonly kind: 'database_lost'; readonly code: ProblemCode; readonly reason: string }
  | { readonly kind: 'database_found' }
  | { readonly kind: 'doorbell_lost'; readonly reason: string }
  | { readonly kind: 'doorbell_found' }
  | { readonly kind: 'leaving'; readonly busy: number; readonly grace_ms: number }
  | { readonly kind: 'handing_over'; readonly busy: number };
