import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Fact } from '../../engine/core/facts/fact.js';
import { decideCall } from '../../engine/operations/people/approvals.js';
import { reportCall } from '../../engine/operations/settling/reports.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { isInDoubt, settleCall } from '../../engine/operations/settling/settle-call.js';
import type { ObservedAttempt } from '../../engine/runtime/progress.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { type Arena, openArena } from '../chaos/arena.js';
import { Died } from '../chaos/mortal-driver.js';
import { type Fault, misbehave } from '../support/faults.js';
import { loadScript, must } from '../support/park-stage.js';

// Worlds in which drivers follow each other, and anything may go wrong. Whenever a driver is done, it knows what the record says.

/** What happens while one driver has the world. */
interface Life {
  readonly fault: Fault | 'none' | 'model_breaks' | 'model_babbles';
  readonly ends: 'by itself' | 'killed' | 'stopped' | 'leaves';
  /** After how many steps it is killed; at which request of the model it is stopped, or leaves. */
  readonly at: number;
  /** What becomes of a call that waits or is in doubt afterwards. */
  readonly afterwards: 'performed' | 'not performed' | 'nothing';
}

const life: fc.Arbitrary<Life> = fc.record({
  fault: fc.constantFrom('none', 'none', 'none', 'reset_connection', 'status_500', 'model_breaks', 'model_babbles'),
  ends: fc.constantFrom('by itself', 'by itself', 'killed', 'stopped', 'leaves'),
  at: fc.integer({ min: 1, max: 9 }),
  afterwards: fc.constantFrom('performed', 'not performed', 'nothing'),
});

/** One subject with side effects, several in order, several at once, an answer that comes later, and a person. */
const SCENARIOS = ['tools', 'park', 'village', 'letters', 'bills'] as const;

const RESULTS = {
  buy_candy: { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' },
  use_drinking_fountain: { status: 'running', message: 'Cold, clear water runs for a few seconds.' },
  send_text: { status: 'sent', message_id: 'message-1' },
  pay_bill: { status: 'paid', receipt: 'receipt-1' },
  write_letter: { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' },
} as const;

/** All that may happen, as the test counts it. */
const HAPPENED = [
  'approval_asked',
  'approval_decided',
  'attempt_began',
  'attempt_continued',
  'attempt_failed',
  'attempt_handed_over',
  'attempt_suspended',
  'call_adopted',
  'call_ended failed',
  'call_ended interrupted',
  'call_ended succeeded',
  'call_pended',
  'call_settled',
  'call_started',
  'call_superseded',
  'turn_committed',
];

describe('the facts of an attempt', () => {
  let arena: Arena;
  before(async () => {
    arena = await openArena('PostgreSQL');
  });
  after(() => arena.close());

  const recorded = async ({ lease: { world_slug, attempt_id } }: ObservedAttempt): Promise<readonly Fact[]> =>
    (await arena.freshStore().ledger.facts(world_slug, [attempt_id])).get(attempt_id) ?? [];

  /** Lets one driver live. @returns the attempts that it had */
  async function live(
    world_slug: string,
    says: Answers,
    { fault, ends, at }: Life,
  ): Promise<readonly ObservedAttempt[]> {
    const { toys, model } = arena.stage;
    const services = [toys.vending, toys.fountain, toys.phone, toys.post, toys.office];
    const breaks = { model_breaks: { fault: 'reset' }, model_babbles: { text: 'nonsense' } } as const;
    const isOfModel = fault === 'model_breaks' || fault === 'model_babbles';
    const broken = Object.keys(says.turns['1'] ?? {}).slice(at % 3, (at % 3) + 1);
    const turn = isOfModel ? Object.fromEntries(broken.map((key) => [key, breaks[fault]])) : {};
    model.setScript({ ...says, turns: { ...says.turns, '1': { ...says.turns['1'], ...turn } } });
    if (!isOfModel && fault !== 'none') for (const service of services) misbehave(service, fault);
    const [stopping, leaving] = [new AbortController(), new AbortController()];
    let requests = 0;
    model.onRequest(async () => {
      requests += 1;
      if (requests === at && ends === 'stopped') stopping.abort();
      if (requests === at && ends === 'leaves') leaving.abort();
    });
    const observed: ObservedAttempt[] = [];
    const { engine } = arena.mortalEngine(ends === 'killed' ? at : Infinity);
    const observe = (attempt: ObservedAttempt) => {
      observed.push(attempt);
      return { onProgress: () => {}, onRecalled: () => {} };
    };
    const request = { world_slug, turns: 1, signal: stopping.signal, leave: leaving.signal, onProgress: () => {} };
    try {
      // It is refused where a call is in doubt.
      await runTurns({ ...engine, runtime: { ...engine.runtime, observe, chooseWait: () => 1 } }, request);
    } catch (error) {
      // A run has no name for an attempt that its driver has left to another.
      if (!(error instanceof Died || leaving.signal.aborted)) throw error;
    }
    for (const service of services) misbehave(service);
    return observed;
  }

  /** Reports the calls that wait, settles those that are in doubt, and decides on those that wait for a person. */
  async function goOn({ attempt_id }: ObservedAttempt['lease'], afterwards: Life['afterwards']): Promise<void> {
    const attempt = await arena.freshStore().records.attempt(attempt_id);
    const engine = arena.freshEngine();
    const decision = afterwards === 'performed' ? 'approved' : 'denied';
    for (const { approval_id, status } of afterwards === 'nothing' ? [] : (attempt?.approvals ?? []))
      if (status === 'waiting') must(await decideCall(engine, { approval_id, decision, decided_by: 'ann' }));
    for (const call of afterwards === 'nothing' ? [] : (attempt?.invocations ?? [])) {
      const { source_invocation_id, tool_name } = call;
      const answer = RESULTS[(tool_name ?? '') as keyof typeof RESULTS];
      if (call.status === 'pending') {
        const said = { kind: 'failed', message: 'The van lies in a ditch.' } as const;
        must(
          await reportCall(
            engine,
            source_invocation_id,
            afterwards === 'performed' ? { kind: 'answered', value: answer } : said,
          ),
        );
      } else if (isInDoubt(call) && attempt?.is_adoptable === true && attempt.ended_at !== null) {
        const performed = afterwards === 'performed' ? { answer } : {};
        must(await settleCall(engine, { attempt_id, source_invocation_id, ...performed }));
      }
    }
  }

  test('a driver knows at its end what the record says, whatever happened to it and to the drivers before it', {
    timeout: 240_000,
  }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SCENARIOS),
        fc.array(life, { minLength: 1, maxLength: 4 }),
        async (scenario, lives) => {
          const world_slug = await arena.makeWorld(scenario);
          const says = await loadScript(scenario);
          for (const one of lives) {
            const observed = await live(world_slug, scenario === 'tools' ? toThird(says) : says, one);
            for (const attempt of observed) {
              const record = await recorded(attempt);
              // The last statement of one that was killed has landed, and it never learnt of it.
              const known = one.ends === 'killed' ? record.slice(0, attempt.facts.length) : record;
              assert.deepEqual(attempt.facts, known);
              for (const fact of record) seen.add(toSeen(fact));
            }
            const last = observed.at(-1);
            if (last !== undefined) await goOn(last.lease, one.afterwards);
            for (const fact of last === undefined ? [] : await recorded(last)) seen.add(toSeen(fact));
          }
        },
      ),
      { numRuns: 18, seed: 20_261_127, includeErrorInReport: true, endOnFailure: true },
    );
    assert.deepEqual([...seen].toSorted(), HAPPENED);
  });
});

/** Bob buys, drinks and writes. */
function toThird({ turns, ...script }: Answers): Answers {
  return { ...script, turns: { '1': { ...turns['3'] } } };
}

function toSeen(fact: Fact): string {
  if (fact.kind === 'call_started') return fact.adopted_from === null ? fact.kind : 'call_adopted';
  return fact.kind === 'call_ended' ? `${fact.kind} ${fact.status}` : fact.kind;
}
