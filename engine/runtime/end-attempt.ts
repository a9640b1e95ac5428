import { present } from '../contract/present.js';
import { turnBackoffMs } from '../core/inbox/backoff.js';
import type { Commit, Fail } from '../core/protocol/command.js';
import type { CallFinish, FailAttempt, PutOff } from '../ports/attempts.js';
import type { Claimed } from '../ports/claim.js';
import type { Fact } from '../core/facts/fact.js';
import { type Seal, sealEntries } from '../core/ledger/seal.js';
import { writeLedger } from '../core/ledger/write-ledger.js';
import { factsOfCommit, factsOfFailure, toMoment } from './fact-log.js';
import { endAgents } from './agent-moves.js';
import { abandon, type Attempt, callOf } from './attempt.js';
import { writeAlone } from './journal.js';
import type { RuntimeParts } from './runtime-parts.js';

// The last write of a driver: it commits the turn, fails the attempt, or hands it over.

/**
 * Makes the working world turn N, at once and whole.
 * @returns the message reserved for this driver, where it continues
 */
export async function commit(parts: RuntimeParts, attempt: Attempt, command: Commit): Promise<Claimed | undefined> {
  const patches = command.patches.map((patch) => {
    const { source_invocation_id } = callOf(attempt, patch.call_key).start;
    return { ...patch, source_invocation_id };
  });
  const { simulation_time, lease } = attempt;
  const next = present({ is_asked_for: attempt.is_asked_for, goes_on: attempt.goesOn?.() });
  const turn = { patches, simulation_time, ended_at: parts.clock.now(), agents: endAgents(attempt), ...next };
  const write = (answer?: CallFinish) => {
    const whole = { ...turn, ...present({ answer }) };
    return writeEnd(attempt, factsOfCommit(whole), (seal) => parts.attempts.commit(lease, { ...whole, seal }));
  };
  const written = await writeAlone(attempt.journal, write, true);
  attempt.onProgress({
    kind: 'turn_committed',
    attempt_id: lease.attempt_id,
    attempted_turn: lease.attempted_turn,
    patches: command.patches,
  });
  return written === 'written' ? undefined : written.next;
}

/** Ends the attempt; the world stays at T(N-1) and every trace is kept. */
export async function fail(parts: RuntimeParts, attempt: Attempt, failure: Fail): Promise<PutOff | undefined> {
  const { lease } = attempt;
  // A stop may name a call that was never made.
  const { source_invocation_id } = attempt.calls.get(failure.call_key ?? '')?.start ?? {};
  const by = present({ source_invocation_id });
  const agents = endAgents(attempt);
  const ended = { failure, ended_at: parts.clock.now(), agents, ...by, ...toDelays(attempt, failure) };
  const written = await writeAlone(attempt.journal, () =>
    writeEnd(attempt, factsOfFailure(attempt.facts, ended), (seal) => parts.attempts.fail(lease, { ...ended, seal })),
  );
  const put_off = written === 'written' ? undefined : written;
  attempt.onProgress({
    kind: 'attempt_failed',
    attempt_id: lease.attempt_id,
    attempted_turn: lease.attempted_turn,
    failure,
    ...by,
    ...present({ put_off }),
  });
  return put_off;
}

/** Ends an attempt with these facts: the statement that does so seals all of them. */
async function writeEnd<Result>(
  { program, facts }: Attempt,
  last: readonly Fact[],
  write: (seal: Seal) => Promise<Result>,
): Promise<Result> {
  const written = await write(sealEntries(writeLedger(program.orders, [...facts, ...last])));
  facts.push(...last);
  return written;
}

/** How long the queued turn is deferred, where the failure may pass by itself; it also waits until a doubt is settled. */
function toDelays({ turn_retries }: Attempt, failure: Fail): Pick<FailAttempt, 'retry_delays_ms'> {
  if (failure.is_transient !== true && failure.is_in_doubt !== true) return {};
  const delayOf = (retries: number): number => turnBackoffMs(retries, Math.random(), failure.retry_after_ms);
  return { retry_delays_ms: Array.from({ length: turn_retries }, (_, retries) => delayOf(retries)) };
}

/** Gives the world back with the attempt still open. */
export async function handOver(parts: RuntimeParts, attempt: Attempt): Promise<void> {
  abandon(attempt);
  const left = { at: parts.clock.now(), has_broken: false };
  await writeAlone(attempt.journal, () => parts.attempts.handOver(attempt.lease, left));
  attempt.facts.push({ kind: 'attempt_handed_over', at: toMoment(left.at) });
}
