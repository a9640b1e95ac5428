import { present } from '../../contract/present.js';
import type { JsonObject } from '../../contract/json.js';
import { isObject } from '../../core/content/json-pointer.js';
import { decideCall as decide, showApproval } from '../../operations/people/approvals.js';
import { placeOf } from '../../operations/people/audit.js';
import {
  GRANT_HOURS,
  grantCalls as grant,
  pointAtArguments,
  revokeGrant as revoke,
  showGrant,
} from '../../operations/people/grants.js';
import { action, choice, type Field, optional, whole } from '../action.js';

export const decideCall = action({
  kind: 'decide_call',
  name: 'decide_approval',
  commands: [
    {
      name: 'approve',
      says: 'Let a call be made that waits for a person, once, with the arguments that were shown.',
      given: { decision: 'approved' },
    },
    {
      name: 'deny',
      says: 'Deny a call that waits for a person; the model is told the reason, and goes on without it.',
      given: { decision: 'denied' },
    },
  ],
  path: '/approvals/:approval_id',
  says: 'Approves or denies a call that waits for a person: approved, it is made once, as shown.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: { decision: choice('The decision', ['approved', 'denied']) },
  is_reason_optional: true,
  forms: [
    {
      id: 'approve',
      title: 'Approve this call',
      consequence: 'The attempt makes the call, once, with these arguments. The decision is final.',
      fields: [],
      sends: { decision: 'approved' },
      button: 'Approve',
    },
    {
      id: 'deny',
      title: 'Deny this call',
      consequence: 'The model is told your reason, and goes on without the call. The decision is final.',
      fields: [],
      sends: { decision: 'denied' },
      button: 'Deny',
    },
  ],
  offered: { Approval: ({ status }) => (status === 'waiting' ? {} : undefined) },
  locate: async (engine, { approval_id, decision }) =>
    placeOf(await showApproval(engine, approval_id), { approval_id, decision }),
  perform: (engine, { approval_id, decision }, { acted_by, reason }) =>
    decide(engine, { approval_id, decision, decided_by: acted_by, ...present({ reason }) }),
});

const HOURS_MAX = 8_760;

const granted: Field<JsonObject> = {
  label: 'With these arguments, by pointer; others may be anything',
  control: 'json',
  schema: { type: 'object' },
  wanted: 'an object of pointers into the arguments and their values, such as {"/payee": "Waterworks"}',
  refused_by: ['GRANT_MISSES_CALL'],
  read: (said) => (isObject(said) && Object.keys(said).every((pointer) => /^(\/|$)/.test(pointer)) ? said : undefined),
};

export const grantCalls = action({
  kind: 'grant_calls',
  name: 'grant_calls',
  commands: [{ name: 'grant' }],
  path: '/approvals/:approval_id/grant',
  says: 'Approves calls like this one, that wait or are to come, as often and as long as said.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: false },
  takes: {
    uses: whole('How many calls', 'a whole number from 1 to 1000', { minimum: 1, maximum: 1_000 }),
    hours: optional(
      whole('For how many hours', `a whole number from 1 to ${HOURS_MAX}, or ${GRANT_HOURS}`, {
        minimum: 1,
        maximum: HOURS_MAX,
      }),
    ),
    arguments: optional(granted),
  },
  is_reason_optional: true,
  forms: [
    {
      id: 'grant',
      title: 'Approve calls like this one',
      consequence:
        'This call and others that wait are approved, and those to come: of the same tool, for the same subject, with these arguments. Nobody is asked for them. A grant can be taken back.',
      button: 'Grant',
    },
  ],
  offered: {
    Approval: (shown) =>
      shown.status === 'waiting' && !shown.is_altered
        ? { uses: 10, hours: GRANT_HOURS, arguments: JSON.stringify(pointAtArguments(shown), null, 2) }
        : undefined,
  },
  locate: async (engine, { approval_id, uses, hours }) =>
    placeOf(await showApproval(engine, approval_id), present({ approval_id, uses, hours })),
  perform: (engine, input, { acted_by, reason }) =>
    grant(engine, { ...input, granted_by: acted_by, ...present({ reason }) }),
});

export const revokeGrant = action({
  kind: 'revoke_grant',
  name: 'revoke_grant',
  commands: [{ name: 'revoke' }],
  path: '/grants/:grant_id/revocation',
  says: 'Takes a grant back: it approves no further call.',
  by: 'operator',
  hints: { is_destructive: false, is_idempotent: true },
  takes: {},
  is_reason_optional: true,
  forms: [
    {
      id: 'revoke',
      title: 'Take it back',
      consequence: 'It approves no further call. What it has approved stays approved.',
      button: 'Take it back',
    },
  ],
  offered: { Grant: ({ status }) => (status === 'usable' ? {} : undefined) },
  locate: async (engine, { grant_id }) => placeOf(await showGrant(engine, grant_id), { grant_id }),
  perform: (engine, { grant_id }) => revoke(engine, grant_id),
});
