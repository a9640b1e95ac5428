import { type Halt, halt, type Routed, type Stage } from '../passage.js';

/** Denies by default: a call that needs leave goes on only where the policy names it. Asks again what the core has asked. */
export const checkPolicy: Stage<Routed, Routed> = { name: 'policy', pass: permit };

function permit(passage: Routed): Routed | Halt {
  const { policy_id, policy } = passage.command.call;
  if (policy_id === undefined || policy?.allow.has(policy_id)) return passage;
  return halt(passage, 'policy_denied', `${policy_id} is not in the policy's allow list`);
}
