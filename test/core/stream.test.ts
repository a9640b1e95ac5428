import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BaseEvent, verifyEvents } from '@ag-ui/client';
import fc from 'fast-check';
import { lastValueFrom, of, toArray } from 'rxjs';
import type { Fact, FactCall } from '../../engine/core/stream/fact.js';
import { type Frame, STREAM_BEGINNING, type StreamView, toFrames } from '../../engine/core/stream/frames.js';

const RUNS = { numRuns: 200, seed: 20_261_123 };
const ATTEMPT = '01a20766-c13e-7239-9bcf-590aa32028ef';
const AG_UI: StreamView = { format: 'ag-ui', reader: 'operator' };
const VIEWS: readonly StreamView[] = (['ag-ui', 'ai-sdk'] as const).flatMap((format) =>
  (['consumer', 'operator'] as const).map((reader) => ({ format, reader })),
);

const KINDS = ['llm_generation', 'ambient_context', 'model_elected_tool', 'node_call'] as const;

function callOf(number: number, invocation_kind: FactCall['invocation_kind']): FactCall {
  const isTool = invocation_kind === 'model_elected_tool';
  return {
    source_invocation_id: `call-${number}`,
    invocation_kind,
    command_key: `bob/act/${number}`,
    performance: 1,
    workflow_subject_entity_id: 'bob',
    workflow_node_id: 'act',
    ambient_source_id: null,
    tool_name: isTool ? 'drink' : null,
    llm_call_id: invocation_kind === 'llm_generation' ? `generation-${number}` : null,
    parent_llm_call_id: null,
    request_json: isTool ? { secret: 'what was asked' } : null,
  };
}

/** Something that may happen next; a number chooses the call that it happens to. */
type Happening = { readonly what: 'start' | 'say' | 'end' | 'fail' | 'interrupt' | 'refuse'; readonly which: number };

const happeningArbitrary: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom('start', 'say', 'end', 'fail', 'interrupt', 'refuse'),
  which: fc.nat({ max: 20 }),
});

/** The record of an attempt with concurrent calls. */
const factsArbitrary: fc.Arbitrary<readonly Fact[]> = fc
  .tuple(fc.array(happeningArbitrary, { maxLength: 40 }), fc.boolean())
  .map(([happenings, isCommitted]) => {
    const facts: Fact[] = [beginning()];
    const open: FactCall[] = [];
    let event_id = 1;
    for (const { what, which } of happenings) {
      event_id += 16;
      const place = { event_id, occurred_at: event_id };
      const fresh = callOf(event_id, KINDS[which % KINDS.length] ?? 'node_call');
      const call = open[which % Math.max(1, open.length)];
      if (what === 'start') {
        open.push(fresh);
        facts.push({ kind: 'call_started', ...place, call: fresh });
      } else if (what === 'refuse') facts.push(...ending(fresh, event_id, 'not_allowed'));
      else if (call === undefined) continue;
      else if (what === 'say') facts.push({ kind: 'text_streamed', event_id, call, text: 'more ' });
      else {
        open.splice(open.indexOf(call), 1);
        facts.push(...ended(what, call, event_id));
      }
    }
    const place = { event_id: event_id + 16, occurred_at: 0 };
    facts.push(
      isCommitted
        ? { kind: 'turn_committed', ...place, turn: 1 }
        : { kind: 'attempt_failed', ...place, failure_class: 'timeout', failure_message: 'It took too long.' },
    );
    return facts;
  });

function beginning(): Fact {
  return {
    kind: 'attempt_began',
    event_id: 1,
    occurred_at: 0,
    world_slug: 'park',
    attempt_id: ATTEMPT,
    attempted_turn: 1,
    adopts: null,
    environments: [{ label: 'park', content: 'Grass.' }],
    entities: [{ id: 'bob', name: 'Bob', kind: 'agent', state: 'hungry' }],
  };
}

function ended(what: 'end' | 'fail' | 'interrupt', call: FactCall, event_id: number): readonly Fact[] {
  if (what !== 'interrupt') return ending(call, event_id, what === 'fail' ? 'timeout' : null);
  const { source_invocation_id } = call;
  return [
    { kind: 'other', event_id, occurred_at: 0, event_kind: 'call_interrupted', source_invocation_id, details: {} },
  ];
}

/** The last words of a generation have the number of its end. */
function ending(call: FactCall, event_id: number, failure_class: string | null): readonly Fact[] {
  const said: readonly Fact[] =
    call.llm_call_id === null || failure_class !== null ? [] : [{ kind: 'text_streamed', event_id, call, text: 'end' }];
  return [
    ...said,
    {
      kind: 'call_ended',
      event_id,
      occurred_at: 0,
      call,
      failure_class,
      failure_message: failure_class === null ? null : 'It failed.',
      model_output_kind: null,
      response_json: { ok: true },
      reasoning: call.llm_call_id === null ? null : 'a secret thought',
    },
  ];
}

function framesOf(facts: readonly Fact[], view: StreamView): readonly Frame[] {
  return toFrames(STREAM_BEGINNING, facts, view).frames;
}

const textOf = (frames: readonly Frame[]): string => frames.map(({ text }) => text).join('');

test('a stream is the same for every division of its facts into pages', () => {
  fc.assert(
    fc.property(factsArbitrary, fc.array(fc.nat({ max: 60 })), fc.constantFrom(...VIEWS), (facts, cuts, view) => {
      let state = STREAM_BEGINNING;
      let text = '';
      const ends = [...cuts.map((cut) => cut % facts.length), facts.length].toSorted((one, other) => one - other);
      for (const [index, end] of ends.entries()) {
        const translated = toFrames(state, facts.slice(ends[index - 1] ?? 0, end), view);
        state = translated.state;
        text += textOf(translated.frames);
      }
      assert.equal(text, textOf(framesOf(facts, view)));
    }),
    RUNS,
  );
});

test('each event has an id of its own, so that a stream can be resumed there', () => {
  fc.assert(
    fc.property(factsArbitrary, fc.constantFrom(...VIEWS), (facts, view) => {
      const ids = framesOf(facts, view).map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    }),
    RUNS,
  );
});

test('the client of AG-UI accepts every outcome of an attempt', async () => {
  await fc.assert(
    fc.asyncProperty(factsArbitrary, async (facts) => {
      const events = framesOf(facts, AG_UI).map(({ text }) => JSON.parse(text.split('data: ')[1] ?? '') as BaseEvent);
      const verified = await lastValueFrom(of(...events).pipe(verifyEvents(false), toArray()));
      assert.equal(verified.length, events.length);
    }),
    RUNS,
  );
});

test('the end of a stream of the AI SDK is said once, behind everything else', () => {
  fc.assert(
    fc.property(factsArbitrary, (facts) => {
      const text = textOf(framesOf(facts, { format: 'ai-sdk', reader: 'consumer' }));
      assert.equal(text.indexOf('data: [DONE]\n\n'), text.length - 'data: [DONE]\n\n'.length);
    }),
    RUNS,
  );
});

for (const [event_kind, isClosed] of [
  ['call_interrupted', true],
  ['call_pended', false],
] as const)
  test(`after ${event_kind} its call ${isClosed ? 'has ended' : 'goes on'}`, () => {
    const call = callOf(1, 'node_call');
    const { source_invocation_id } = call;
    const frames = framesOf(
      [
        beginning(),
        { kind: 'call_started', event_id: 17, occurred_at: 0, call },
        { kind: 'other', event_id: 33, occurred_at: 0, event_kind, source_invocation_id, details: {} },
      ],
      AG_UI,
    );
    assert.equal(/STEP_FINISHED/.test(textOf(frames)), isClosed);
  });

test('facts for operators alone are in no stream of a consumer', () => {
  fc.assert(
    fc.property(factsArbitrary, fc.constantFrom('ag-ui', 'ai-sdk'), (facts, format) => {
      assert.doesNotMatch(textOf(framesOf(facts, { format, reader: 'consumer' })), /secret/);
    }),
    RUNS,
  );
});

for (const format of ['ag-ui', 'ai-sdk'] as const)
  test(`${format}: the host and the process of a driver are sent to operators alone`, () => {
    const continued: Fact = {
      kind: 'other',
      event_id: 17,
      occurred_at: 0,
      event_kind: 'attempt_continued',
      source_invocation_id: null,
      details: { take_overs: 1, host: 'rack-7', pid: 24_626 },
    };
    const [consumer, operator] = (['consumer', 'operator'] as const).map((reader) =>
      textOf(framesOf([beginning(), continued], { format, reader })),
    );
    assert.match(operator ?? '', /"details":\{"take_overs":1,"host":"rack-7","pid":24626\}/);
    assert.match(consumer ?? '', /"details":\{"take_overs":1\}/);
  });
