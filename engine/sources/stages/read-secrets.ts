import type { OpenedSources } from '../opened-sources.js';
import type { Callback, MakeCallback } from '../../ports/sources.js';
import { type Begun, type Halt, halt, type Ready } from '../passage.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';

/** What knows secrets. */
export interface SecretsParts {
  readonly opened: OpenedSources;
  /** Left out where nobody can be called back. */
  readonly makeCallback?: MakeCallback;
}

/** Reads the secrets, as late as possible, and opens the source with them. Who may answer later is handed one of its own. */
export async function readSecrets(passage: Begun, { opened, makeCallback }: SecretsParts): Promise<Ready | Halt> {
  const deadline_ms = passage.command.call.pending_deadline_ms;
  const callback = deadline_ms === undefined ? undefined : makeCallback?.(passage.surroundings.correlation_id);
  const secrets = opened.secretsOf(passage.route, callback);
  const pending = deadline_ms === undefined ? {} : { pending: toPending(deadline_ms, callback) };
  try {
    return { ...passage, ...pending, secrets, source: await opened.open(passage.command.call.source, passage.route) };
  } catch (error) {
    const failure = findSourceFailure(error);
    return halt(
      { ...passage, secrets },
      failure?.failure_class ?? 'unavailable',
      failure?.message ?? describeThrown(error),
    );
  }
}

function toPending(deadline_ms: number, callback: Callback | undefined): NonNullable<Ready['pending']> {
  return { deadline_ms, ...(callback === undefined ? {} : { callback_url: callback.url }) };
}
