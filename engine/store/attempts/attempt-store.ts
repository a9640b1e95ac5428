import type { AttemptStore, Holder, Swept } from '../../ports/attempts.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { openUpkeep } from '../upkeep.js';
import { beginAttempt } from './begin-attempt.js';
import { commitTurn } from './commit-turn.js';
import { conversationMemory } from './conversation.js';
import { failAttempt } from './end-attempt.js';
import { renewLease } from './fence.js';
import { finishCall, flushChunks } from './finish-call.js';
import { startCall } from './start-call.js';
import { sweepAttempts } from './sweep.js';

/**
 * The record of attempts, as their drivers write it.
 * @param swept attempts that opening the database has ended: the next driver of their world is told
 */
export function attemptStore(database: OpenDatabase, swept: readonly Swept[]): AttemptStore {
  const untold = new Set(swept);
  const memory = conversationMemory();
  const upkeep = openUpkeep(database);
  const driven = new Set<string>();
  // A database that one process has for itself knows the living drivers: its own. A process number would not tell,
  // because a restarted container gives it out again.
  const isDrivenHere = (_holder: Holder, attempt_id: string): boolean => driven.has(attempt_id);
  const ends = async <Result>(attempt_id: string, work: Promise<Result>): Promise<Result> => {
    const result = await work;
    driven.delete(attempt_id);
    memory.forget(attempt_id);
    await upkeep.attemptEnded();
    return result;
  };
  return {
    begin: async (request, isAlive) => {
      const isDriven = database.is_exclusive ? isDrivenHere : isAlive;
      const outcome = await beginAttempt(database, request, isDriven);
      if (outcome.kind !== 'begun') return outcome;
      driven.add(request.attempt_id);
      const earlier = [...untold].filter(({ world_slug }) => world_slug === request.world_slug);
      for (const told of earlier) untold.delete(told);
      const told = earlier.map(({ attempt_id }) => attempt_id);
      return { ...outcome, interrupted_attempts: [...told, ...outcome.interrupted_attempts] };
    },
    // A database that one process has for itself was swept when it was opened.
    sweep: async (request) =>
      database.is_exclusive
        ? []
        : inTransaction(database.pool, (client) => sweepAttempts(client, { ...request, all: false })),
    startCall: (lease, start) => startCall(database, memory, lease, start),
    flushChunks: (lease, llm_call_id, batch) => flushChunks(database, lease, llm_call_id, batch),
    finishCall: (lease, finish) => finishCall(database, lease, finish),
    commit: (lease, turn) => ends(lease.attempt_id, commitTurn(database, lease, turn)),
    fail: (lease, failure) => ends(lease.attempt_id, failAttempt(database, lease, failure)),
    handOver: async (lease) => {
      const written = await renewLease(database, lease, 0);
      driven.delete(lease.attempt_id);
      memory.forget(lease.attempt_id);
      return written;
    },
    renew: (lease, lease_ms) => renewLease(database, lease, lease_ms),
  };
}
