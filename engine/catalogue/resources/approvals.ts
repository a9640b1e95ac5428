import { succeed } from '../../contract/problem.js';
import { type ApprovalStats, showApproval, showApprovalStatistics } from '../../operations/people/approvals.js';
import type { ApprovalRecord } from '../../ports/approvals.js';
import { columnsOf, members } from '../members.js';
import { listResource, resource } from '../resource.js';
import { code, type Columns, facts, inShort, json, linkTo, moment, note, section, state, table } from '../view.js';

export const approval = resource({
  name: 'get_approval',
  path: '/approvals/:approval_id',
  command: 'approval',
  says: 'Show a call that waits for a person: arguments, rule, decision.',
  gives: 'Approval',
  read: (archive, { parameters: { approval_id } }) => showApproval(archive, approval_id),
  view(shown) {
    const { tool_name, world_slug, attempt_id, attempted_turn, decided_by, source_invocation_id } = shown;
    return {
      eyebrow: 'Approval',
      title: tool_name,
      trail: [linkTo('world', world_slug), linkTo('attempt', attempt_id, `attempt at turn ${attempted_turn}`)],
      sections: [
        inShort({
          state: state(shown.status),
          altered: shown.is_altered ? ALTERED : null,
          'what it does': shown.effect_class.replaceAll('_', ' '),
          ...members(shown, 'workflow_subject_entity_id', 'workflow_node_id'),
          source: linkTo('response_source', shown.source_hash, shown.source_label),
          ...members(shown, 'asked_at', 'waited_ms', 'deadline', 'left_ms', 'rule', 'because'),
          call: source_invocation_id && linkTo('source_invocation', source_invocation_id),
          id: code(shown.approval_id),
        }),
        section('arguments', 'Arguments', json(shown.request)),
        section(
          'origins',
          'Where they come from',
          shown.origins !== null && table(Object.entries(shown.origins), originColumns, ''),
        ),
        section(
          'decision',
          'Decision',
          decided_by === null
            ? note(shown.status === 'waiting' ? 'It waits for a person.' : 'Nobody has decided.')
            : facts({
                decision: shown.status,
                by: decided_by,
                'by a grant': linkTo('grant', shown.grant_id, 'of calls like it'),
                when: moment(shown.decided_at),
                reason: shown.reason,
              }),
        ),
      ],
    };
  },
});

const ALTERED = 'its row is not the one to which the decision is bound: it cannot be approved';

/** Of an argument, by its pointer. */
const originColumns: Columns<readonly [pointer: string, origins: readonly string[]]> = {
  argument: ([pointer]) => code(pointer),
  from: ([, origins]) => origins.join(', '),
};

const columns: Columns<ApprovalRecord> = {
  call: ({ approval_id, tool_name }) => linkTo('approval', approval_id, tool_name),
  ...columnsOf<ApprovalRecord>('status', 'world_slug', 'attempted_turn', 'workflow_subject_entity_id'),
  ...columnsOf<ApprovalRecord>('asked_at', 'waited_ms', 'left_ms', 'decided_by'),
};

export const approvals = listResource({
  name: 'list_approvals',
  path: '/approvals',
  command: 'approvals',
  says: 'List calls that wait for a person, or for which one has decided.',
  gives: 'Approvals',
  takes: ['world', 'state'],
  cursor: 'id',
  keyOf: ({ approval_id }) => approval_id,
  read: async ({ store }, { query: { world, state: status } }, part) =>
    succeed(await store.approvals.list({ ...part, world_slug: world ?? null, status: status ?? null })),
  title: 'Approvals',
  order: 'The latest first',
  columns,
  empty: 'No call has waited for a person.',
});

export const approvalStatistics = resource({
  path: '/approval-statistics',
  command: 'approvals stats',
  says: 'Show how persons decide on calls, by rule: how many, how fast, and the rules that never denied one.',
  gives: 'ApprovalStatistics',
  takes: ['world'],
  read: (archive, { query: { world } }) => showApprovalStatistics(archive, world),
  view: ({ rules }) => ({
    eyebrow: 'Approvals',
    title: 'How persons decide',
    trail: [],
    sections: [section('rules', 'By rule', table(rules, ruleColumns, 'No call has waited for a person.'))],
  }),
});

const percent = (share: number | null): string | null => (share === null ? null : `${Math.round(share * 100)} %`);

const ruleColumns: Columns<ApprovalStats['rules'][number]> = {
  ...columnsOf<ApprovalStats['rules'][number]>('rule', 'tool_name', 'asked', 'approved'),
  'by a grant': ({ by_grant }) => by_grant,
  ...columnsOf<ApprovalStats['rules'][number]>('denied', 'expired'),
  'median of a decision': ({ median_ms }) => (median_ms === null ? null : `${Math.round(median_ms / 1_000)} s`),
  'in under 3 s': ({ hasty }) => percent(hasty),
  finding: ({ never_denied }) => (never_denied ? 'it never denied a call: a gate that decides nothing' : null),
};
