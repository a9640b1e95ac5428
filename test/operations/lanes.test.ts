import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { showUses } from '../../engine/operations/authoring/components.js';
import type { LlmCallRecord } from '../../engine/ports/records.js';
import { loadScript, must, sharedStage } from '../support/park-stage.js';

describe('the record of a generation', () => {
  const open = sharedStage('PostgreSQL');

  /** Bob stammers, buys a candy bar, and eats it; the turn fails once at its last answer where `breaks` says so. */
  async function play({ breaks }: { readonly breaks: boolean }) {
    const stage = await open();
    const script = await loadScript('tools');
    const { 'bob/act/round-1/try-1': buys, 'bob/act/round-2/try-1': eats } = script.turns['1'] ?? {};
    assert.ok(buys && eats);
    const says = (last: typeof eats) => {
      const bob = { 'bob/act/round-1/try-1': { text: 'Well.' }, 'bob/act/round-1/try-2': buys };
      return { ...script, turns: { '1': { ...bob, 'bob/act/round-2/try-1': last } } };
    };
    const first = await stage.play({ scenario: 'tools', says: says(breaks ? { status: 500 } : eats) });
    stage.model.setScript(says(eats));
    const { attempts, world_slug } = breaks ? await stage.run(first.before) : first;
    const calls = attempts[0]?.invocations ?? [];
    const generations = calls.filter(({ llm_call_id }) => llm_call_id !== null);
    const records: LlmCallRecord[] = [];
    for (const { llm_call_id } of generations) records.push(await stage.llmCall(llm_call_id));
    return { stage, calls, records, world_slug };
  }

  test('has the tries before and after it, and what each of them decided', async () => {
    const { calls, records } = await play({ breaks: false });
    const bought = calls.find(({ tool_name }) => tool_name === 'buy_candy');
    const elected = [{ source_invocation_id: bought?.source_invocation_id, tool_name: 'buy_candy' }];
    for (const { tries } of records)
      assert.deepEqual(
        tries.map((one) => [one.llm_call_id, one.failure_detail, one.elected, one.patch_seq]),
        [
          [records[0]?.llm_call_id, 'non_json', [], null],
          [records[1]?.llm_call_id, null, elected, null],
          [records[2]?.llm_call_id, null, [], 1],
        ],
      );
  });

  for (const [title, breaks] of [
    ['says of each message whether it is new, and which call it came from', false],
    ['says where the messages came from that an earlier attempt has led to', true],
  ] as const)
    test(title, async () => {
      const { calls, records } = await play({ breaks });
      const bought = calls.find(({ tool_name }) => tool_name === 'buy_candy')?.source_invocation_id;
      const [stammer, buy, eat] = records;
      const told = (record: LlmCallRecord | undefined) =>
        record?.messages.map(({ role, is_new, llm_call_id, source_invocation_id }) => [
          role,
          is_new,
          llm_call_id,
          source_invocation_id,
        ]);
      const author = [
        ['system', false, null, null],
        ['user', false, null, null],
      ];
      const corrected = (is_new: boolean) => [
        ['assistant', is_new, stammer?.llm_call_id, null],
        ['user', is_new, stammer?.llm_call_id, null],
      ];
      assert.deepEqual(told(stammer), author);
      assert.deepEqual(told(buy), [...author, ...corrected(true)]);
      assert.deepEqual(told(eat), [
        ...author,
        ...corrected(false),
        ['assistant', true, buy?.llm_call_id, null],
        ['user', true, null, bought],
      ]);
    });

  test('is found by the schemas that it used', async () => {
    const { stage, calls, world_slug } = await play({ breaks: false });
    const usedBy = async (hash: string | null) =>
      must(await showUses(stage.engine, { kind: 'json_schema', hash: hash ?? '' }));
    const ofWorld = async (hash: string | null) =>
      (await usedBy(hash)).calls.filter((call) => call.world_slug === world_slug).map(({ command_key }) => command_key);
    const bought = calls.find(({ tool_name }) => tool_name === 'buy_candy');
    const { input_schema_hash, output_schema_hash, workflow_hash } = await stage.invocation(
      bought?.source_invocation_id ?? '',
    );
    assert.ok((await ofWorld(output_schema_hash)).includes(bought?.command_key ?? ''));
    assert.ok((await usedBy(output_schema_hash)).attempts.some((attempt) => attempt.world_slug === world_slug));
    assert.ok((await ofWorld(input_schema_hash)).includes(bought?.command_key ?? ''));
    const { refers_to } = must(await showUses(stage.engine, { kind: 'cognition_workflow', hash: workflow_hash }));
    const keys = calls.filter(({ llm_call_id }) => llm_call_id !== null).map(({ command_key }) => command_key);
    const schemas = refers_to.filter(({ kind }) => kind === 'json_schema');
    const offered = await Promise.all(schemas.map(({ hash }) => ofWorld(hash)));
    assert.ok(
      offered.some((used) => keys.every((key) => used.includes(key))),
      'the schema of the answer is used by each generation of its node',
    );
  });
});
