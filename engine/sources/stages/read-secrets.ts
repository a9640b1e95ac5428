import type { OpenedSources } from '../opened-sources.js';
import { type Begun, type Halt, halt, type Ready, type Stage } from '../passage.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';

/** Reads the secrets, as late as possible, and opens the source with them. */
export function readSecrets(opened: OpenedSources): Stage<Begun, Ready> {
  return { name: 'secrets', pass: (passage) => open(passage, opened) };
}

function open(passage: Begun, opened: OpenedSources): Ready | Halt {
  const secrets = opened.secretsOf(passage.route);
  try {
    return { ...passage, secrets, source: opened.open(passage.command.call.source, passage.route) };
  } catch (error) {
    const failure = findSourceFailure(error);
    return halt(
      { ...passage, secrets },
      failure?.failure_class ?? 'unavailable',
      failure?.message ?? describeThrown(error),
    );
  }
}
