import { KIND_OF_MEMBER, PLACES } from './places.js';
import { code, type Columns, linkTo, moment, type Phrase, state } from './view.js';
import { toDuration, words } from './words.js';

/** What people call a member whose name does not say it. */
const TITLES: Readonly<Record<string, string>> = {
  attempted_turn: 'turn',
  because: 'why',
  deadline: 'until',
  duration_ms: 'took',
  effect_class: 'effect',
  invocation_kind: 'kind',
  logical_generation_attempt: 'try',
  started_at: 'began',
  status: 'state',
  tool_loop_round: 'round',
  tool_name: 'tool',
  turn_epoch: 'epoch',
  validation_status: 'validation',
  wo_type: 'type',
  workflow_node_id: 'node',
  workflow_subject_entity_id: 'subject',
};

/** Members that hold a word of this program, and no name or text. */
const HOLDS_WORD = /_(kind|class|type)$|^(validation_status|decide|op)$/;
const IS_MOMENT = /_at$|^deadline$/;

function titleOf(name: string): string {
  const kind = KIND_OF_MEMBER.get(name);
  if (TITLES[name] !== undefined || kind === undefined) return TITLES[name] ?? words(name.replace(/_(at|ms|id)$/, ''));
  return PLACES[kind].noun;
}

/** A value as people see it, by the name of its member: a link, a moment, a length of time, a state, a word or itself. */
function drawMember(name: string, value: unknown): Phrase {
  const kind = KIND_OF_MEMBER.get(name);
  if (typeof value === 'number') return name.endsWith('_ms') ? toDuration(value) : value;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'string') return null;
  if (kind !== undefined) return linkTo(kind, value);
  if (IS_MOMENT.test(name)) return moment(value);
  if (/^(status|state)$/.test(name)) return state(value);
  if (name === 'rule') return code(value);
  return HOLDS_WORD.test(name) ? words(value) : value;
}

/** Members of a record as facts. */
export function members<Row extends object>(
  row: Row,
  ...names: readonly (keyof Row & string)[]
): Readonly<Record<string, Phrase>> {
  return Object.fromEntries(names.map((name) => [titleOf(name), drawMember(name, row[name])]));
}

/** Members of the rows of a table as its columns. */
export function columnsOf<Row extends object>(...names: readonly (keyof Row & string)[]): Columns<Row> {
  return Object.fromEntries(
    names.map((name) => [
      IS_MOMENT.test(name) ? `${titleOf(name)} (UTC)` : titleOf(name),
      (row: Row) => drawMember(name, row[name]),
    ]),
  );
}
