import type { OpenedSources } from '../opened-sources.js';
import type { Callback, MakeCallback } from '../../ports/sources.js';
import { type Begun, type Halt, halt, type Ready, type Stage } from '../passage.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';

/** Reads the secrets, as late as possible, and opens the source with them. Who may answer later is handed one of its own. */
export function readSecrets(opened: OpenedSources, makeCallback: MakeCallback | undefined): Stage<Begun, Ready> {
  return { name: 'secrets', pass: (passage) => open(passage, opened, makeCallback) };
}

async function open(
  passage: Begun,
  opened: OpenedSources,
  makeCallback: MakeCallback | undefined,
): Promise<Ready | Halt> {
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
