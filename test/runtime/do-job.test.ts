import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeWorld } from '../../engine/core/world/world.js';
import type { Claimed } from '../../engine/ports/claim.js';
import { Overtaken } from '../../engine/runtime/overtaken.js';
import type { Progress } from '../../engine/runtime/progress.js';
import { doJob, type Job, type JobEnd } from '../../engine/runtime/worker/do-job.js';
import type { WorkerEvent } from '../../engine/runtime/worker/worker-event.js';
import type { Drive, DriveEnd, WorkerParts } from '../../engine/runtime/worker/worker-parts.js';

const CLAIMED: Claimed = {
  world_slug: 'park',
  inbox_id: 'message',
  message_type: 'turn',
  retry_count: 2,
  waited_ms: 70,
};
const TURN: Job = { world_slug: 'park', claimed: CLAIMED };
const REPORT: Job = { world_slug: 'park', claimed: { ...CLAIMED, message_type: 'tool_result' } };
const UNDRIVEN: Job = { world_slug: 'park' };
const ATTEMPT = { attempt_id: 'A', attempted_turn: 3 };
const LEFT = {
  attempt_id: 'A',
  epoch: 1,
  request_mark: '0123456789ab',
  world: composeWorld({ slug: 'park', turn: 3, environments: [], entities: [], events: [] }),
  heads: new Map(),
};
const LOST = new Error('the database is gone');

interface Done {
  readonly end: JobEnd;
  readonly events: readonly WorkerEvent[];
  /** Writes to the inbox and rings of the doorbell, in their order. */
  readonly written: readonly unknown[];
  readonly asked: Parameters<Drive>[0];
}

/** Does a job whose drive ends so, after it has reported some progress. */
async function does(job: Job, drive: () => DriveEnd, progress: readonly Progress[] = []): Promise<Done> {
  const events: WorkerEvent[] = [];
  const written: unknown[] = [];
  let asked: Parameters<Drive>[0] | undefined;
  const parts = {
    inbox: {
      defer: async ({ inbox_id }: Claimed, deferral: object) => void written.push({ inbox_id, ...deferral }),
      discard: async ({ inbox_id }: Claimed, reason: string) => void written.push({ inbox_id, discarded: reason }),
    },
    doorbell: { ring: (world_slug: string) => void written.push(`rings ${world_slug}`) },
    jitter: () => 1,
    drive: async (request: Parameters<Drive>[0]) => {
      asked = request;
      for (const one of progress) request.onProgress(one);
      return drive();
    },
    findFault: (error: unknown) =>
      error === LOST ? { code: 'DATABASE_UNREACHABLE' as const, message: 'gone' } : undefined,
    onEvent: (event: WorkerEvent) => void events.push(event),
  } as unknown as WorkerParts;
  const end = await doJob(parts, job, { tries: 4, leave: new AbortController().signal, goesOn: () => undefined });
  return { end, events, written, asked: asked ?? assert.fail('nothing was driven') };
}

const put = (job: Job, reason: string, delay_ms: number): Omit<Done, 'asked'> => ({
  end: { kind: 'deferred' },
  events: [{ kind: 'turn_deferred', world_slug: 'park', reason, delay_ms }],
  written: job.claimed === undefined ? [] : [{ inbox_id: 'message', reason, delay_ms }],
});
const over = (event: string, written: readonly unknown[] = []): Omit<Done, 'asked'> => ({
  end: { kind: 'done' },
  events: [{ kind: event, world_slug: 'park', ...ATTEMPT } as WorkerEvent],
  written,
});
const NOTHING: Omit<Done, 'asked'> = { end: { kind: 'done' }, events: [], written: [] };
const HELD = 'process 7 on here drives attempt A';
const held: DriveEnd = { kind: 'held', holder: { host: 'here', pid: 7 }, attempt_id: 'A', until: 0 };
const doubt: DriveEnd = { kind: 'in_doubt', ...ATTEMPT, source_invocation_id: 'C', command_key: 'bob/act' };

const ENDS: readonly (readonly [name: string, job: Job, end: DriveEnd, expected: Omit<Done, 'asked'>])[] = [
  ['a turn of a held world', TURN, held, put(TURN, HELD, 2_000)],
  [
    'a turn that was put off ever so often',
    { ...TURN, claimed: { ...CLAIMED, retry_count: 40 } },
    held,
    put(TURN, HELD, 60_000),
  ],
  ['a report to a held world', REPORT, held, put(REPORT, HELD, 2_000)],
  ['a held attempt that no message asks for', UNDRIVEN, held, NOTHING],
  [
    'a turn of a suspended world',
    TURN,
    { kind: 'still_suspended', ...ATTEMPT },
    put(TURN, 'attempt A is suspended until it is answered', 2_000),
  ],
  ['a report that wakes nobody', REPORT, { kind: 'still_suspended', ...ATTEMPT }, NOTHING],
  [
    'a turn behind a call in doubt',
    TURN,
    doubt,
    put(
      TURN,
      'call bob/act of attempt A is in doubt; if it took place, chukwa report C --result FILE, if not, chukwa report C --failed REASON',
      2_000,
    ),
  ],
  [
    'a turn that would repeat side effects',
    TURN,
    { kind: 'not_adoptable', ...ATTEMPT, reason: 'which changed' },
    put(
      TURN,
      'nothing is begun after attempt A, which changed; to start over all the same: chukwa run park --anew',
      2_000,
    ),
  ],
  ['a turn that was taken back', TURN, { kind: 'not_asked_for' }, NOTHING],
  ['a turn of a deleted world', TURN, { kind: 'unknown_world' }, NOTHING],
  [
    'a turn that this process cannot run',
    TURN,
    { kind: 'unfit', reason: 'not here', is_final: false },
    put(TURN, 'not here', 2_000),
  ],
  [
    'an attempt that this process cannot continue',
    UNDRIVEN,
    { kind: 'unfit', reason: 'not here', is_final: false },
    put(UNDRIVEN, 'not here', 8_000),
  ],
  [
    'an attempt that nobody can continue',
    UNDRIVEN,
    { kind: 'unfit', reason: 'never', is_final: true },
    put(UNDRIVEN, 'never', 8_000),
  ],
  [
    'a turn that nobody can run',
    TURN,
    { kind: 'unfit', reason: 'never', is_final: true },
    {
      end: { kind: 'done' },
      events: [{ kind: 'turn_discarded', world_slug: 'park', reason: 'never' }],
      written: [{ inbox_id: 'message', discarded: 'never' }],
    },
  ],
  ['a committed turn', TURN, { kind: 'committed', ...ATTEMPT, left: LEFT }, over('turn_committed')],
  [
    'a committed turn whose commit reserved the next',
    TURN,
    { kind: 'committed', ...ATTEMPT, left: LEFT, next: CLAIMED },
    { ...over('turn_committed'), end: { kind: 'done', next: CLAIMED } },
  ],
  ['a suspended turn', TURN, { kind: 'suspended', ...ATTEMPT }, over('turn_suspended')],
  ['a handed over turn', TURN, { kind: 'handed_over', ...ATTEMPT }, over('turn_handed_over', ['rings park'])],
];

for (const [name, job, end, expected] of ENDS)
  test(`a worker reports and writes what became of ${name}`, async () => {
    const { asked: _asked, ...done } = await does(job, () => end);
    assert.deepEqual(done, expected);
  });

test('a worker begins a turn for its message, and nothing else', async () => {
  const askedBy = async (job: Job) => {
    const { inbox_id, waited_ms, continues_only } = (await does(job, () => ({ kind: 'not_asked_for' }))).asked;
    return { inbox_id, waited_ms, continues_only };
  };
  const continues = { inbox_id: undefined, waited_ms: undefined, continues_only: true };
  assert.deepEqual(await askedBy(TURN), { inbox_id: 'message', waited_ms: 70, continues_only: undefined });
  assert.deepEqual(await askedBy(REPORT), continues);
  assert.deepEqual(await askedBy(UNDRIVEN), continues);
});

const began = { kind: 'attempt_began', ...ATTEMPT, simulation_time: '' } as const;
const counts = { answered: 2, interrupted: 1 };
const adopts = { attempt_id: 'before', calls: 2 };
for (const [name, job, progress, expected] of [
  ['a turn begins', TURN, began, { kind: 'turn_began' }],
  ['a turn begins that adopts calls', TURN, { ...began, adopts }, { kind: 'turn_began', adopts }],
  [
    'a turn goes on for its message',
    TURN,
    { ...began, continued: counts },
    { kind: 'turn_continued', why: 'queued', ...counts },
  ],
  [
    'a turn goes on for a report',
    REPORT,
    { ...began, continued: counts },
    { kind: 'turn_continued', why: 'tool_result', ...counts },
  ],
  [
    'a turn goes on that has lost its driver',
    UNDRIVEN,
    { ...began, continued: counts },
    { kind: 'turn_continued', why: 'undriven', ...counts },
  ],
] as const)
  test(`a worker reports that ${name}`, async () => {
    const suspended = { kind: 'attempt_suspended', ...ATTEMPT, resume_deadline: 0 } as const;
    const { events } = await does(job, () => ({ kind: 'not_asked_for' }), [progress, suspended]);
    assert.deepEqual(events, [{ world_slug: 'park', ...ATTEMPT, ...expected }]);
  });

const BUG = new Error('a bug');
for (const [name, error, kind, event] of [
  ['was overtaken is done', new Overtaken(), 'done', { kind: 'overtaken', world_slug: 'park' }],
  ['broke is left alone', BUG, 'broke', { kind: 'driver_broke', world_slug: 'park', error: BUG }],
] as const)
  test(`a job whose driver ${name}`, async () => {
    const { end, events } = await does(TURN, () => {
      throw error;
    });
    assert.deepEqual([end, events], [{ kind }, [event]]);
  });

test('a job whose database is gone throws what it threw', () =>
  assert.rejects(
    does(TURN, () => {
      throw LOST;
    }),
    LOST,
  ));
