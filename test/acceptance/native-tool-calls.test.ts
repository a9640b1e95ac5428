import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { editWorkflows, loadScript, type Play, sharedStage } from '../support/park-stage.js';

const stage = sharedStage('PostgreSQL');

const callNatively = (document: JsonObject): JsonObject => ({
  ...document,
  interface: { ...(document['interface'] as JsonObject), tool_calling: 'native' },
});

/** All that a turn leaves behind, without ids, times and what each mode says in its own words. */
async function recordOf(play: Play) {
  const { invocation, llmCall } = await stage();
  const attempts = await Promise.all(
    play.attempts.map(async ({ invocations, patches, status }) => ({
      status,
      patches: patches.map(({ patch_seq, narration, effects }) => ({ patch_seq, narration, effects })),
      calls: await Promise.all(
        invocations.map(async ({ source_invocation_id, llm_call_id }) => {
          const call = await invocation(source_invocation_id);
          const { command_key, invocation_kind, tool_name, model_output_kind, failure_detail } = call;
          const facts = { command_key, invocation_kind, tool_name, model_output_kind, failure_detail };
          if (llm_call_id === null) return { ...facts, request: call.request_json, answer: call.response_json };
          const { artifacts } = await llmCall(llm_call_id);
          const parsed = artifacts.filter(({ kind }) => kind === 'parsed_output' || kind === 'accepted_patch');
          return { ...facts, parsed };
        }),
      ),
    })),
  );
  return { attempts, world: { entities: play.after.entities, environments: play.after.environments } };
}

for (const script of ['park', 'stumbles'] as const) {
  test(`the script ${script} plays the same turns in the park, whether the model calls tools natively or by JSON`, async (t) => {
    const { play, toys } = await stage();
    const scene = { scenario: 'park', says: await loadScript(script), turns: 3 };
    const byJson = await play(scene);
    toys.reset();
    const workflows = await editWorkflows(t, { 'sources/chat.json': callNatively });
    const natively = await play({ ...scene, workflows });
    assert.equal(natively.after.turn, 3);
    assert.deepEqual(await recordOf(natively), await recordOf(byJson));
  });
}

test('the next request holds the call with its id, and one result for it; the record and the recording hold both', async (t) => {
  const { play, model, llmCall } = await stage();
  const workflows = await editWorkflows(t, { 'sources/chat.json': callNatively });
  const turn = await play({ scenario: 'one-candy-bar', workflows });
  const requests = model.requests.map(({ key, body }) => ({ key, body: body as JsonObject }));
  const first = requests.find(({ key }) => key.endsWith('/act/round-1/try-1'))?.body;
  const tools = first?.['tools'] as readonly { readonly type: string; readonly function: JsonObject }[];
  assert.ok(tools.length > 0);
  for (const tool of tools) {
    assert.deepEqual(Object.keys(tool).sort(), ['function', 'type']);
    assert.deepEqual(Object.keys(tool.function).sort(), ['description', 'name', 'parameters']);
  }
  const second = requests.find(({ key }) => key.endsWith('/act/round-2/try-1'))?.body;
  const [said, result] = ((second?.['messages'] ?? []) as readonly JsonObject[]).slice(-2);
  const [call] = (said?.['tool_calls'] ?? []) as readonly { readonly id: string; readonly function: JsonObject }[];
  assert.deepEqual(Object.keys(said ?? {}).sort(), ['content', 'role', 'tool_calls']);
  assert.equal(typeof call?.function['arguments'], 'string');
  assert.deepEqual(Object.keys(result ?? {}).sort(), ['content', 'role', 'tool_call_id']);
  assert.equal(result?.['tool_call_id'], call?.id);
  assert.match(JSON.stringify(result?.['content']), /^"\{\\"ok\\":true,\\"value\\":/);
  const generations = turn.attempts[0]?.invocations.filter(({ llm_call_id }) => llm_call_id !== null) ?? [];
  const records = await Promise.all(generations.map(({ llm_call_id }) => llmCall(llm_call_id)));
  const electing = records.find(({ items }) => items?.some(({ type }) => type === 'function_call'));
  assert.equal((electing?.items?.[0] as { readonly call_id?: Json } | undefined)?.call_id, call?.id);
  const after = records.find(({ tool_loop_round }) => tool_loop_round === 2);
  const origins = after?.messages
    .slice(-2)
    .map(({ role, segments }) => [role, ...segments.map(({ origin }) => origin)]);
  assert.deepEqual(origins?.[0], ['assistant', 'function_call']);
  assert.deepEqual(origins?.[1]?.slice(0, 3), ['tool', 'call_id', 'tool_result']);
});
