import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { editWorkflows, type Play, sharedStage } from '../support/park-stage.js';
import { nativeCall, spoken, startRawModel } from '../support/raw-model.js';
import { readAll } from '../support/server-sent-events.js';
import { TOKENS } from '../support/served-park.js';
import { serveStored } from '../support/stream-servers.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { callAt, onlyAttempt } from './readings.js';

const model = await startRawModel();
after(() => model.close());
const open = sharedStage('PostgreSQL', () => ({ CHUKWA_LLM_BASE_URL: model.url }));

const FIRST = 'bob/act/round-1/try-1';
const SECOND = 'bob/act/round-1/try-2';
const THEN = 'bob/act/round-2/try-1';
const GOOD = [spoken(JSON.stringify(finalPatch([setState('bob', 'eats')], 'Bob eats.')))];
const BUY = { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' };

const callNatively = (document: JsonObject): JsonObject => ({
  ...document,
  interface: { ...(document['interface'] as JsonObject), tool_calling: 'native' },
});

/** Plays a turn of the tools world. */
async function play(t: TestContext, answers: Parameters<typeof model.say>[0], mode: 'native' | 'json'): Promise<Play> {
  const stage = await open();
  model.say(answers);
  const workflows = await editWorkflows(t, mode === 'native' ? { 'sources/chat.json': callNatively } : {});
  return stage.play({ scenario: 'tools', workflows, says: { version: 1, label: 'raw', turns: {} } });
}

/** The stream of an attempt as AG-UI events about tool calls. */
async function streamOf(t: TestContext, { attempts: [attempt] }: Play, format = 'ag-ui') {
  const { engine } = await open();
  const { url } = await serveStored(t, engine);
  const headers = { authorization: `Bearer ${TOKENS.operator_token}` };
  const response = await fetch(`${url}/attempts/${attempt?.attempt_id}/events?format=${format}`, { headers });
  const events = (await readAll(response)).flatMap(({ data }) => (data.startsWith('{') ? [JSON.parse(data)] : []));
  return events as readonly (JsonObject & { readonly type: string })[];
}

const toolEvents = async (t: TestContext, played: Play): Promise<readonly (readonly (Json | undefined)[])[]> =>
  (await streamOf(t, played)).flatMap(({ type, toolCallId, ...event }) => {
    const text = event['delta'] ?? event['content'];
    const told = typeof text === 'string' ? (JSON.parse(text) as Json) : undefined;
    return type.startsWith('TOOL_CALL_') ? [[type, toolCallId, ...(told === undefined ? [] : [told])]] : [];
  });

test('a native call has the id of its model from the answer to the result, in the stream, the report and the record', async (t) => {
  const played = await play(
    t,
    { [FIRST]: [nativeCall('call_q', 'buy_candy', JSON.stringify(BUY))], [THEN]: GOOD },
    'native',
  );
  const bought = callAt(onlyAttempt(played), `${FIRST}/tool`);
  const told = {
    tool_call_start: { toolCallId: 'call_q', toolName: 'buy_candy', args: BUY },
    tool_call_result: { toolCallId: 'call_q', result: bought.response_json },
  };
  assert.deepEqual(played.report.turns[0]?.tool_calls, [told]);
  const { invocation } = await open();
  const record = await invocation(bought.source_invocation_id);
  assert.deepEqual([record.tool_calls, record.tool_result?.toolCallId], [[told], 'call_q']);
  assert.deepEqual(await toolEvents(t, played), [
    ['TOOL_CALL_START', 'call_q'],
    ['TOOL_CALL_ARGS', 'call_q', BUY],
    ['TOOL_CALL_END', 'call_q'],
    ['TOOL_CALL_RESULT', 'call_q', bought.response_json],
  ]);
});

test('a call by JSON has the id of its invocation', async (t) => {
  const played = await play(t, { [FIRST]: [spoken(JSON.stringify(toolCall('buy_candy', BUY)))], [THEN]: GOOD }, 'json');
  const { source_invocation_id } = callAt(onlyAttempt(played), `${FIRST}/tool`);
  const [told] = played.report.turns[0]?.tool_calls ?? [];
  assert.equal(told?.tool_call_start.toolCallId, source_invocation_id);
  const ids = (await toolEvents(t, played)).map(([, id]) => id);
  assert.deepEqual(new Set(ids), new Set([source_invocation_id]));
});

test('arguments that are no JSON begin and end a call that says so, nothing of them is told, and the loop goes on', async (t) => {
  const broken = nativeCall('call_q', 'buy_candy', '{"button": "hush-hush');
  const mended = nativeCall('call_q', 'buy_candy', JSON.stringify(BUY));
  const played = await play(t, { [FIRST]: [broken], [SECOND]: [mended], [THEN]: GOOD }, 'native');
  const attempt = onlyAttempt(played);
  assert.equal(attempt.status, 'committed');
  const failure = { ok: false, errorCode: 'invalid_json', message: 'Invalid tool arguments JSON' };
  const [rejected, bought] = played.report.turns[0]?.tool_calls ?? [];
  assert.deepEqual(rejected, {
    tool_call_start: { toolCallId: 'call_q', toolName: 'buy_candy', args: null },
    tool_call_result: { toolCallId: 'call_q', result: failure },
  });
  assert.equal(bought?.tool_call_start.toolCallId, 'call_q');
  // The model has used the id again for another call: a stream tells the two apart.
  const other = callAt(attempt, `${SECOND}/tool`);
  assert.deepEqual(await toolEvents(t, played), [
    ['TOOL_CALL_START', 'call_q'],
    ['TOOL_CALL_END', 'call_q'],
    ['TOOL_CALL_RESULT', 'call_q', failure],
    ['TOOL_CALL_START', other.source_invocation_id],
    ['TOOL_CALL_ARGS', other.source_invocation_id, BUY],
    ['TOOL_CALL_END', other.source_invocation_id],
    ['TOOL_CALL_RESULT', other.source_invocation_id, other.response_json],
  ]);
  const errors = (await streamOf(t, played, 'ai-sdk')).filter(({ type }) => type === 'tool-output-error');
  assert.deepEqual(errors, [
    { type: 'tool-output-error', toolCallId: 'call_q', errorText: failure.message, dynamic: true },
  ]);
  assert.doesNotMatch(JSON.stringify([await streamOf(t, played), played.report.turns[0]?.tool_calls]), /hush-hush/);
  assert.match(model.requests.get(SECOND) ?? '', /invalid_json/);
});
