import type { Passage } from './passage.js';

/** How a person reads what redaction hides of the answer to a call. Nothing of a dry run is kept. */
export function hiddenAnswer({ surroundings, route }: Pick<Passage, 'surroundings' | 'route'>): string {
  if (route?.plugin.is_dry === true) return '';
  return `; chukwa invocation ${surroundings.correlation_id} --unredacted shows the answer`;
}
