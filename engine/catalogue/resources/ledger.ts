import { present } from '../../contract/present.js';
import { cursorOf, listLedger } from '../../operations/ledger/list-ledger.js';
import { type ListedOrder, listOrders, showOrder } from '../../operations/ledger/orders.js';
import { type Verification, verifyAttempt, verifyWorld } from '../../operations/ledger/verify.js';
import { columnsOf, members } from '../members.js';
import { listResource, resource } from '../resource.js';
import {
  code,
  failure,
  faint,
  inShort,
  json,
  linkTo,
  list,
  moment,
  note,
  type Phrase,
  type RecordView,
  section,
  state,
  strong,
  table,
  trailToAttempt,
  trailToWorld,
} from '../view.js';
import { count, toDuration, words } from '../words.js';

export const workOrders = listResource({
  name: 'list_work_orders',
  path: '/attempts/:attempt_id/work-orders',
  command: 'orders',
  says: 'List the work orders of an attempt: what each node was to do, within which limits, and what it cost.',
  gives: 'WorkOrders',
  cursor: 'order',
  keyOf: ({ wo_id }) => wo_id,
  read: (archive, { parameters: { attempt_id } }, part) => listOrders(archive, attempt_id, part),
  title: 'Work orders of an attempt',
  order: 'By their numbers: subjects in the order of the scenario, nodes as declared',
  columns: {
    order: ({ wo_id }) => linkTo('work_order', wo_id),
    ...columnsOf<ListedOrder>('wo_type', 'subject_id', 'node_id', 'state'),
    tokens: ({ cost }) => cost.total_tokens,
    budget: ({ constraints }) => constraints.token_budget,
    took: ({ cost }) => toDuration(cost.elapsed_ms),
  },
  empty: 'No order has been planned yet.',
});

export const workOrder = resource({
  name: 'get_work_order',
  path: '/work-orders/:wo_id',
  command: 'order',
  says: 'Show one work order: its limits, what it was given, its calls, its result and its cost.',
  gives: 'WorkOrder',
  read: (archive, { parameters: { wo_id } }) => showOrder(archive, wo_id),
  view(order) {
    const { constraints, cost, input_context, output_result, error } = order;
    const limits = [
      constraints.token_budget === null ? null : count(constraints.token_budget, 'token'),
      constraints.turn_limit === null ? null : [', ', count(constraints.turn_limit, 'generation')],
      constraints.timeout_seconds === null ? null : `, ${constraints.timeout_seconds} s`,
    ];
    const spent = `${count(cost.llm_calls, 'generation')}, ${count(cost.tool_calls, 'other call')}, ${count(cost.total_tokens, 'token')} (${cost.input_tokens} in, ${cost.output_tokens} out), ${toDuration(cost.elapsed_ms)}`;
    return {
      eyebrow: 'Work order',
      title: order.wo_id,
      trail: trailToAttempt(order),
      lede: [state(order.state), error === null ? null : [': ', failure(`${error.reason}: ${error.message}`)]],
      sections: [
        inShort({
          ...members(order, 'wo_type', 'subject_id', 'node_id'),
          'goes on from': order.parent_wo_id && linkTo('work_order', order.parent_wo_id),
          reads: input_context.prior_results.map((id, index) => [index === 0 ? '' : ', ', linkTo('work_order', id)]),
          limits: constraints.token_budget === null ? null : limits,
          'tools allowed': constraints.tools_allowed.join(', '),
          contract: constraints.prompt_contract_id,
          'breaks the planning rule': error?.planning_rule ?? null,
          planned: [moment(order.created_at), ` by ${order.created_by}`],
          completed: moment(order.completed_at),
          cost: spent,
          result: output_result && [
            linkTo('source_invocation', output_result.source_invocation_id, 'the call that gave it'),
            output_result.answer_hash && ['  ', code(output_result.answer_hash)],
          ],
        }),
        section(
          'calls',
          'Its calls, in the order of their issue',
          table(
            order.calls,
            {
              call: ({ source_invocation_id, command_key }) =>
                linkTo('source_invocation', source_invocation_id, command_key),
              kind: ({ invocation_kind }) => words(invocation_kind),
              state: ({ status, is_superseded }) => [state(status), is_superseded ? faint(' superseded') : null],
              'adopted from': ({ adopted_from }) => linkTo('attempt', adopted_from),
            },
            'It failed before its first call.',
          ),
        ),
        section(
          'contract',
          'Its prompt contract: prompt, schemas, limits',
          order.prompt_contract !== null && json(order.prompt_contract),
        ),
      ],
    };
  },
});

export const worldLedger = listResource({
  name: 'list_ledger',
  path: '/worlds/:world_slug/ledger',
  command: 'ledger show',
  says: 'List the entries of both ledgers of a world: all, or those of a traversal.',
  gives: 'Ledger',
  takes: ['attempt', 'pattern', 'of'],
  cursor: 'entry',
  keyOf: cursorOf,
  read: (archive, { parameters: { world_slug }, query: { attempt, pattern, of } }, part) =>
    listLedger(archive, { world_slug, ...present({ attempt, pattern, of }) }, part),
  title: ({ parameters: { world_slug } }) => `The ledgers of ${world_slug}`,
  order: 'The first attempt first; HO2 decides, HO1 performs',
  columns: {
    entry: ({ entry_id }) => code(entry_id),
    event: ({ tier, event_type }) => `${tier} ${event_type}`,
    of: ({ wo_id, metadata }) => (wo_id === undefined ? metadata.provenance.agent_id : linkTo('work_order', wo_id)),
    outcome: ({ outcome }) =>
      outcome === undefined ? null : state(outcome.status === 'success' ? 'succeeded' : 'failed'),
    because: ({ metadata }) => metadata.relational.parent_event_id ?? null,
    attempt: ({ attempt_id }) => ({ ...linkTo('attempt', attempt_id), text: attempt_id.slice(-12) }),
  },
  empty: 'Nothing has happened yet.',
});

export const attemptVerification = resource({
  name: 'verify_attempt',
  path: '/attempts/:attempt_id/verification',
  says: 'Whether the record of an attempt is what was sealed when it ended.',
  gives: 'Verification',
  read: (archive, { parameters: { attempt_id } }) => verifyAttempt(archive, attempt_id),
  view: viewVerification,
});

export const worldVerification = resource({
  name: 'verify_world',
  path: '/worlds/:world_slug/verification',
  says: 'Whether the records of a world are what was sealed, all of them and in their order.',
  gives: 'Verification',
  read: (archive, { parameters: { world_slug } }) => verifyWorld(archive, world_slug),
  view: viewVerification,
});

export function viewVerification(found: Verification): RecordView {
  const { world_slug, attempt_id, ok, says, root, findings } = found;
  const verdict: Phrase = ok ? strong('Verified.') : failure(`${count(findings.length, 'breach', 'breaches')}.`);
  return {
    eyebrow: 'Verification',
    title: attempt_id === null ? world_slug : `Attempt ${attempt_id}`,
    trail:
      attempt_id === null ? trailToWorld(world_slug) : [...trailToWorld(world_slug), linkTo('attempt', attempt_id)],
    lede: [verdict, ' ', says],
    sections: [
      inShort({
        ...members(found, 'attempts', 'entries', 'seals'),
        'last root': root && code(root),
      }),
      section(
        'findings',
        'What is not as it was sealed',
        list(
          findings.map((it) => [
            note(failure(it.code), '  ', it.message),
            it.source_invocation_id !== null && note(linkTo('source_invocation', it.source_invocation_id, 'the call')),
          ]),
        ),
      ),
    ],
  };
}
