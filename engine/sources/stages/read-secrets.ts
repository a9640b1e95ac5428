import { present } from '../../contract/present.js';
import type { OpenedSources } from '../opened-sources.js';
import type { MakeCallback } from '../../ports/sources.js';
import { type Begun, type Halt, halt, type Ready } from '../passage.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';

export interface SecretsParts {
  readonly opened: OpenedSources;
  /** Left out where no callback can arrive. */
  readonly makeCallback?: MakeCallback;
}

/** Reads the secrets, as late as possible, and opens the source with them. A call that may pend gets one of its own. */
export async function readSecrets(passage: Begun, { opened, makeCallback }: SecretsParts): Promise<Ready | Halt> {
  const deadline_ms = passage.command.call.pending_deadline_ms;
  const callback = deadline_ms === undefined ? undefined : makeCallback?.(passage.surroundings.correlation_id);
  const pending = deadline_ms === undefined ? undefined : present({ deadline_ms, callback_url: callback?.url });
  try {
    const credentials = await passage.connection?.authenticate(passage.durable);
    const secrets = opened.secretsOf(passage.route, callback);
    const source = await opened.open(passage.command.call.source, passage.route, credentials);
    return { ...passage, ...present({ pending, credentials }), secrets, source };
  } catch (error) {
    const failure = findSourceFailure(error);
    return halt(
      { ...passage, secrets: opened.secretsOf(passage.route, callback) },
      failure?.failure_class ?? 'unavailable',
      failure?.message ?? describeThrown(error),
    );
  }
}
