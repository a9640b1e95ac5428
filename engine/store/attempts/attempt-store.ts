import type { AttemptStore, Holder } from '../../ports/attempts.js';
import { askApproval, useGrant } from '../approvals.js';
import type { OpenDatabase } from '../database.js';
import { closeToReports, claimTimeout } from '../inbox/timeout.js';
import { readFactsOf } from '../records/facts.js';
import { retrieve } from '../search/retrieve.js';
import { openUpkeep } from '../upkeep.js';
import { beginAsLeft } from './begin-as-left.js';
import { beginAttempt } from './begin-attempt.js';
import { commitTurn } from './commit-turn.js';
import { conversationMemory } from './conversation.js';
import { findEarlierSpending } from './earlier-spending.js';
import { failAttempt, handOverAttempt } from './end-attempt.js';
import { renewLease } from './fence.js';
import { flushChunks } from './flush-chunks.js';
import { pendCall } from './pend-call.js';
import { settleCall } from './settle-call.js';
import { supersedeCalls } from './supersede-calls.js';
import { discardMessage, suspendAttempt } from './suspend-attempt.js';
import { writeCalls } from './write-calls.js';

/** The record of attempts, as their drivers write it. */
export function attemptStore(database: OpenDatabase): AttemptStore {
  const memory = conversationMemory();
  const upkeep = openUpkeep(database);
  const driven = new Set<string>();
  // A database that one process has for itself knows the living drivers: its own. A process number would not show it,
  // because a restarted container gives it out again.
  const isDrivenHere = (_holder: Holder, attempt_id: string): boolean => driven.has(attempt_id);
  const leaves = (attempt_id: string): void => {
    driven.delete(attempt_id);
    memory.forget(attempt_id);
  };
  const ends = async <Result>(attempt_id: string, work: Promise<Result>): Promise<Result> => {
    const result = await work;
    leaves(attempt_id);
    await upkeep.attemptEnded();
    return result;
  };
  return {
    begin: async (request, isAlive) => {
      const isDriven = database.is_exclusive ? isDrivenHere : isAlive;
      const outcome = await beginAttempt(database, request, isDriven);
      if (outcome.kind === 'begun') driven.add(outcome.lease.attempt_id);
      return outcome;
    },
    beginAsLeft: async (request, left_by, lease, calls) => {
      const written = await beginAsLeft(database, memory, request, { left_by, lease, calls });
      if (written === 'written') driven.add(lease.attempt_id);
      else memory.forget(lease.attempt_id);
      return written;
    },
    retrieve: (lease, query) => retrieve(database, lease.world_slug, query),
    findEarlierSpending: (lease) => findEarlierSpending(database, lease),
    facts: async ({ world_slug, attempt_id }) =>
      (await readFactsOf(database, world_slug, [attempt_id])).get(attempt_id) ?? [],
    writeCalls: (lease, calls) => writeCalls(database, memory, lease, calls),
    flushChunks: (lease, llm_call_id, batch) => flushChunks(database, lease, llm_call_id, batch),
    pendCall: (lease, source_invocation_id, pended) => pendCall(database, lease, source_invocation_id, pended),
    askApproval: (lease, asked) => askApproval(database, lease, asked),
    useGrant: (lease, use) => useGrant(database, lease, use),
    suspend: async (lease, suspension) => {
      const outcome = await suspendAttempt(database, lease, suspension);
      if (outcome === 'suspended') leaves(lease.attempt_id);
      return outcome;
    },
    supersede: (lease, superseded) => supersedeCalls(database, lease, superseded),
    discard: (lease, inbox_id) => discardMessage(database, lease, inbox_id),
    claimTimeout: (lease, source_invocation_id) => claimTimeout(database, lease, source_invocation_id),
    closeToReports: (lease, call) => closeToReports(database, lease, call),
    commit: (lease, turn) => ends(lease.attempt_id, commitTurn(database, lease, turn)),
    fail: (lease, failure) => ends(lease.attempt_id, failAttempt(database, lease, failure)),
    handOver: (lease, left) => ends(lease.attempt_id, handOverAttempt(database, lease, left)),
    settle: (settlement) => settleCall(database, settlement),
    renew: (lease, lease_ms) => renewLease(database, lease, lease_ms),
  };
}
