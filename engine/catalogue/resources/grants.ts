import { succeed } from '../../contract/problem.js';
import { showGrant } from '../../operations/people/grants.js';
import type { GrantRecord } from '../../ports/approvals.js';
import { columnsOf, members } from '../members.js';
import { listResource, resource } from '../resource.js';
import { code, type Columns, inShort, json, linkTo, moment, section, state } from '../view.js';

const columns: Columns<GrantRecord> = {
  grant: ({ grant_id, tool_name }) => linkTo('grant', grant_id, tool_name),
  ...columnsOf<GrantRecord>('status', 'world_slug', 'workflow_subject_entity_id'),
  'calls left': ({ uses_left, uses }) => `${uses_left} of ${uses}`,
  ...columnsOf<GrantRecord>('deadline', 'granted_by'),
};

export const grants = listResource({
  name: 'list_grants',
  path: '/grants',
  command: 'grants',
  says: 'List grants, which approve calls without asking.',
  gives: 'Grants',
  takes: ['world', 'state'],
  cursor: 'id',
  keyOf: ({ grant_id }) => grant_id,
  read: async ({ store }, { query: { world, state: status } }, part) =>
    succeed(await store.grants.list({ ...part, world_slug: world ?? null, status: status ?? null })),
  title: 'Grants',
  order: 'The latest first',
  columns,
  empty: 'Nobody has granted calls to come.',
});

export const grant = resource({
  path: '/grants/:grant_id',
  command: 'grants show',
  says: 'Show a grant: the calls that it approves, how many are left, who granted it.',
  gives: 'Grant',
  read: (archive, { parameters: { grant_id } }) => showGrant(archive, grant_id),
  view: (shown) => ({
    eyebrow: 'Grant',
    title: shown.tool_name,
    trail: [linkTo('world', shown.world_slug)],
    sections: [
      inShort({
        state: state(shown.status),
        subject: shown.workflow_subject_entity_id ?? 'every one',
        calls: `${shown.uses_left} of ${shown.uses} left`,
        ...members(shown, 'deadline', 'granted_by', 'granted_at', 'reason'),
        'taken back': moment(shown.revoked_at),
        id: code(shown.grant_id),
      }),
      section('arguments', 'Arguments that a call must have', json(shown.arguments)),
    ],
  }),
});
