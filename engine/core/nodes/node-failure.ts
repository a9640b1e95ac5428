import type { CallFailed, CallRefused } from '../turn/event.js';
import type { NodeFailure } from './node-type.js';

/** A call that did not succeed ends its attempt with the call's own class. */
export function callFailed(event: CallFailed | CallRefused): NodeFailure {
  return { failure_class: event.failure_class, message: event.message, call_key: event.key };
}

/** A template or prompt asked for something that is not there. */
export function templateUnresolved(where: string, missing: string): NodeFailure {
  return {
    failure_class: 'template_unresolved',
    message: `${where} reads ${missing}, and nothing stands there; write a default, or read what exists`,
  };
}
