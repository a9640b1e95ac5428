import type { OperatorActionRecord } from '../../../ports/operator-actions.js';
import type { Section } from '../page.js';
import { type Columns, sentences, table } from './table.js';
import { linkTo, moment, words } from './text.js';

const columns: Columns<OperatorActionRecord> = {
  What: sentences(({ action, details }) => `${words(action)}${toDetails(details)}`),
  Why: sentences(({ reason }) => reason ?? ''),
  Outcome: sentences(({ outcome }) => outcome ?? 'not known: the server ended meanwhile'),
  By: ({ acted_by, surface }) => `${acted_by}, ${words(surface)}`,
  'When (UTC)': ({ acted_at }) => moment(acted_at),
  Attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
};

function toDetails(details: OperatorActionRecord['details']): string {
  const said = Object.entries(details).map(
    ([name, value]) => `${words(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

/** The actions of operators, the latest first. */
export function operatorActions(actions: readonly OperatorActionRecord[]): Section {
  const body = actions.length > 0 && table('What operators did', columns, actions);
  return { id: 'actions', title: 'What operators did', is_about_others: true, body };
}
