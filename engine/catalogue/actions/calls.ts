import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { type Outcome, succeed } from '../../contract/problem.js';
import { type Actor, placeOf } from '../../operations/people/audit.js';
import type { Engine } from '../../operations/engine.js';
import { showAttempt, showInvocation } from '../../operations/browse/records.js';
import { askToStop, findMeantCall, reportByHand, type SaidReport } from '../../operations/settling/reports.js';
import { isInDoubt, settleCall as settle, type SettledCall } from '../../operations/settling/settle-call.js';
import { action, type Done, type Form, line, optional, value } from '../action.js';

export const stopAttempt = action({
  kind: 'stop_attempt',
  name: 'stop_attempt',
  path: '/attempts/:attempt_id/stop',
  says: 'Stops an attempt.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: {},
  is_reason_optional: true,
  forms: [
    {
      id: 'stop',
      title: 'Stop this attempt',
      consequence:
        'The driver of the attempt ends it before its next call. The world stays as it was before this turn. Calls that have been made are not undone, and stay on record; the next attempt continues with their answers.',
      button: 'Stop it',
    },
  ],
  offered: { Attempt: ({ ended_at }) => (ended_at === null ? {} : undefined) },
  locate: async (engine, { attempt_id }) => placeOf(await showAttempt(engine, attempt_id)),
  perform: (engine, { attempt_id }, by) => askToStop(engine, attempt_id, by),
});

const ANSWER = optional(value('The answer, as JSON'));

const SETTLEMENTS: readonly Form[] = [
  {
    id: 'performed',
    title: 'It took place',
    consequence:
      'The next attempt continues with the answer that you write here, and does not make the call again. The answer has to fit the schema of the source’s answers. If the call did not take place after all, its effect is missing.',
    fields: ['answer'],
    button: 'Settle: it took place',
  },
  {
    id: 'not-performed',
    title: 'It did not take place',
    consequence: 'The next attempt makes the call. If it took place after all, its effect happens a second time.',
    fields: [],
    button: 'Settle: it did not take place',
  },
];

export const settleCall = action({
  kind: 'settle_call',
  name: 'settle_call',
  path: '/source-invocations/:source_invocation_id/settlement',
  says: 'Settles a call in doubt: it took place, with this answer; without one, it did not.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: { answer: ANSWER },
  forms: SETTLEMENTS,
  offered: { SourceInvocation: (call) => (isInDoubt(call) ? { answer: toText(call.response_json) } : undefined) },
  is_awaited: true,
  locate: async (engine, { source_invocation_id, answer }) =>
    placeOf(await showInvocation(engine, source_invocation_id), { performed: answer !== undefined }),
  async perform(engine, { source_invocation_id, answer }, by) {
    const call = await showInvocation(engine, source_invocation_id);
    if (!call.ok) return call;
    return settleOne(engine, { attempt_id: call.value.attempt_id, source_invocation_id, ...present({ answer }) }, by);
  },
});

function toText(answer: unknown): string {
  return answer === null ? '' : JSON.stringify(answer, null, 2);
}

export const settleCallOfAttempt = action({
  kind: 'settle_call',
  path: '/attempts/:attempt_id/settlement',
  says: 'Settles a call of an attempt in the same way; the call is named where several are in doubt.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: { answer: ANSWER, call: optional(line('The call', 'the id of a call')) },
  forms: [],
  locate: async (engine, { attempt_id, answer }) =>
    placeOf(await showAttempt(engine, attempt_id), { performed: answer !== undefined }),
  perform: (engine, { attempt_id, answer, call: source_invocation_id }, by) =>
    settleOne(engine, { attempt_id, ...present({ source_invocation_id, answer }) }, by),
});

interface Settlement {
  readonly attempt_id: string;
  readonly source_invocation_id?: string;
  readonly answer?: Json;
}

async function settleOne(
  engine: Engine,
  settlement: Settlement,
  { reason }: Pick<Actor, 'reason'>,
): Promise<Outcome<Done<SettledCall>>> {
  const settled = await settle(engine, { ...settlement, ...present({ reason }) });
  if (!settled.ok) return settled;
  const { world, source_invocation_id, performed, left_in_doubt } = settled.value;
  const left = `${LEFT_IN_DOUBT[left_in_doubt] ?? `${left_in_doubt} other calls of its attempt are`} in doubt`;
  const message = `The call ${performed ? 'took place' : 'did not take place'}; ${left}.`;
  const { attempt_id } = settlement;
  return succeed({ accepted: true, message, world, attempt_id, source_invocation_id, made: settled.value });
}

const LEFT_IN_DOUBT = ['no other call of its attempt is', 'one other call of its attempt is'];

export const reportCall = action({
  kind: 'report_call',
  name: 'report_call',
  path: '/source-invocations/:source_invocation_id/report',
  says: 'Reports the answer of a pending call, by its id or its service’s; without an answer, why it failed.',
  by: 'operator',
  hints: { is_destructive: false, is_idempotent: true },
  takes: { answer: ANSWER },
  is_reason_optional: true,
  forms: [
    {
      id: 'answered',
      title: 'It answered',
      consequence:
        'The attempt continues with the answer that you write here. It is checked like any answer of the source. A later report of the service is a duplicate, and changes nothing.',
      fields: ['answer'],
      button: 'Report the answer',
    },
    {
      id: 'failed',
      title: 'It failed',
      consequence:
        'The call fails with your reason as its message. The binding of the call in the workflow says whether the turn continues without the answer, or the attempt fails.',
      fields: [],
      button: 'Report the failure',
    },
  ],
  offered: { SourceInvocation: ({ status }) => (status === 'pending' ? {} : undefined) },
  is_awaited: true,
  locate: async (engine, { source_invocation_id, answer }) =>
    placeOf(await findMeantCall(engine, source_invocation_id), { said: answer === undefined ? 'failed' : 'answered' }),
  perform: (engine, { source_invocation_id, answer }, { reason: message = 'an operator reported a failure' }) => {
    const said: SaidReport = answer === undefined ? { kind: 'failed', message } : { kind: 'answered', value: answer };
    return reportByHand(engine, source_invocation_id, said);
  },
});
