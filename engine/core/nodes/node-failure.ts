import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { appendToken, pointerTokens } from '../content/json-pointer.js';
import { nearestLevel } from '../content/nearest-level.js';
import type { CallFailed, CallRefused } from '../protocol/event.js';
import { isTransient } from '../protocol/failure.js';
import type { NodeFailure } from './node-type.js';

/** A call that did not succeed ends its attempt with the call's own class. */
export function callFailed(event: CallFailed | CallRefused): NodeFailure {
  const { failure_class, message, key: call_key } = event;
  const { retry_after_ms } = event;
  const { outcome_unknown: is_in_doubt } = event.kind === 'call_failed' ? event : {};
  const isPassing = event.kind === 'call_failed' ? isTransient(event) : retry_after_ms !== undefined;
  const is_transient = isPassing ? true : undefined;
  return present({ failure_class, message, call_key, is_transient, is_in_doubt, retry_after_ms });
}

/** A request template reads a value that its context does not hold. */
export function templateUnresolved(where: string, from: string, context: Json): NodeFailure {
  const { tokens, holds } = nearestLevel(context, pointerTokens(from));
  const level = tokens.reduce(appendToken, '') || 'the top';
  return {
    failure_class: 'template_unresolved',
    message: `${where} reads ${from}, and nothing stands there; at ${level} stands: ${holds}. Write a default, or read what exists`,
  };
}

/** A prompt reads a value that no node has given. A placeholder has no default. */
export function placeholderUnresolved(where: string, name: string, context: Json): NodeFailure {
  const { tokens, holds } = nearestLevel(context, name.split('.'));
  return {
    failure_class: 'template_unresolved',
    message: `${where} reads {{${name}}}, and nothing stands there; at ${tokens.join('.')} stands: ${holds}`,
  };
}
