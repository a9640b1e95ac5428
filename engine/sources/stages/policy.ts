import { type Halt, halt, type Permitted, type Routed, type Stage } from '../passage.js';

/** Denies by default: a call that needs leave goes on only where the policy names it. Asks again what the core has asked. */
export const checkPolicy: Stage<Routed, Permitted> = { name: 'policy', pass: permit };

function permit(passage: Routed): Permitted | Halt {
  const { policy_id, policy } = passage.command.call;
  if (policy_id === undefined || policy?.allow.has(policy_id)) return { ...passage, permitted: true };
  return halt(passage, 'policy_denied', `${policy_id} is not in the policy's allow list`);
}
