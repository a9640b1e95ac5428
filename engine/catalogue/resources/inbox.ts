import { browseInbox, type WaitingWorld } from '../../operations/browse/overview.js';
import type { ApprovalRecord } from '../../ports/approvals.js';
import type { ListedMessage, WaitingAttempt } from '../../ports/browse.js';
import { pathOf } from '../places.js';
import { columnsOf } from '../members.js';
import { resource } from '../resource.js';
import { code, type Columns, linkTo, type Link, moment, more, type Phrase, section, table } from '../view.js';
import { toArguments } from '../phrase.js';
import { words } from '../words.js';

export const inbox = resource({
  name: 'list_waiting',
  path: '/inbox',
  command: 'inbox',
  says: 'Show what waits, by world: queued turns, and attempts that wait for a driver, a service or a person.',
  gives: 'Inbox',
  takes: ['limit', 'after'],
  read: (archive, { query }) => browseInbox(archive, query),
  view: ({ worlds, attempts, approvals, rows, next }) => ({
    title: 'Inbox',
    eyebrow: 'What waits',
    trail: [],
    sections: [
      section('worlds', 'By world', table(worlds, worldColumns)),
      section('approvals', 'Calls that wait for a person', approvals.length > 0 && table(approvals, approvalColumns)),
      section(
        'attempts',
        'Attempts that wait for somebody',
        table(attempts, attemptColumns, 'No attempt waits for an answer, and no call is in doubt.'),
      ),
      section('messages', 'Messages', table(groupMessages(rows), messageColumns, NOTHING_QUEUED), more(next)),
    ],
  }),
});

const WORLDS: Link = { path: '/worlds', command: ['world', 'list'], text: 'A world’s page' };
const NOTHING_QUEUED: Phrase = [
  'Nothing is queued. ',
  WORLDS,
  ' queues turns, and so does ',
  code('npx chukwa run SLUG --queue --turns 10'),
];

const worldColumns: Columns<WaitingWorld> = {
  world: ({ world_slug }) => linkTo('world', world_slug),
  'queued turns': ({ queued_turns }) => queued_turns || null,
  'attempts that wait': ({ waiting_attempts }) => waiting_attempts || null,
  'calls that they wait for': ({ waited_calls }) => waited_calls || null,
  'deferred until (UTC)': ({ put_off }) => moment(put_off?.until ?? null),
  'why deferred': ({ put_off }) => put_off?.reason ?? null,
};

const approvalColumns: Columns<ApprovalRecord> = {
  world: ({ world_slug }) => linkTo('world', world_slug),
  call: ({ approval_id, tool_name }) => linkTo('approval', approval_id, tool_name),
  arguments: ({ request }) => toArguments(request),
  ...columnsOf<ApprovalRecord>('because', 'asked_at', 'deadline'),
};

const attemptColumns: Columns<WaitingAttempt> = {
  world: ({ world_slug }) => linkTo('world', world_slug),
  'what to do': toTask,
  source: ({ waits_for: [first, ...others] }) =>
    first === undefined ? null : `${first.source_label}${others.length === 0 ? '' : ` and ${others.length} more`}`,
  call: ({ waits_for: [first] }) => linkTo('source_invocation', first?.source_invocation_id ?? null, 'call'),
  'until (UTC)': ({ waits_for: [first] }) => moment(first?.deadline ?? null),
  ...columnsOf<WaitingAttempt>('attempted_turn', 'attempt_id', 'started_at'),
};

/** A suspended attempt that waits for no service waits for a person. */
function toTask({ attempt_id, status, waits_for }: WaitingAttempt): Link {
  if (status === 'suspended' && waits_for.length === 0)
    return {
      path: '/approvals?state=waiting',
      command: ['approvals', '--state', 'waiting'],
      text: 'decide on its calls',
    };
  const text = status === 'suspended' ? 'report its calls' : 'settle its calls in doubt';
  return { path: `${pathOf('attempt', attempt_id)}#waits`, command: ['attempt', attempt_id], text };
}

/** Messages of one kind and state of one world, as one row. */
interface MessageGroup extends ListedMessage {
  readonly size: number;
}

/** Queued turns of a world are alike; every other message is a row of its own. */
export function groupMessages(messages: readonly ListedMessage[]): readonly MessageGroup[] {
  const keyOf = ({ world_slug, message_type, status, attempt_id, defer_reason, inbox_id }: ListedMessage): string =>
    attempt_id === null ? JSON.stringify([world_slug, message_type, status, defer_reason]) : inbox_id;
  const groups = new Map<string, MessageGroup>();
  for (const message of messages) {
    const group = groups.get(keyOf(message));
    groups.set(keyOf(message), { ...(group ?? message), size: (group?.size ?? 0) + 1 });
  }
  return [...groups.values()];
}

export const messageColumns: Columns<MessageGroup> = {
  message: ({ message_type, size }) => (size === 1 ? words(message_type) : `${size} × ${words(message_type)}`),
  ...columnsOf<MessageGroup>('world_slug', 'status', 'attempt_id'),
  tries: ({ retry_count }) => retry_count + 1,
  'due (UTC)': ({ next_retry_at }) => moment(next_retry_at),
  'why it waits': ({ defer_reason }) => defer_reason,
  'since (UTC)': ({ created_at }) => moment(created_at),
};
