import { labelOf } from '../../../engine/catalogue/words.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linesOf } from '../../../engine/surfaces/browser/pictures/life-lines.js';
import { forkTree } from '../../../engine/surfaces/browser/pictures/fork-tree.js';
import { attemptTimeline } from '../../../engine/surfaces/browser/pictures/attempt-timeline.js';
import { busyOf } from '../../../engine/surfaces/browser/pictures/attempt-bars.js';
import { layOutTime } from '../../../engine/surfaces/browser/pictures/time-scale.js';
import { drawChunks, outputBar } from '../../../engine/surfaces/browser/parts/conversation.js';
import { scaleOf, toBars } from '../../../engine/catalogue/interval-scale.js';
import { intervalPlots } from '../../../engine/surfaces/browser/pictures/interval-plot.js';
import { drawBlock } from '../../../engine/surfaces/browser/block.js';
import { table } from '../../../engine/catalogue/view.js';

const NOON = '2025-10-04T12:00:00.000Z';

const recordOf = (world_slug: string, turn: number, forked_from?: { world_slug: string; turn: number }) => ({
  world_slug,
  turn,
  scenario_hash: '',
  scenario_label: 'park',
  simulation_time: NOON,
  created_at: NOON,
  ...(forked_from === undefined ? {} : { forked_from }),
});

const toText = (markup: { toString(): string }): string => markup.toString().replaceAll(/<[^>]+>/g, '');

describe('the tree of forks', () => {
  const family = [
    recordOf('later', 4, { world_slug: 'trunk', turn: 3 }),
    recordOf('early', 5, { world_slug: 'trunk', turn: 1 }),
    recordOf('trunk', 6),
    recordOf('twig', 2, { world_slug: 'early', turn: 2 }),
  ];

  test('the tree of forks has each world below the one that it left, and says the same in words', () => {
    assert.deepEqual(
      sentences(family, 'early').map((sentence) => sentence.replace(/ ·.*/, '')),
      [
        'trunk is at turn 6',
        'later left trunk after turn 3, and is at turn 4',
        'early left trunk after turn 1, and is at turn 5',
        'twig left early after turn 2, and is at turn 2',
      ],
    );
  });

  test('the tree of forks has the worlds of a part of a family, whose parents are not in it', () => {
    assert.deepEqual(sentences(family.slice(0, 1), 'later'), ['later left trunk after turn 3, and is at turn 4']);
  });
});

/** The list below the picture. */
function sentences(...[worlds, here]: Parameters<typeof forkTree>): readonly string[] {
  const items = forkTree(worlds, here)
    .toString()
    .matchAll(/<li>(.*?)<\/li>/g);
  return [...items].map(([, item = '']) => toText(item));
}

describe('lives over turns', () => {
  const patchOf = (turn: number, patch_seq: number, subject: string, effects: readonly object[]) =>
    ({ turn, patch_seq, workflow_subject_entity_id: subject, effects }) as unknown as Parameters<
      typeof linesOf
    >[1][number];
  const world = {
    environments: [
      { label: 'mill', content: '' },
      { label: 'empty', content: '' },
    ],
    entities: [
      { id: 'tom', name: 'Tom', environment: 'mill' },
      { id: 'stone', name: 'Stone', environment: 'mill' },
      { id: 'cat', name: 'Cat', environment: 'mill' },
    ],
  } as unknown as Parameters<typeof linesOf>[0];

  test('mark who acted, what changed and who remembers, and leave out entities without changes', () => {
    const lines = linesOf(world, [
      patchOf(2, 3, 'tom', [
        { op: 'set_entity_state', entity_id: 'stone', environment_label: null, state_after: 'dressed' },
        { op: 'append_entity_memory', entity_id: 'tom', environment_label: null, state_after: 'I dressed it.' },
      ]),
    ]);
    const at = { turn: 2, patch_seq: 3 };
    assert.deepEqual(lines, [
      { name: 'mill', is_place: true, marks: [] },
      { name: 'Tom', is_place: false, marks: [{ ...at, has_acted: true, has_new_memory: true }] },
      { name: 'Stone', is_place: false, marks: [{ ...at, has_acted: false, has_new_memory: false, state: 'dressed' }] },
    ]);
  });

  test('lead to the patch of one’s own, where others have changed one as well', () => {
    const [, tom] = linesOf(world, [
      patchOf(1, 1, 'tom', []),
      patchOf(1, 2, 'cat', [
        { op: 'set_entity_state', entity_id: 'tom', environment_label: null, state_after: 'startled' },
      ]),
    ]);
    assert.deepEqual(tom?.marks, [
      { turn: 1, patch_seq: 1, has_acted: true, has_new_memory: false, state: 'startled' },
    ]);
  });
});

test('days in which a call waits for its answer collapse', () => {
  const day = 86_400_000;
  const bar = { from: 0, to: 3 * day, pended_at: 100 } as Parameters<typeof busyOf>[0];
  const { gaps, x } = layOutTime([...busyOf(bar), { from: 3 * day, to: 3 * day + 100 }], { x: 0, width: 800 });
  assert.deepEqual(
    gaps.map(({ milliseconds }) => milliseconds),
    [3 * day - 100],
  );
  assert.ok(x(100) > 300, 'what was done before the wait keeps its room');
});

test('the name of a call goes on beside a bar that is too short for it, and one that was superseded has none', () => {
  const callOf = (name: string, is_superseded: boolean) => ({
    source_invocation_id: name,
    invocation_kind: 'llm_generation',
    workflow_subject_entity_id: 'tom',
    command_key: `tom/act/round-1/try-1`,
    model_output_kind: 'final_patch',
    status: 'succeeded',
    is_driven: false,
    is_superseded,
    adopted_from: null,
    failure_class: null,
    llm_call_id: name,
    duration_ms: 10,
  });
  const event = (name: string, event_kind: string, at: number) => ({
    source_invocation_id: name,
    event_kind,
    occurred_at: new Date(at).toISOString(),
  });
  const attempt = {
    invocations: [callOf('short', false), callOf('long', true)],
    timeline: [
      event('short', 'call_started', 0),
      event('short', 'call_answered', 10),
      event('long', 'call_started', 150),
      event('long', 'call_answered', 1_000),
    ],
    started_at: NOON,
    ended_at: NOON,
  };
  const picture = attemptTimeline(attempt as unknown as Parameters<typeof attemptTimeline>[0]).toString();
  for (const [page, name] of [
    ['wide', 'final patch'],
    // On a phone, there is room for four letters between the two bars.
    ['narrow', 'fina…'],
  ]) {
    const names = picture.match(new RegExp(`(?<=class="bar-name at-${page}"[^>]*><text[^>]*>)[^<]+`, 'g'));
    assert.deepEqual(names, [name], page);
  }
});

test('a call that waited is drawn over the collapsed time, the picture has no width, and labels stay within it', () => {
  const call = {
    source_invocation_id: 'letter',
    invocation_kind: 'model_elected_tool',
    tool_name: 'write_letter',
    workflow_subject_entity_id: 'nora',
    command_key: 'nora/act/round-1/try-1/tool',
    status: 'pending',
    is_driven: false,
    is_superseded: false,
    adopted_from: null,
    failure_class: null,
    llm_call_id: null,
    duration_ms: null,
  };
  const event = (event_kind: string, at: number) => ({
    source_invocation_id: 'letter',
    event_kind,
    occurred_at: new Date(at).toISOString(),
  });
  const attempt = {
    invocations: [call],
    timeline: [event('call_started', 0), event('call_pended', 100)],
    started_at: new Date(0).toISOString(),
    ended_at: null,
    read_at: new Date(3_600_000).toISOString(),
  };
  const picture = attemptTimeline(attempt as unknown as Parameters<typeof attemptTimeline>[0]).toString();
  assert.ok(picture.indexOf('class="gap"') < picture.indexOf('class="waits"'), 'the hatch lies above the gap');
  assert.ok(picture.includes('>write_letter</text>'), 'the name is whole where there is room');
  assert.doesNotMatch(picture, /<svg class="timeline"[^>]*(width|viewBox)=/);
  for (const [, x, anchor] of picture.matchAll(/<text[^>]*x="([\d.]+)%"[^>]*text-anchor="(\w+)"/g))
    assert.ok(Number(x) < 92 || anchor === 'end', `a label at ${x} % ends there`);
});

for (const [failure_class, failure_detail, label] of [
  ['model_content', 'unknown_entity', 'rejected: unknown entity'],
  ['stopped', null, 'failed: stopped'],
  ['transport', null, 'failed: transport'],
] as const)
  test(`a generation with the failure ${failure_class} is called "${label}"`, () => {
    const call = { invocation_kind: 'llm_generation', is_superseded: false, failure_class, failure_detail };
    assert.equal(labelOf(call as Parameters<typeof labelOf>[0]), label);
  });

test('a column in which no row has anything is left out', () => {
  const columns = { name: ({ name }: { name: string }) => name, nothing: () => null };
  assert.doesNotMatch(drawBlock(table([{ name: 'a' }], columns, '')).toString(), /Nothing/);
});

describe("the pieces of a model's answer", () => {
  test("the pieces of a model's answer is there as a whole, with its times", () => {
    const markup = drawChunks([
      { text: 'Bob ', offset_ms: 40 },
      { text: '<b>sits', offset_ms: 1_500 },
    ]).toString();
    assert.match(markup, /data-at="40"[^]*40 ms[^]*Bob [^]*data-at="1500"[^]*1\.5 s[^]*&lt;b&gt;sits/);
  });

  test("the pieces of a model's answer of a megabyte is cut, however many pieces it has", () => {
    for (const count of [2, 100_000]) {
      const chunks = Array.from({ length: count }, () => ({ text: 'x'.repeat(1_000_000 / count), offset_ms: 1 }));
      const markup = drawChunks(chunks).toString();
      assert.ok(markup.length < 80_000, `${markup.length} characters of ${count} pieces`);
      assert.match(markup, /characters more/);
    }
  });

  test("the pieces of a model's answer is separated from the reasoning, where the server counts it", () => {
    const tokens = {
      input_tokens: 900,
      output_tokens: 400,
      cached_input_tokens: null,
      cache_written_input_tokens: null,
      reasoning_tokens: 300,
    };
    assert.match(toText(outputBar(tokens)), /reasoning 300 tokens, 75 %[^]*answer 100 tokens, 25 %/);
    assert.equal(outputBar({ ...tokens, reasoning_tokens: null }).toString(), '');
  });
});

describe('means with their intervals', () => {
  const plot = {
    title: 'contribution',
    has_zero: true,
    rows: [
      { label: 'community', mean: 12, interval: [11, 13], n: 20 },
      { label: 'wall-street', mean: 7.9054, interval: null, n: 1, values: [7.9054] },
    ],
  } as const;

  test('means with their intervals are drawn on one scale, with 0 in it, and said in words', () => {
    const markup = intervalPlots([plot, { ...plot, rows: [] }]).toString();
    assert.equal(markup.match(/<figure/g)?.length, 1, 'a plot without rows is left out');
    assert.match(markup, /aria-label="contribution: community 12, from 11 to 13, of 20; wall-street 7.905, of 1"/);
    const x = [...markup.matchAll(/<circle cx="([\d.]+)"/g)].map(([, at]) => Number(at));
    const zero = Number(/class="zero" x1="([\d.]+)"/.exec(markup)?.[1]);
    const [community = 0, street = 0] = x;
    assert.ok(zero < street && street < community);
    assert.match(markup, /<path class="line"/);
  });

  test('means with their intervals are bars of text where nothing can be drawn', () => {
    const [community = '', street = ''] = toBars(plot).split('\n');
    assert.match(community, /^community {4} *:? *\[-*o-*\] +12$/);
    assert.match(street, /^wall-street {3}.*o.*7\.905$/);
    assert.equal(community.indexOf(':'), street.indexOf(':'));
  });

  test('means with their intervals that are all the same stand in the middle', () => {
    const scale = scaleOf({ ...plot, has_zero: false, rows: [{ label: 'one', mean: 3, interval: [3, 3], n: 2 }] });
    assert.equal(scale(3), 0.5);
  });
});
