import type { Place } from '../../operations/documents/index.js';
import type { Session } from './session.js';

/** What commands on documents are told of folders. */
export interface RootOptions {
  readonly root?: string;
}

/** Where a command on documents stands, and how far it may look. */
export function toPlace({ terminal }: Pick<Session, 'terminal'>, { root }: RootOptions): Place {
  return { working_folder: terminal.working_folder, ...(root === undefined ? {} : { root }) };
}
