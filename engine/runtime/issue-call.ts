import { present } from '../contract/present.js';
import type { Invoke } from '../core/protocol/command.js';
import type { MemoryQuery } from '../core/world/retrieval.js';
import type { AttemptLease, CallStart } from '../ports/attempts.js';
import type { CallResult } from '../ports/sources.js';
import { type Attempt, type Call, callOf } from './attempt.js';
import { askApproval } from './approvals.js';
import { chooseWait, waitFor } from './backoff.js';
import { callWithinBudgets } from './kept-budgets.js';
import { writeAlone, writeCall } from './journal.js';
import type { RuntimeParts } from './runtime-parts.js';

/**
 * Calls a source, at once or when the wait before a retry is over; the outcome arrives later. A turn that was stopped
 * after the command calls nobody.
 */
export function issue(parts: RuntimeParts, attempt: Attempt, command: Invoke): void {
  const { retry, key, retrieval } = command;
  if (attempt.state.failure !== undefined) return attempt.arrivals.put({ kind: 'withdrawn', key });
  if (retrieval !== undefined) return retrieve(parts, attempt, key, retrieval);
  if (retry === undefined) return begin(parts, attempt, command);
  const wait_ms = (parts.chooseWait ?? chooseWait)(retry);
  // The failure that it follows is reported first.
  const reported = attempt.calls.get(command.key)?.reported ?? Promise.resolve();
  void reported.then(() => attempt.onProgress({ kind: 'retry_waits', command, retry, wait_ms }));
  waitFor(attempt.waits, command, wait_ms, () => begin(parts, attempt, command));
}

/** Searches memories. Nothing leaves the database: the generation that follows records what was found. */
function retrieve(parts: RuntimeParts, attempt: Attempt, key: string, query: MemoryQuery): void {
  parts.attempts.retrieve(attempt.lease, query).then(
    (found) => attempt.arrivals.put({ kind: 'retrieved', key, found }),
    (error: unknown) => attempt.arrivals.put({ kind: 'broken', error }),
  );
}

function begin(parts: RuntimeParts, attempt: Attempt, command: Invoke): void {
  const former = attempt.calls.get(command.key);
  if (former !== undefined && former.stage !== 'over') throw new Error(`the command ${command.key} was issued twice`);
  const start = toStart(parts, attempt, command);
  const abort = new AbortController();
  const call: Call = { start, abort, stage: 'waits', ...present({ former }) };
  attempt.calls.set(command.key, call);
  perform(parts, attempt, call).then(
    (result) => attempt.arrivals.put({ kind: 'result', result }),
    (error: unknown) => attempt.arrivals.put({ kind: 'broken', error }),
  );
}

/** Makes the core's call, once its budgets let it through. */
function perform(parts: RuntimeParts, attempt: Attempt, call: Call): Promise<CallResult> {
  const { lease, program } = attempt;
  const { command, source_invocation_id: call_id } = call.start;
  const generating = { command, program, lease, call_id, signal: call.abort.signal };
  return callWithinBudgets(parts, generating, (limited) => make(parts, attempt, call, limited));
}

function make(parts: RuntimeParts, attempt: Attempt, call: Call, command: Invoke): Promise<CallResult> {
  const { lease } = attempt;
  const { llm_call_id } = call.start;
  return parts.callSource(
    command,
    {
      client_request_id: toClientRequestId(lease, command.key),
      correlation_id: call.start.source_invocation_id,
      signal: call.abort.signal,
    },
    {
      async started(resolved, ruling) {
        call.stage = 'made';
        await writeCall(attempt.journal, {
          kind: 'started',
          start: { ...call.start, command, resolved, ...present({ ruling }) },
        });
        const { source_invocation_id } = call.start;
        attempt.onProgress({ kind: 'call_started', source_invocation_id, command, ...resolved });
      },
      asked: (approval) => askApproval(parts, attempt, approval),
      async flushed(batch) {
        if (llm_call_id === undefined) return;
        // In the journal's order, so that a reader of the record never finds an event between two that it has read.
        await writeAlone(attempt.journal, () => parts.attempts.flushChunks(lease, llm_call_id, batch));
      },
    },
  );
}

/** The client request id of a call. Every driver sends the same id; another world of the same name sends another. */
function toClientRequestId({ world_slug, request_mark, attempted_turn }: AttemptLease, key: string): string {
  return `${world_slug}~${request_mark}/turn-${attempted_turn}/${key}`;
}

function toStart(parts: RuntimeParts, attempt: Attempt, command: Invoke): CallStart {
  const parent = command.parent_key === undefined ? undefined : callOf(attempt, command.parent_key);
  return present({
    source_invocation_id: parts.clock.uuid(),
    llm_call_id: command.generation && parts.clock.uuid(),
    invocation_seq: ++attempt.last_invocation_seq,
    command,
    performance: nextPerformance(attempt, command.key),
    parent_source_invocation_id: parent?.start.source_invocation_id,
    started_at: parts.clock.now(),
  });
}

function nextPerformance({ performances }: Attempt, key: string): number {
  const performance = 1 + (performances.get(key) ?? 0);
  performances.set(key, performance);
  return performance;
}
