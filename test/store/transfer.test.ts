import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { v7 } from 'uuid';
import { sha256 } from '../../engine/core/content/sha256.js';
import type { Store } from '../../engine/store/open-store.js';
import { EXPORTED_TABLES, LEFT_OUT } from '../../engine/store/transfer/tables.js';
import { openTestDatabase, type TestDatabase } from '../support/databases.js';
import {
  begin,
  contentsOf,
  doubt,
  DOCUMENTS,
  failing,
  liveUntil,
  makeWorld,
  playTurn,
  startCall,
  toStream,
  toyStart,
  BY_HAND,
} from './record-fixtures.js';

/** The lines of an export. */
async function exportLines(store: Store, ...worlds: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const exported = await store.transfer.export(worlds, async (line) => void lines.push(line));
  assert.equal(exported.kind, 'exported', JSON.stringify(exported));
  return lines;
}

const importLines = (store: Store, lines: readonly string[]) => store.transfer.import(toStream(lines), () => undefined);

/** A world that has lived, with a call in doubt, and a queue that stays behind. */
async function live(store: Store, world: string): Promise<void> {
  await liveUntil(store, world, 'asleep "\u2028\n\\');
  await doubt(store, world);
  await store.inbox.enqueueTurns({ world_slug: world, inbox_ids: [v7()] });
}

/** A file whose lines were changed and whose digest fits them all the same. */
function forge(lines: readonly string[], change: (line: string) => string): readonly string[] {
  const kept = lines.slice(0, -1).map(change);
  return [...kept, JSON.stringify({ rows: kept.length - 1, sha256: sha256(kept.map((line) => `${line}\n`).join('')) })];
}

/** A line that the change is for. */
const ofTable = (table: string, change: (line: string) => string) => (line: string) =>
  line.startsWith(`{"table":"${table}"`) ? change(line) : line;

type Row = Readonly<Record<string, unknown>>;

/** A file that also brings a row like the last of a table, with changes. */
function withRow(lines: readonly string[], table: string, change: Row): readonly string[] {
  const last = lines.findLast((line) => line.startsWith(`{"table":"${table}"`));
  const { row } = JSON.parse(last ?? '{}') as { readonly row?: Row };
  return forge([...lines.slice(0, -1), JSON.stringify({ table, row: { ...row, ...change } }), ''], (line) =>
    line.replace('"worlds":["moved"]', '"worlds":["moved","other"]'),
  );
}

/** An attempt beside those of its world. */
const ATTEMPT = { attempt_id: v7(), epoch: 99, failed_source_invocation_id: null };
const EFFECT = { effect_index: 0, op: 'set_entity_state', entity_id: 'zoe', state_after: 'tired' };

/** A patch beside those of a turn. */
const ofEffects = (effects: unknown): readonly [string, Row] => ['world_patches', { patch_seq: 9, effects }];

/** Rows that no turn writes and that no constraint refuses: a table, what is changed in a row of it, and the reason. */
const UNSOUND: Readonly<Record<string, readonly [string, Row, RegExp]>> = {
  'an attempt of no world': ['attempts', { ...ATTEMPT, world_slug: 'other' }, /attempts .* worlds that is not/],
  'an attempt of no scenario': ['attempts', { ...ATTEMPT, scenario_hash: sha256('') }, /attempts .* scenarios that/],
  'a world without its turn': [
    'worlds',
    { world_slug: 'other', adoptable_attempt_id: null },
    /worlds .* turns that is not/,
  ],
  'a turn of no world': ['turns', { world_slug: 'other' }, /turns .* worlds that is not/],
  'a turn of no attempt': ['turns', { turn: 9, attempt_id: v7() }, /turns .* attempts that is not/],
  'a call of no attempt': [
    'source_invocations',
    { source_invocation_id: v7(), attempt_id: v7() },
    /source_invocations .* attempts that is not/,
  ],
  'a generation of no call': [
    'llm_calls',
    { llm_call_id: v7(), source_invocation_id: v7() },
    /llm_calls .* source_invocations that is not/,
  ],
  'chunks of no generation': [
    'llm_chunks',
    { world_slug: 'moved', llm_call_id: v7(), batch_seq: 1, text: '\\x', pieces: '\\x', event_id: 1 },
    /llm_chunks .* llm_calls that is not/,
  ],
  'a patch of no turn': ['world_patches', { turn: 9, patch_seq: 9 }, /world_patches .* turns that is not/],
  'a state of no effect': ['entity_states', { turn: 9 }, /entity_states .* patch_effects that is not/],
  'a memory of no effect': ['entity_memories', { turn: 9 }, /entity_memories .* patch_effects that is not/],
  'a content of no effect': ['environment_contents', { turn: 9 }, /environment_contents .* patch_effects that is not/],
  'a state of half an effect': [
    'entity_states',
    { turn: 9, patch_seq: null },
    /entity_states .* patch_effects that is not/,
  ],
  'a state of a turn that its world has not reached': [
    'entity_states',
    { turn: 9, patch_seq: null, effect_index: null },
    /entity_states is of a later turn than its world has reached in worlds/,
  ],
  'a memory of another origin': ['entity_memories', { memory_seq: 9, origin: 'scenario' }, /origin/],
  'effects that are no list': [...ofEffects({}), /json_to_recordset/],
  'an effect that is no object': [...ofEffects([1]), /json_to_recordset/],
  'an effect with an unknown operation': [...ofEffects([{ ...EFFECT, op: 'x' }]), /effect_operation/],
  'an effect without an operation': [...ofEffects([{ ...EFFECT, op: null }]), /incomplete/],
  'an effect without its place': [...ofEffects([{ ...EFFECT, effect_index: null }]), /incomplete/],
  'an effect at a negative place': [...ofEffects([{ ...EFFECT, effect_index: -1 }]), /incomplete/],
  'an effect without a value': [...ofEffects([{ ...EFFECT, state_after: null }]), /incomplete/],
  'an effect of nothing': [...ofEffects([{ ...EFFECT, entity_id: null }]), /exactly one/],
  'an effect of two things': [...ofEffects([{ ...EFFECT, environment_label: 'park' }]), /exactly one/],
  'an effect of no name': [...ofEffects([{ ...EFFECT, entity_id: 'Not a name' }]), /entity_id_text/],
  'a message with a piece of no text': [
    'llm_messages',
    {
      message_hash: sha256('["system",[["author",""]]]'),
      role: 'system',
      origins: ['author'],
      texts: [],
      segment_hashes: [],
    },
    /not what its hash says/,
  ],
  'two effects at one place': [...ofEffects([EFFECT, EFFECT]), /same effect_index/],
};

/** Artifacts of a generation that no reader can take, and the reason. */
const UNSOUND_ARTIFACTS: readonly (readonly [string, RegExp])[] = [
  ['{}', /json_array_elements|array/],
  ['null', /json_array_elements|array/],
  ['[1]', /artifact/],
  ['[{"value":1}]', /artifact/],
  ['[{"kind":"reasoning"}]', /artifact/],
];

for (const [from, to] of [
  ['embedded', 'PostgreSQL'],
  ['PostgreSQL', 'embedded'],
] as const) {
  describe(`a world that moves (${from} to ${to})`, () => {
    let opened: Promise<readonly [TestDatabase, TestDatabase, readonly string[]]> | undefined;
    after(async () => {
      const [here, there] = (await opened) ?? [];
      await here?.close();
      await there?.close();
    });
    const open = () =>
      (opened ??= (async () => {
        const [here, there] = [await openTestDatabase(from), await openTestDatabase(to)];
        await live(here.store, 'moved');
        return [here, there, await exportLines(here.store, 'moved')] as const;
      })());

    test('a world that moves is refused for every fault of its file, and nothing is left behind', async () => {
      const [, there, lines] = await open();
      const before = await contentsOf(there.outside);
      const faults: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
        empty: [[], /cut off/],
        'cut off': [lines.slice(0, -1), /cut off/],
        'cut off in the middle of a line': [[...lines.slice(0, 9), lines[9]?.slice(0, 20) ?? ''], /none of an export/],
        'short of a line': [lines.toSpliced(9, 1), /digest/],
        'short of its beginning': [lines.slice(1), /does not begin/],
        'followed by more': [[...lines, lines[5] ?? ''], /none of an export/],
        'altered in one letter': [lines.map((line) => line.replace('Zoe is tired', 'Zoe is tiled')), /digest/],
        'altered in a document': [
          forge(
            lines,
            ofTable('scenarios', (line) => line.replace('Zoe', 'Zoo')),
          ),
          /hash/,
        ],
        'altered in a message': [
          forge(
            lines,
            ofTable('llm_messages', (line) => line.replace('system', 'user')),
          ),
          /hash/,
        ],
        'of a world that it does not bring': [
          forge(
            lines,
            ofTable('entity_states', (line) => line.replace('"moved"', '"victim"')),
          ),
          /victim/,
        ],
        'of an unknown table': [
          forge(
            lines,
            ofTable('turns', (line) => line.replace('turns', 'pg_authid')),
          ),
          /pg_authid/,
        ],
        'short of rows that others need': [
          forge(
            lines.filter((line) => !line.startsWith('{"table":"turns"')),
            (line) => line,
          ),
          /one of turns that is not there/,
        ],
        'of a row that the database refuses': [
          forge(
            lines,
            ofTable('turns', (line) => line.replace('"turn":1', '"turn":-1')),
          ),
          /positive|natural|check/,
        ],
        'of a number that ends the common sequence': [
          forge(
            lines,
            ofTable('source_invocations', (line) =>
              line.replace(/"ended_event_id":\d+/, '"ended_event_id":9223372036854775807'),
            ),
          ),
          /^line \d+: source_invocations.ended_event_id is out of bounds$/,
        ],
        'of a time that no date has': [
          forge(
            lines,
            ofTable('attempts', (line) =>
              line.replace(/"started_at":"[^"]*"/, '"started_at":"294276-12-31T00:00:00Z"'),
            ),
          ),
          /^line \d+: attempts.started_at is out of bounds$/,
        ],
        'of a row that is null': [
          forge(
            lines,
            ofTable('turns', () => '{"table":"turns","row":null}'),
          ),
          /^line \d+ is none of an export$/,
        ],
        'of a number among its worlds': [
          forge(lines, (line) => line.replace('"worlds":["moved"]', '"worlds":["moved",7]')),
          /^line 1 is none of an export$/,
        ],
        'of a redaction that is no list': [
          forge(
            lines,
            ofTable('source_invocations', (line) => line.replace(/"redaction":(\[[^\]]*\]|"all")/, '"redaction":true')),
          ),
          /^line \d+: source_invocations.redaction is of another shape$/,
        ],
        'of a value that is nested too deeply': [
          forge(
            lines,
            ofTable('source_invocations', (line) =>
              line.replace('"request_json":', `"request_json":${'['.repeat(100_000)}${']'.repeat(100_000)},"x":`),
            ),
          ),
          /^line \d+ is none of an export$/,
        ],
      };
      for (const [what, [altered, reason]] of Object.entries(faults)) {
        const imported = await importLines(there.store, altered);
        assert.equal(imported.kind, 'damaged', what);
        assert.match(imported.kind === 'damaged' ? imported.reason : '', reason, what);
        assert.equal(await contentsOf(there.outside), before, what);
      }
      const older = forge(lines, (line) => line.replace(/"migration":"[^"]*"/, '"migration":"0008_before"'));
      const imported = await importLines(there.store, older);
      assert.deepEqual([imported.kind, 'found' in imported && imported.found], ['other_version', '0008_before']);
      assert.equal(await contentsOf(there.outside), before);
    });

    test('a world that moves is refused for every row that no turn would write and no constraint refuses', async () => {
      const [, there, lines] = await open();
      const before = await contentsOf(there.outside);
      const refuse = async (what: string, altered: readonly string[], reason: RegExp): Promise<void> => {
        const imported = await importLines(there.store, altered);
        assert.equal(imported.kind, 'damaged', what);
        assert.match(imported.kind === 'damaged' ? imported.reason : '', reason, what);
      };
      for (const [what, [table, change, reason]] of Object.entries(UNSOUND))
        await refuse(what, withRow(lines, table, change), reason);
      const generation = lines.findLast((line) => line.startsWith('{"table":"llm_calls"'));
      const others = lines.filter((line) => line !== generation);
      await refuse(
        'a call without its generation',
        forge(others, (line) => line),
        /refers to one of llm_calls that is not there/,
      );
      for (const [artifacts, reason] of UNSOUND_ARTIFACTS) {
        const change = ofTable('llm_calls', (line) => line.replace('"artifacts":[]', `"artifacts":${artifacts}`));
        await refuse(artifacts, forge(lines, change), reason);
      }
      assert.equal(await contentsOf(there.outside), before);
    });

    test('a world that moves arrives with all its records, and is exported as the same lines', async () => {
      const [here, there, lines] = await open();
      const imported = await importLines(there.store, lines);
      assert.equal(imported.kind, 'imported', JSON.stringify(imported));
      assert.deepEqual(await exportLines(there.store, 'moved'), lines);
      for (const turn of [0, 1, 2])
        assert.deepEqual(
          await there.store.worlds.snapshot('moved', turn),
          await here.store.worlds.snapshot('moved', turn),
        );
      const attempts = await here.store.records.attempts('moved');
      assert.equal(attempts.length, 4);
      assert.deepEqual(await there.store.records.attempts('moved'), attempts);
      for (const { attempt_id } of attempts)
        assert.deepEqual(await there.store.records.attempt(attempt_id), await here.store.records.attempt(attempt_id));
      assert.equal((await importLines(there.store, lines)).kind, 'world_exists');
      assert.equal((await importLines(there.store, lines.slice(0, -1))).kind, 'damaged');
    });

    test('a world that moves goes on where it was: a call in doubt is settled, and the next attempt is numbered after all before', async () => {
      const [, { store, outside }] = await open();
      const doubted = (await store.records.attempts('moved')).find((one) => one.failure_class === 'interrupted');
      const attempt_id = doubted?.attempt_id ?? '';
      const attempt = await store.records.attempt(attempt_id);
      const source_invocation_id = attempt?.invocations[0]?.source_invocation_id ?? '';
      const settled = await store.attempts.settle({
        attempt_id,
        source_invocation_id,
        answer: { status: 'sold' },
        settled_at: 0,
        ...BY_HAND,
      });
      assert.equal(settled.kind, 'settled');
      const { lease, past } = await begin(store, 'moved');
      assert.equal(past?.calls.length, 1);
      assert.equal(await store.attempts.fail(lease, failing()), 'written');
      const [found] = await outside.query<{ is_last: boolean }>(
        `SELECT attempt_id = $1 AND event_id > ALL (
           SELECT greatest(started_event_id, ended_event_id) FROM source_invocations
           WHERE greatest(started_event_id, ended_event_id) IS NOT NULL) AS is_last
         FROM attempt_events ORDER BY event_id DESC LIMIT 1`,
        [lease.attempt_id],
      );
      assert.equal(found?.is_last, true);
    });
  });
}

describe('an export', () => {
  let opened: Promise<TestDatabase> | undefined;
  after(async () => (await opened)?.close());
  const open = () => (opened ??= openTestDatabase('embedded'));

  test('an export holds every table of the database but those that are left out', async () => {
    const { outside } = await open();
    const tables = await outside.query<{ name: string }>(
      `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    assert.deepEqual(
      tables.map(({ name }) => name),
      [...EXPORTED_TABLES, ...LEFT_OUT].toSorted(),
    );
  });

  test('an export can be imported with cycles between rows: every foreign key is deferrable', async () => {
    const { outside } = await open();
    assert.deepEqual(
      await outside.query(`SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT condeferrable`),
      [],
    );
  });

  test('an export of a fork brings the worlds whose turns it shares, and the fork goes on elsewhere', async () => {
    const { store } = await open();
    await makeWorld(store, 'trunk');
    await playTurn(store, 'trunk', { before: 'rested', after: 'tired' });
    const fork = { world_slug: 'branch', source_slug: 'trunk', at_turn: 1, created_at: 0 };
    assert.equal(await store.worlds.fork({ ...fork, scenario_hash: DOCUMENTS.scenario.hash }), true);
    await playTurn(store, 'branch', { before: 'tired', after: 'awake' });
    const elsewhere = await openTestDatabase('embedded');
    try {
      const imported = await importLines(elsewhere.store, await exportLines(store, 'branch'));
      assert.deepEqual('worlds' in imported && imported.worlds, ['branch', 'trunk']);
      assert.deepEqual(await elsewhere.store.worlds.snapshot('branch', 1), await store.worlds.snapshot('branch', 1));
      await playTurn(elsewhere.store, 'branch', { before: 'awake', after: 'tired' });
      assert.equal((await elsewhere.store.worlds.find('branch'))?.turn, 3);
    } finally {
      await elsewhere.close();
    }
  });

  test('an export is refused while an attempt of the world is open, and of a world that is not there', async () => {
    const { store } = await open();
    await makeWorld(store, 'busy');
    const { lease } = await begin(store, 'busy');
    await startCall(store, lease, toyStart('a', 1));
    const write = async (): Promise<void> => assert.fail('nothing is written');
    const exported = await store.transfer.export(['busy'], write);
    assert.deepEqual('attempt' in exported && exported.attempt.attempt_id, lease.attempt_id);
    assert.equal((await store.transfer.export(['nowhere'], write)).kind, 'unknown_world');
  });
});
