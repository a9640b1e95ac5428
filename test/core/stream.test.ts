import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BaseEvent, verifyEvents } from '@ag-ui/client';
import fc from 'fast-check';
import { lastValueFrom, from, toArray } from 'rxjs';
import { type Frame, STREAM_BEGINNING, type StreamView, toFrames } from '../../engine/core/stream/frames.js';
import type { CallStarted, Noted, Told } from '../../engine/core/stream/told.js';

const RUNS = { numRuns: 200, seed: 20_261_123 };
const ATTEMPT = '01a20766-c13e-7239-9bcf-590aa32028ef';
const AG_UI: StreamView = { format: 'ag-ui', reader: 'operator' };
const VIEWS: readonly StreamView[] = (['ag-ui', 'ai-sdk'] as const).flatMap((format) =>
  (['consumer', 'operator'] as const).map((reader) => ({ format, reader })),
);

const KINDS = ['llm_generation', 'ambient_context', 'model_elected_tool', 'node_call'] as const;

type Numbered<Kind> = Kind & { readonly event_id: number };

function callOf(event_id: number, invocation_kind: CallStarted['invocation_kind']): Numbered<CallStarted> {
  const isTool = invocation_kind === 'model_elected_tool';
  return {
    kind: 'call_started',
    event_id,
    at: timeOf(event_id),
    source_invocation_id: `call-${event_id}`,
    invocation_kind,
    command_key: `bob/act/${event_id}`,
    performance: 1,
    subject_id: 'bob',
    node_id: 'act',
    ambient_id: null,
    tool_name: isTool ? 'drink' : null,
    tool_call_id: isTool && event_id % 3 > 0 ? `call_${event_id % 3}` : null,
    llm_call_id: invocation_kind === 'llm_generation' ? `generation-${event_id}` : null,
    parent_llm_call_id: null,
    request_json: isTool ? { secret: 'what was asked' } : null,
  };
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Something that may happen next; a number chooses the call that it happens to. */
type Happening = { readonly what: 'start' | 'say' | 'end' | 'fail' | 'interrupt' | 'refuse'; readonly which: number };

const happeningArbitrary: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom('start', 'say', 'end', 'fail', 'interrupt', 'refuse'),
  which: fc.nat({ max: 20 }),
});

/** The record of an attempt with concurrent calls. */
const factsArbitrary: fc.Arbitrary<readonly Told[]> = fc
  .tuple(fc.array(happeningArbitrary, { maxLength: 40 }), fc.boolean())
  .map(([happenings, isCommitted]) => {
    const facts: Told[] = [beginning()];
    const open: CallStarted[] = [];
    let event_id = 1;
    for (const { what, which } of happenings) {
      event_id += 16;
      const fresh = callOf(event_id, KINDS[which % KINDS.length] ?? 'node_call');
      const call = open[which % Math.max(1, open.length)];
      if (what === 'start') {
        open.push(fresh);
        facts.push(fresh);
      } else if (what === 'refuse') facts.push(fresh, ...ending(fresh, event_id, 'not_allowed'));
      else if (call === undefined) continue;
      else if (what === 'say')
        facts.push({ kind: 'text_streamed', event_id, llm_call_id: call.llm_call_id, text: 'more ' });
      else {
        open.splice(open.indexOf(call), 1);
        facts.push(...ended(what, call, event_id));
      }
    }
    const place = { event_id: event_id + 16, at: timeOf(0) };
    facts.push(
      isCommitted
        ? { kind: 'turn_committed', ...place, patches: [] }
        : { kind: 'attempt_failed', ...place, failure_class: 'timeout', failure_message: 'It took too long.' },
    );
    return facts;
  });

function beginning(): Told {
  return {
    kind: 'attempt_began',
    event_id: 1,
    at: timeOf(0),
    world_slug: 'park',
    attempt_id: ATTEMPT,
    attempted_turn: 1,
    adopts: null,
    environments: [{ label: 'park', content: 'Grass.' }],
    entities: [{ id: 'bob', name: 'Bob', kind: 'agent', state: 'hungry' }],
  };
}

function noted(event_id: number, said: Pick<Noted, 'of' | 'source_invocation_id' | 'details'>): Told {
  return { kind: 'noted', event_id, at: timeOf(0), ...said };
}

function ended(what: 'end' | 'fail' | 'interrupt', call: CallStarted, event_id: number): readonly Told[] {
  if (what !== 'interrupt') return ending(call, event_id, what === 'fail' ? 'timeout' : null);
  const { source_invocation_id } = call;
  return [noted(event_id, { of: 'call_interrupted', source_invocation_id, details: {} })];
}

/** The last words of a generation have the number of its end. */
function ending(call: CallStarted, event_id: number, failure_class: string | null): readonly Told[] {
  const { llm_call_id, source_invocation_id } = call;
  const said: readonly Told[] =
    llm_call_id === null || failure_class !== null
      ? []
      : [{ kind: 'text_streamed', event_id, llm_call_id, text: 'end' }];
  return [
    ...said,
    {
      kind: 'call_ended',
      event_id,
      at: timeOf(0),
      source_invocation_id,
      failure_class,
      failure_message: failure_class === null ? null : 'It failed.',
      model_output_kind: null,
      response_json: { ok: true },
      reasoning: llm_call_id === null ? null : 'a secret thought',
      rejected_calls: failure_class === null || llm_call_id === null ? [] : REJECTED,
    },
  ];
}

const REJECTED = [1, 2].map((number) => ({
  tool_call_id: `call_${number}`,
  tool_name: 'drink',
  error_code: 'validation' as const,
  message: 'It calls 2 tools at once: call one.',
}));

function framesOf(facts: readonly Told[], view: StreamView): readonly Frame[] {
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
      const verified = await lastValueFrom(from(events).pipe(verifyEvents(false), toArray()));
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

for (const [of, isClosed] of [
  ['call_interrupted', true],
  ['call_pended', false],
] as const)
  test(`after ${of} its call ${isClosed ? 'has ended' : 'goes on'}`, () => {
    const call = callOf(17, 'node_call');
    const { source_invocation_id } = call;
    const frames = framesOf([beginning(), call, noted(33, { of, source_invocation_id, details: {} })], AG_UI);
    assert.equal(/STEP_FINISHED/.test(textOf(frames)), isClosed);
  });

test('a tool call has the id of its model, also when it is repeated, unless another call had it first', () => {
  const tool = { ...callOf(17, 'model_elected_tool'), tool_call_id: 'call_1' };
  const again = { ...tool, event_id: 33, source_invocation_id: 'again', performance: 2 };
  const other = { ...tool, event_id: 49, source_invocation_id: 'other', command_key: 'ant/act/49' };
  const text = textOf(framesOf([beginning(), tool, ...ending(tool, 18, 'timeout'), again, other], AG_UI));
  const ids = Array.from(
    text.matchAll(/"TOOL_CALL_(?:START|RESULT)",(?:"messageId":"[^"]*",)?"toolCallId":"([^"]*)"/g),
  );
  assert.deepEqual(
    ids.map(([, id]) => id),
    ['call_1', 'call_1', 'call_1', 'other'],
  );
});

test('an answer that could not be redacted is an event of its own, and its answer is in no stream', () => {
  const call = callOf(1, 'model_elected_tool');
  const [text, other] = ['redaction_failed', 'timeout'].map((failure_class) =>
    textOf(framesOf([beginning(), call, ...ending(call, 2, failure_class)], AG_UI)),
  );
  assert.match(text ?? '', /"name":"call_failed".*\n.*"name":"redaction_failed"/s);
  assert.match(text ?? '', /"error_code":"redaction_failed"/);
  assert.doesNotMatch(text ?? '', /"ok":true/);
  assert.doesNotMatch(other ?? '', /redaction_failed/);
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
    const continued = noted(17, {
      of: 'attempt_continued',
      source_invocation_id: null,
      details: { take_overs: 1, host: 'rack-7', pid: 24_626 },
    });
    const [consumer, operator] = (['consumer', 'operator'] as const).map((reader) =>
      textOf(framesOf([beginning(), continued], { format, reader })),
    );
    assert.match(operator ?? '', /"details":\{"take_overs":1,"host":"rack-7","pid":24626\}/);
    assert.match(consumer ?? '', /"details":\{"take_overs":1\}/);
  });
