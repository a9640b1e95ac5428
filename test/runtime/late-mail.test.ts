import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboxMessage } from '../../engine/ports/inbox.js';
import type { CallReport } from '../../engine/ports/sources.js';
import type { Attempt } from '../../engine/runtime/attempt.js';
import { openJournal } from '../../engine/runtime/journal.js';
import { handleMail } from '../../engine/runtime/later.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';

const toMessage = (inbox_id: string, message_type: string, payload: object = {}): InboxMessage =>
  ({ inbox_id, message_type, correlation_id: 'call', payload }) as InboxMessage;

const ENOUGH = new Error('the report is known');

/** The report by which a driver ends a pending call that has run out of time, where its inbox holds these by then. */
async function reportAfter(closed: 'reported' | 'closed', messages: readonly InboxMessage[]) {
  const reports: CallReport[] = [];
  const start = { source_invocation_id: 'call', command: { key: 'bob/act/tool' }, started_at: 0 };
  const attempt = {
    lease: {},
    state: { awaited: new Set(['bob/act/tool']), pended: new Set(['bob/act/tool']) },
    calls: new Map([['bob/act/tool', { start, stage: 'over' }]]),
    journal: openJournal({ writeCalls: async () => {} }),
  } as unknown as Attempt;
  const parts = {
    attempts: {
      claimTimeout: async (_lease: unknown, source_invocation_id: string) => {
        assert.equal(source_invocation_id, 'call');
        return closed;
      },
    },
    inbox: { messagesOf: async () => messages },
    receiveReport: async (_command: unknown, report: CallReport) => {
      reports.push(report);
      throw ENOUGH;
    },
  } as unknown as RuntimeParts;
  await assert.rejects(handleMail(parts, attempt, [toMessage('timeout', 'timeout')]), ENOUGH);
  return reports;
}

test('a call that has run out of time ends as timed out', async () =>
  assert.deepEqual(await reportAfter('closed', []), [{ kind: 'timed_out' }]));

test('a report that came before its timeout was handled takes its place, whatever else has come', async () => {
  const others = [
    toMessage('one', 'tool_result', { failed: 'no' }),
    toMessage('timeout', 'tool_result', { result: 7 }),
  ];
  assert.deepEqual(await reportAfter('reported', others), [{ kind: 'answered', value: 7 }]);
});
