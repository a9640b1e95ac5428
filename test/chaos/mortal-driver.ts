import type { Engine } from '../../engine/operations/engine.js';
import type { AttemptStore } from '../../engine/ports/attempts.js';
import type { CallSource } from '../../engine/ports/sources.js';

/** The error that a dead driver would have thrown, if it could. */
export class Died extends Error {
  override name = 'Died';
}

/** An engine whose driver dies. */
export interface MortalEngine {
  readonly engine: Engine;
  /** How many statements and source calls it has done. */
  readonly done: () => number;
}

/** After how many steps a driver dies, Infinity for one that lives; or after which step: the first at whose end this holds. */
export type Life = number | (() => boolean);

/**
 * An engine on a store of its own, as another process would have it, whose driver dies after a step: a step is
 * a statement of the driver or the answer of a source. The work of the last step is done, and nobody learns of it.
 */
export function mortalEngine(engine: Engine, store: Engine['store'], life: Life): MortalEngine {
  let done = 0;
  const isOver = typeof life === 'number' ? () => done >= life : life;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isOver()) throw new Died('nothing more is done by a driver that is gone');
    const result = await work();
    done += 1;
    if (isOver()) throw new Died('the driver died');
    return result;
  };
  const runtime = {
    ...engine.runtime,
    attempts: mortalAttempts(store.attempts, step),
    inbox: store.inbox,
    pending: store.pending,
    callSource: mortalSource(engine.runtime.callSource, step),
    isAlive: () => false,
  };
  const inbox: typeof store.inbox = { ...store.inbox, claim: (request) => step(() => store.inbox.claim(request)) };
  return { engine: { ...engine, store: { ...store, inbox }, runtime }, done: () => done };
}

type Step = <Result>(work: () => Promise<Result>) => Promise<Result>;

function mortalAttempts(attempts: AttemptStore, step: Step): AttemptStore {
  return {
    ...attempts,
    begin: (request, isAlive) => step(() => attempts.begin(request, isAlive)),
    beginAsLeft: (...given) => step(() => attempts.beginAsLeft(...given)),
    writeCalls: (lease, calls) => step(() => attempts.writeCalls(lease, calls)),
    flushChunks: (lease, llm_call_id, batch) => step(() => attempts.flushChunks(lease, llm_call_id, batch)),
    supersede: (lease, superseded) => step(() => attempts.supersede(lease, superseded)),
    pendCall: (lease, id, pended) => step(() => attempts.pendCall(lease, id, pended)),
    askApproval: (lease, asked) => step(() => attempts.askApproval(lease, asked)),
    useGrant: (lease, use) => step(() => attempts.useGrant(lease, use)),
    suspend: (lease, at) => step(() => attempts.suspend(lease, at)),
    discard: (lease, inbox_id) => step(() => attempts.discard(lease, inbox_id)),
    claimTimeout: (lease, id) => step(() => attempts.claimTimeout(lease, id)),
    closeToReports: (lease, call) => step(() => attempts.closeToReports(lease, call)),
    handOver: (lease, at) => step(() => attempts.handOver(lease, at)),
    commit: (lease, turn) => step(() => attempts.commit(lease, turn)),
    fail: (lease, failure) => step(() => attempts.fail(lease, failure)),
    renew: (lease, lease_ms) => step(() => attempts.renew(lease, lease_ms)),
  };
}

function mortalSource(callSource: CallSource, step: Step): CallSource {
  return (command, surroundings, recorder) => step(() => callSource(command, surroundings, recorder));
}
