import type { Invoke } from '../../core/protocol/command.js';
import { type Authorised, type Halt, halt, type Permitted, type Stage } from '../passage.js';

/** Whether those for whom the turn runs may make this call; or why not. */
export type Authorise = (
  command: Invoke,
) => Promise<{ readonly allowed: true } | { readonly allowed: false; readonly reason: string }>;

/** Where nobody asks for more, everybody may. */
export const allowEverybody: Authorise = async () => ({ allowed: true });

/** Asks the operator's own authorisation. */
export function authorise(ask: Authorise): Stage<Permitted, Authorised> {
  return { name: 'authorise', pass: (passage) => permit(passage, ask) };
}

async function permit(passage: Permitted, ask: Authorise): Promise<Authorised | Halt> {
  const verdict = await ask(passage.command);
  return verdict.allowed ? { ...passage, authorised: true } : halt(passage, 'authz_denied', verdict.reason);
}
