import type { OperatorActionRecord } from '../../../ports/operator-actions.js';
import type { Column, Section } from '../page.js';
import { table } from './table.js';
import { linkTo, moment, words } from './text.js';

const columns: readonly Column<OperatorActionRecord>[] = [
  { title: 'What', is_text: true, cell: ({ action, details }) => `${words(action)}${toDetails(details)}` },
  { title: 'Why', is_text: true, cell: ({ reason }) => reason ?? '' },
  {
    title: 'What came of it',
    is_text: true,
    cell: ({ outcome }) => outcome ?? 'not known: the server ended meanwhile',
  },
  { title: 'By', cell: ({ acted_by }) => acted_by },
  { title: 'When', cell: ({ acted_at }) => moment(acted_at) },
  { title: 'Attempt', cell: ({ attempt_id }) => linkTo('attempt', attempt_id) },
];

function toDetails(details: OperatorActionRecord['details']): string {
  const said = Object.entries(details).map(
    ([name, value]) => `${words(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

/** The actions of operators, the latest first. */
export function operatorActions(actions: readonly OperatorActionRecord[]): Section {
  const body = actions.length > 0 && table('What operators did', columns, actions);
  return { id: 'actions', title: 'What operators did', tells_of_others: true, body };
}
