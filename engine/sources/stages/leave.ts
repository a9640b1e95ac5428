import type { Invoke } from '../../core/protocol/command.js';
import { type Authorised, type Granted, type Halt, halt, type Permitted, type Routed } from '../passage.js';

/** Denies by default: a call that needs leave continues only where the policy names it. Repeats the core's check. */
export function checkPolicy(passage: Routed): Permitted | Halt {
  const { policy_id, policy } = passage.command.call;
  if (policy_id === undefined || policy?.allow.has(policy_id)) return passage as Permitted;
  return halt(passage, 'policy_denied', `${policy_id} is not in the policy's allow list`);
}

/** Whether those for whom the turn runs may make this call; or why not. */
export type Authorise = (
  command: Invoke,
) => Promise<{ readonly allowed: true } | { readonly allowed: false; readonly reason: string }>;

/** Where nobody asks for more, everybody may. */
export const allowEverybody: Authorise = async () => ({ allowed: true });

/** Asks the operator's own authorisation. */
export async function authorise(passage: Permitted, ask: Authorise): Promise<Authorised | Halt> {
  const verdict = await ask(passage.command);
  return verdict.allowed ? (passage as Authorised) : halt(passage, 'authz_denied', verdict.reason);
}

/** Every call passes: none carries a connection, so that there is nothing yet that would have to be granted. */
export function grant(passage: Authorised): Granted {
  return passage as Granted;
}
