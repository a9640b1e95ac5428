import assert from 'node:assert/strict';
import type { Fact } from '../../engine/core/facts/fact.js';
import type { TestContext } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import type { Json } from '../../engine/contract/json.js';
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { advance } from '../../engine/core/turn/advance.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import type { AttemptPast, AttemptStore, BeginOutcome, CallsWrite, RecordedCall } from '../../engine/ports/attempts.js';
import type { InboxMessage } from '../../engine/ports/inbox.js';
import type { CallBroke, CallRecorder, CallResult } from '../../engine/ports/sources.js';
import type { AttemptEnd, AttemptRequest } from '../../engine/runtime/attempt-request.js';
import type { Progress } from '../../engine/runtime/progress.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';
import { SMALL_PARK_BEGAN, smallWorld } from '../support/park-documents.js';

/** The answers of a store that accepts every write. */
const ACCEPTED = {
  writeCalls: 'written',
  flushChunks: 'written',
  pendCall: 60_000,
  suspend: 'rested',
  supersede: 'written',
  discard: 'written',
  takeTimeout: 'closed',
  closeToReports: 'closed',
  commit: 'written',
  fail: 'written',
  handOver: 'written',
  renew: 'written',
} as const;

/** All that is on record of an attempt that another driver has begun. */
const BEGAN: Fact = {
  kind: 'attempt_began',
  at: '2026-01-01T08:00:00.000Z',
  world_slug: 'small-park',
  attempt_id: 'attempt',
  attempted_turn: 1,
  scenario_hash: '0'.repeat(64),
  renderer_version: '1',
  plugin_versions: {},
};

interface Surroundings {
  readonly begun?: Partial<Extract<BeginOutcome, { readonly kind: 'begun' }>>;
  readonly attempts?: Partial<AttemptStore>;
  readonly parts?: Partial<RuntimeParts>;
  readonly request?: Partial<AttemptRequest>;
  /** The unhandled messages to the attempt. */
  readonly messages?: () => readonly InboxMessage[];
  /** The calls that wait for a place until they are wanted no more. */
  readonly hasNoPlace?: (key: string) => boolean;
}

interface HeldCall {
  readonly command: Invoke;
  readonly signal: AbortSignal;
  readonly flushed: CallRecorder['flushed'];
  readonly end: (result: CallResult) => void;
}

export interface HeldDriver {
  readonly end: Promise<AttemptEnd>;
  readonly progress: readonly Progress[];
  /** The keys of its calls, in the order in which it made them. */
  readonly asked: () => readonly string[];
  /** Ends the latest call of a key by an answer; a model's is a JSON text. */
  readonly answer: (key: string, value: Json) => Promise<void>;
  readonly fail: (key: string, failure: Partial<CallBroke>) => Promise<void>;
  readonly pend: (key: string) => Promise<void>;
  /** Lets the latest call of a key have streamed some text. */
  readonly stream: (key: string, text: string) => Promise<void>;
  /** Why the latest call of a key was aborted; undefined where it was not. */
  readonly abortedAs: (key: string) => unknown;
  /** What it gave to a statement, each time. */
  readonly wrote: (statement: keyof typeof ACCEPTED) => readonly unknown[];
  /** The names of its statements, in their order. */
  readonly statements: () => readonly string[];
  readonly stop: () => Promise<void>;
  readonly leave: () => Promise<void>;
  /** Lets time pass, with all consequences. */
  readonly pass: (ms: number) => Promise<void>;
}

/** A driver of a small park, on a store that accepts everything; its time passes, and its calls end, by hand. */
export async function holdDriver(t: TestContext, program: Program, around: Surroundings = {}): Promise<HeldDriver> {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const statements: (readonly [name: string, given: unknown])[] = [];
  const calls: HeldCall[] = [];
  const progress: Progress[] = [];
  const [stopping, leaving] = [new AbortController(), new AbortController()];
  const accepts = Object.entries(ACCEPTED).map(([name, answer]) => {
    const write = async (_lease: unknown, ...given: readonly unknown[]): Promise<unknown> => {
      statements.push([name, given[0]]);
      return answer;
    };
    return [name, write];
  });
  const lease = {
    attempt_id: 'attempt',
    world_slug: 'small-park',
    attempted_turn: 1,
    epoch: 1,
    request_mark: '0123456789ab',
  };
  const begun = { kind: 'begun', lease, world: smallWorld(), heads: new Map(), ...around.begun } as const;
  let made = 0;
  const parts = {
    attempts: {
      begin: async () => begun,
      facts: async () => [BEGAN],
      ...Object.fromEntries(accepts),
      ...around.attempts,
    },
    callSource: holdCalls(calls, around.hasNoPlace ?? (() => false)),
    inbox: { messagesOf: async () => around.messages?.() ?? [] },
    pending: { expire: async () => 0 },
    clock: { now: () => 0, uuid: () => `id-${(made += 1)}` },
    isAlive: () => true,
    findFault: () => undefined,
    plugin_versions: {},
    ...around.parts,
  } as unknown as RuntimeParts;
  const end = runAttempt(parts, {
    world_slug: lease.world_slug,
    program,
    simulationTime: () => '2026-05-01T09:01:00.000Z',
    signal: stopping.signal,
    leave: leaving.signal,
    onProgress: (event) => void progress.push(event),
    ...around.request,
  });
  // A test may look at how it ended after other things.
  end.catch(() => {});
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await pause();
  };
  const latest = (key: string): HeldCall =>
    calls.findLast(({ command }) => command.key === key) ?? assert.fail(`${key} was not asked`);
  const finish = async (key: string, ending: object): Promise<void> => {
    latest(key).end({ key, ...ENDED, ...ending } as unknown as CallResult);
    await settle();
  };
  await settle();
  return {
    end,
    progress,
    asked: () => calls.map(({ command }) => command.key),
    answer: (key, value) => finish(key, { status: 'succeeded', ...answerOf(latest(key).command, value) }),
    fail: (key, failure) => finish(key, { ...FAILED, ...failure }),
    pend: (key) => finish(key, { status: 'pending', pended_at: 0, deadline_ms: 60_000 }),
    stream: (key, text) => {
      const batch = { batch_seq: 1, text: Buffer.from(text), lengths: [text.length], offsets_ms: [0] };
      return latest(key).flushed(batch);
    },
    abortedAs: (key) => latest(key).signal.reason,
    wrote: (statement) => statements.flatMap(([name, given]) => (name === statement ? [given] : [])),
    statements: () => statements.map(([name]) => name),
    stop: () => (stopping.abort(), settle()),
    leave: () => (leaving.abort(), settle()),
    pass: (ms) => (t.mock.timers.tick(ms), settle()),
  };
}

/** The calls that a driver has started, or ended, by its statements. */
export function callsIn(driver: HeldDriver): {
  readonly started: CallsWrite['started'];
  readonly finished: CallsWrite['finished'];
} {
  const writes = driver.wrote('writeCalls') as readonly CallsWrite[];
  return { started: writes.flatMap(({ started }) => started), finished: writes.flatMap(({ finished }) => finished) };
}

/** An attempt of which a driver has recorded the first calls of its turn, the first one as its fourth. */
export function pastOf(
  program: Program,
  records: readonly Partial<RecordedCall>[],
  began = SMALL_PARK_BEGAN,
): { readonly past: AttemptPast } {
  const { commands } = advance(program, UNBEGUN, began);
  const calls = records.map((record, index): RecordedCall => {
    const command = commands[index];
    assert.ok(command?.kind === 'invoke');
    const { key, request_hash, call } = command;
    const made = { source_invocation_id: 'before', invocation_seq: 4 + index, started_at: 0, performance: 1 };
    return { ...made, key, request_hash, effect: call.effect, repeatable: call.repeatable, ...record };
  });
  const pinned = { renderer_version: RENDERER_VERSION, plugin_versions: {} };
  return { past: { take_overs: 0, ...pinned, calls, last_invocation_seq: 3 + calls.length } };
}

const ENDED = { ended_at: 1, duration_ms: 1, validation_status: 'valid' } as const;
const FAILED = { status: 'failed', failure_class: 'transport', failure_message: 'It broke.', refused: false } as const;

function answerOf({ generation }: Invoke, value: Json) {
  const answer = generation === undefined ? value : { text: JSON.stringify(value), finish_reason: 'stop' };
  return { answer, view: answer };
}

/** Calls that end by hand, or by themselves once they are aborted. */
function holdCalls(calls: HeldCall[], hasNoPlace: (key: string) => boolean): RuntimeParts['callSource'] {
  return async (command, { signal }, recorder) => {
    let end: HeldCall['end'] = () => {};
    const ended = new Promise<CallResult>((resolve) => (end = resolve));
    const stopped = { ...ENDED, ...FAILED, key: command.key, failure_class: 'stopped' } as const;
    signal.addEventListener('abort', () => end(stopped));
    calls.push({ command, signal, flushed: recorder.flushed, end });
    if (!hasNoPlace(command.key)) await recorder.started({});
    return ended;
  };
}
