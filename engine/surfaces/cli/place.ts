import type { Place } from '../../operations/documents/index.js';
import type { Session } from './session.js';

/** The folders that commands on documents get. */
export interface RootOptions {
  readonly root?: string;
}

/** The working folder of a command on documents, and the root beyond which it reads nothing. */
export function toPlace({ terminal }: Pick<Session, 'terminal'>, { root }: RootOptions): Place {
  return { working_folder: terminal.working_folder, ...(root === undefined ? {} : { root }) };
}
