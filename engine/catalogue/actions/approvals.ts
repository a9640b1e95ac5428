import { present } from '../../contract/present.js';
import { decideCall as decide, showApproval } from '../../operations/approvals.js';
import { placeOf } from '../../operations/audit.js';
import { action, choice } from '../action.js';

export const decideCall = action({
  kind: 'decide_call',
  name: 'decide_call',
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
  path: '/approvals/:approval_id/decision',
  says: 'Approves or denies a call that waits for a person: approved, it is made once, as shown.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: { decision: choice('The decision', ['approved', 'denied']) },
  is_reason_optional: true,
  forms: [
    {
      id: 'decide',
      title: 'Decide on this call',
      consequence:
        'Approved, the call is made once, with these arguments. Denied, the model is told your reason, and goes on without the call. A decision is final.',
      fields: ['decision'],
      button: 'Decide',
    },
  ],
  locate: async (engine, { approval_id, decision }) =>
    placeOf(await showApproval(engine, approval_id), { approval_id, decision }),
  perform: (engine, { approval_id, decision }, { acted_by, reason }) =>
    decide(engine, { approval_id, decision, decided_by: acted_by, ...present({ reason }) }),
});
