import { present } from '../../contract/present.js';
import { unreachable } from '../../contract/unreachable.js';
import { sayDenied } from '../../core/approvals/approval.js';
import { listOrigins } from '../../core/policy/provenance.js';
import { ruleOn } from '../../core/protocol/ruling.js';
import type { Broker } from '../connections/broker.js';
import { type AuthorisationQuestion, type Authorise, withinTime } from '../authorise.js';
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
  type Unapproved,
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
export async function authorise(passage: Permitted, asked: readonly Authorise[]): Promise<Authorised | Halt> {
  const { command, surroundings } = passage;
  const { call, tool_name, ambient_id, node_id } = command;
  const question: AuthorisationQuestion = {
    ...identityOf(passage),
    action: 'tool.execute',
    tool: present({
      id: tool_name ?? ambient_id ?? node_id ?? call.source.label,
      kind: command.invocation_kind,
      effect: call.effect,
      source: call.source.label,
      connection: call.source.connection,
    }),
    client_request_id: surroundings.client_request_id,
  };
  for (const ask of asked) {
    const verdict = await withinTime(ask, question);
    if (!verdict.allowed) return halt(passage, 'authz_denied', verdict.reason);
  }
  return passage as Authorised;
}

/** A call that the policy leaves to a person is asked for here, or finds what was decided of it. */
export async function approve(passage: Authorised): Promise<Approved | Halt | Unapproved> {
  const { ruling, command, recorder } = passage;
  if (ruling?.decision !== 'require_approval') return passage as Approved;
  const { call, key, request, node_id, subject_id } = command;
  const { policy } = call;
  const name = call.policy_id ?? call.source.label;
  if (policy === undefined || recorder.asked === undefined)
    return halt(passage, 'policy_denied', `${name} needs a person's approval, and nobody can be asked here`);
  const { status, reason, ...approval } = await recorder.asked({
    command_key: key,
    tool_name: name,
    source_hash: call.source.hash,
    effect: call.effect,
    ...present({ node_id, subject_id }),
    request,
    ...present({ origins: listOrigins(request, command.provenance) }),
    policy_hash: policy.hash,
    rule: ruling.rule ?? '',
    because: ruling.because,
    deadline_ms: policy.approval_deadline_ms,
  });
  switch (status) {
    case 'approved':
      return passage as Approved;
    case 'waiting':
      return { passage, approval };
    case 'denied':
      return halt(passage, 'approval_denied', sayDenied(name, reason));
    case 'expired':
      return halt(passage, 'approval_expired', `nobody has decided on ${name} in time`);
    default:
      return unreachable(status);
  }
}

/** A connection is used where the profile and the run both grant it. Nothing has been read of it before. */
export function grant(passage: Approved): Granted | Halt {
  const { source, granted_connections } = passage.command.call;
  const { connection } = source;
  if (connection === undefined || granted_connections?.includes(connection) !== false) return passage as Granted;
  const message = `the connection ${connection} is not granted: the "connections" of the profile, or --connections of the run, leave it out`;
  return halt(passage, 'policy_denied', message);
}

/** Finds the connection, which must be for the origin to which the source leads. */
export async function connect(passage: Granted, { open }: Pick<Broker, 'open'>): Promise<Connected | Halt> {
  const { connection: id, origin } = passage.route;
  if (id === undefined) return passage as Connected;
  const connection = await open(id, origin);
  if ('message' in connection) return halt(passage, connection.failure_class, connection.message);
  return { ...passage, connection } as Connected;
}
