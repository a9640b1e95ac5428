import { hostname, userInfo } from 'node:os';
import { present } from '../../contract/present.js';
import type { Actor } from './audit.js';

/** The person at the command line, or behind a program of this machine, by the name that the machine knows. */
export function personHere(reason?: string, surface: Actor['surface'] = 'command_line'): Actor {
  return present({ acted_by: userName(), address: hostname(), surface, reason });
}

/** A container may run a user without a name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'a user without a name';
  }
}
