import { present } from '../../contract/present.js';
import { ruleOn } from '../../core/protocol/ruling.js';
import { type Authorise, withinTime } from '../authorise.js';
import { identityOf } from '../identity.js';
import {
  type Approved,
  type Authorised,
  type Connected,
  type Granted,
  type Halt,
  halt,
  type Permitted,
  type Routed,
} from '../passage.js';

/** Decides about the call as it is about to be made, though its tools were offered by the same rules. */
export function checkPolicy(passage: Routed): Permitted | Halt {
  const { command } = passage;
  const ruling = ruleOn(command);
  const ruled = { ...passage, ...present({ ruling }) };
  if (ruling?.decision !== 'deny') return ruled as Permitted;
  return halt(ruled, 'policy_denied', `the tool policy denies ${command.call.policy_id}: ${ruling.because}`);
}

/** Asks the operator's own authorisation. A call about which it says nothing in time is not made. */
export async function authorise(passage: Permitted, ask: Authorise): Promise<Authorised | Halt> {
  const { command, surroundings } = passage;
  const { call, tool_name, ambient_id, node_id } = command;
  const verdict = await withinTime(ask, {
    ...identityOf(passage),
    action: 'tool.execute',
    tool: present({
      id: tool_name ?? ambient_id ?? node_id ?? call.source.label,
      kind: command.invocation_kind,
      effect: call.effect,
      source: call.source.label,
    }),
    client_request_id: surroundings.client_request_id,
  });
  return verdict.allowed ? (passage as Authorised) : halt(passage, 'authz_denied', verdict.reason);
}

/** A call that needs a person's approval waits here for it. No person can be asked yet: it fails, and says so. */
export function approve(passage: Authorised): Approved | Halt {
  const { ruling, command } = passage;
  if (ruling?.decision !== 'require_approval') return passage as Approved;
  const why = `${command.call.policy_id} needs a person's approval (${ruling.because}), which this version cannot ask for`;
  return halt(passage, 'policy_denied', why);
}

/** Every call passes: none carries a connection, so that there is nothing yet that would have to be granted. */
export function grant(passage: Approved): Granted {
  return passage as Granted;
}

/** Every call passes: none carries a connection whose secrets would have to be found. */
export function connect(passage: Granted): Connected {
  return passage as Connected;
}
