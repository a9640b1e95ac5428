import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { isInDoubt, settleCall } from '../../engine/operations/settling/settle-call.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import type { ServedRequest } from '../../fixtures/toys/index.js';
import { type Arena, openArena } from '../chaos/arena.js';
import { Died } from '../chaos/mortal-driver.js';
import { loadScript, must } from '../support/park-stage.js';
import { type Fault, misbehave } from '../support/faults.js';

// One turn with three side effects, tried again and again with something else going wrong each time, and settled by what the
// services have in their books. In the end they have seen what they would have seen if nothing had gone wrong.

/** The faults while one driver has the turn. */
type Misfortune =
  | { readonly kind: 'service'; readonly service: Service; readonly fault: Fault }
  | {
      readonly kind: 'model';
      readonly round: number;
      readonly fault: 'status_500' | 'status_400' | 'reset' | 'nonsense';
    }
  | { readonly kind: 'killed'; readonly after_steps: number }
  | { readonly kind: 'poisoned'; readonly after_steps: number }
  | { readonly kind: 'stopped'; readonly at_request: number };

const SERVICES = ['vending', 'fountain', 'phone'] as const;
type Service = (typeof SERVICES)[number];

/** With these a service says that it did nothing. */
const DENIALS: readonly Fault[] = ['status_500', 'redirect'];

const misfortune: fc.Arbitrary<Misfortune> = fc.oneof(
  fc.record({
    kind: fc.constant('service' as const),
    service: fc.constantFrom(...SERVICES),
    fault: fc.constantFrom<Fault>('reset_connection', 'non_json', 'schema_invalid', 'oversized_body', ...DENIALS),
  }),
  fc.record({
    kind: fc.constant('model' as const),
    round: fc.integer({ min: 1, max: 4 }),
    fault: fc.constantFrom('status_500', 'status_400', 'reset', 'nonsense'),
  }),
  fc.record({ kind: fc.constant('killed' as const), after_steps: fc.integer({ min: 1, max: 16 }) }),
  fc.record({ kind: fc.constant('poisoned' as const), after_steps: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('stopped' as const), at_request: fc.integer({ min: 1, max: 7 }) }),
);

/** More drivers than an attempt outlives. */
const DRIVERS_OF_POISON = 7;

/** The answers of services after a deed, by its tool. */
const RESULTS: Readonly<Record<string, Json>> = {
  buy_candy: { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' },
  use_drinking_fountain: { status: 'running', message: 'Cold, clear water runs for a few seconds.' },
  send_text: { status: 'sent', message_id: 'message-1' },
};

/** A turn in which Bob buys, drinks and writes, with the model's answers of one round otherwise. */
async function sayAll(failing?: Extract<Misfortune, { kind: 'model' }>): Promise<Answers> {
  const { turns, ...script } = await loadScript('tools');
  const answers = { ...turns['3'] };
  if (failing !== undefined)
    for (const number of [1, 2, 3]) answers[`bob/act/round-${failing.round}/try-${number}`] = ANSWERS[failing.fault];
  return { ...script, turns: { '1': answers } };
}

const ANSWERS = {
  status_500: { status: 500 },
  status_400: { status: 400 },
  reset: { fault: 'reset' },
  nonsense: { text: 'nonsense' },
} as const;

describe('a turn with side effects in which anything may go wrong', () => {
  let arena: Arena;
  before(async () => {
    arena = await openArena('PostgreSQL');
  });
  after(() => arena.close());

  /** The book of what services did, by the id of the call. */
  function booked(denied: ReadonlySet<ServedRequest>): readonly ServedRequest[] {
    return SERVICES.flatMap((service) => arena.stage.toys[service].served).filter((request) => !denied.has(request));
  }

  async function latestOf(world_slug: string): Promise<AttemptRecord | undefined> {
    const { records } = arena.freshStore();
    const latest = (await records.attempts(world_slug)).at(-1);
    return latest && records.attempt(latest.attempt_id);
  }

  /** Settles all calls in doubt by the services' book. */
  async function settleAll(world_slug: string, denied: ReadonlySet<ServedRequest>): Promise<void> {
    const latest = await latestOf(world_slug);
    if (latest?.is_adoptable !== true) return;
    for (const call of latest.invocations.filter(isInDoubt)) {
      const { source_invocation_id, tool_name } = call;
      const took_place = booked(denied).some(
        ({ headers }) => headers['x-chukwa-correlation-id'] === source_invocation_id,
      );
      const { attempt_id } = latest;
      const answer = took_place ? { answer: RESULTS[tool_name ?? ''] ?? null } : {};
      must(await settleCall(arena.freshEngine(), { attempt_id, source_invocation_id, ...answer }));
    }
  }

  /** Drives the world's first turn once. @returns whether it is committed */
  async function drive(world_slug: string, life: number, stop_at = Infinity): Promise<boolean> {
    const stopping = new AbortController();
    let requests = 0;
    const count = async (): Promise<void> => {
      requests += 1;
      if (requests === stop_at) stopping.abort();
    };
    arena.stage.model.onRequest(count);
    for (const service of SERVICES) arena.stage.toys[service].onRequest(count);
    const { engine } = arena.mortalEngine(life);
    try {
      must(await runTurns(engine, { world_slug, turns: 1, signal: stopping.signal, onProgress: () => {} }));
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
    return (await arena.freshStore().worlds.find(world_slug))?.turn === 1;
  }

  /** No call that has an answer among the adopted ones is made again. */
  async function assertAdopted(world_slug: string, asked: readonly string[]): Promise<void> {
    const latest = await latestOf(world_slug);
    const adopted = latest?.invocations.filter(({ adopted_from }) => adopted_from !== null) ?? [];
    for (const { command_key } of adopted) assert.ok(!asked.includes(command_key), `${command_key} was asked again`);
  }

  async function suffer(world_slug: string, what: Misfortune, denied: Set<ServedRequest>): Promise<boolean> {
    const { toys, model } = arena.stage;
    model.setScript(await sayAll(what.kind === 'model' ? what : undefined));
    const service = what.kind === 'service' ? toys[what.service] : undefined;
    if (what.kind === 'service') misbehave(toys[what.service], what.fault);
    const [served, asked] = [service?.served.length ?? 0, model.requests.length];
    const life = what.kind === 'killed' || what.kind === 'poisoned' ? what.after_steps : Infinity;
    let has_committed = false;
    for (let driver = 0; driver < (what.kind === 'poisoned' ? DRIVERS_OF_POISON : 1) && !has_committed; driver += 1) {
      await settleAll(world_slug, denied);
      has_committed = await drive(world_slug, life, what.kind === 'stopped' ? what.at_request : Infinity);
    }
    if (what.kind === 'service' && DENIALS.includes(what.fault))
      for (const request of service?.served.slice(served) ?? []) denied.add(request);
    if (service !== undefined) misbehave(service);
    if (what.kind !== 'poisoned')
      await assertAdopted(
        world_slug,
        model.requests.slice(asked).map(({ key }) => key),
      );
    return has_committed;
  }

  test('a turn with side effects in which anything may go wrong makes each of them once, and asks nothing again that it has adopted', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(misfortune, { maxLength: 6 }), async (misfortunes) => {
        const world_slug = await arena.makeWorld('tools');
        const denied = new Set<ServedRequest>();
        let has_committed = false;
        for (const what of misfortunes) {
          if (has_committed) break;
          has_committed = await suffer(world_slug, what, denied);
        }
        arena.stage.model.setScript(await sayAll());
        for (let tries = 0; tries < 4 && !has_committed; tries += 1) {
          await settleAll(world_slug, denied);
          has_committed = await drive(world_slug, Infinity);
        }
        assert.ok(has_committed, 'the turn was never committed');
        const effects = booked(denied).map(({ headers }) =>
          String(headers['x-client-request-id']).replace(/~[0-9a-f]{12}/, ''),
        );
        const expected = [1, 2, 3].map((round) => `${world_slug}/turn-1/bob/act/round-${round}/try-1/tool`);
        assert.deepEqual(effects.toSorted(), expected);
      }),
      { numRuns: 25, seed: 20_261_122, includeErrorInReport: true },
    );
  });
});
