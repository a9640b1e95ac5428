import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer } from '../../engine/generated/answers.js';
import type { AttemptRecord, AuditRecord } from '../../engine/ports/records.js';
import { editWorkflows, type ParkStage, sharedStage } from '../support/park-stage.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { callAt, contentsOf, keysOf, messagesOf, onlyAttempt, requestAt, script } from './readings.js';

const open = sharedStage('PostgreSQL');

const FIRST = 'bob/act/round-1/try-1';
const SECOND = 'bob/act/round-1/try-2';
const THIRD = 'bob/act/round-1/try-3';
const GOOD: Answer = { json: finalPatch([setState('bob', 'sitting on the bench')], 'Bob sits down.') };

interface Stumble {
  readonly what: string;
  readonly says: Answer;
  readonly detail: string;
  /** Stands in the corrective message. */
  readonly complaints: readonly RegExp[];
}

const ROSTER = /Entity ids that exist here:\n(- [a-z_]+ \([^)]+\)\n?){4}/;

const STUMBLES: readonly Stumble[] = [
  { what: 'no JSON', says: { text: 'Bob sits down.' }, detail: 'non_json', complaints: [/not one JSON object/] },
  {
    what: 'JSON that was cut off at the output limit',
    says: { text: '{"kind": "final_patch", "patch": {"narr', finish_reason: 'length' },
    detail: 'non_json',
    complaints: [/cut off at the output limit/],
  },
  {
    what: 'JSON of another shape',
    says: { json: { kind: 'think', thought: 'sweet' } },
    detail: 'schema_invalid',
    complaints: [/not a tool call or a final patch/],
  },
  {
    what: 'a tool that there is not',
    says: { json: toolCall('buy_coffee', { size: 'large' }) },
    detail: 'unknown_tool',
    complaints: [/"buy_coffee"/, /The tools are: buy_candy, use_drinking_fountain, send_text\./],
  },
  {
    what: 'arguments that do not fit',
    says: { json: toolCall('buy_candy', { actor_id: 'bob', machine_id: 'Vending Machine', button: 'Z' }) },
    detail: 'bad_arguments',
    complaints: [/\/machine_id/, /\/button/],
  },
  {
    what: 'a patch of the wrong shape',
    says: { json: { kind: 'final_patch', patch: { effects: [] } } },
    detail: 'invalid_patch',
    complaints: [/narration/],
  },
  {
    what: 'an effect that is not allowed',
    says: { json: finalPatch([{ op: 'delete_entity', entity_id: 'vending_machine' }]) },
    detail: 'disallowed_effect',
    complaints: [/effects\[0\]\.op "delete_entity"/, /set_entity_state, append_entity_memory, set_environment_content/],
  },
  {
    what: 'an entity that there is not',
    says: { json: finalPatch([setState('beetle', 'greeted')]) },
    detail: 'unknown_entity',
    complaints: [/"beetle"/, ROSTER],
  },
  {
    what: 'an id that is nearly right',
    says: { json: finalPatch([setState('Vending Machine', 'empty')]) },
    detail: 'near_miss_entity',
    complaints: [/must be written exactly as "vending_machine"/, ROSTER],
  },
  {
    what: 'a memory for a thing',
    says: { json: finalPatch([{ op: 'append_entity_memory', entity_id: 'vending_machine', content: 'Kicked.' }]) },
    detail: 'memory_on_prop',
    complaints: [/only agents remember/, /- bob \(Bob\)/],
  },
  {
    what: 'a place that there is not',
    says: { json: finalPatch([{ op: 'set_environment_content', environment_label: 'north_gate', content: 'Open.' }]) },
    detail: 'unknown_environment',
    complaints: [/"north_gate"/, /Environments that exist here:\n- park/],
  },
];

function textOf(answer: Answer): string {
  if ('json' in answer) return JSON.stringify(answer.json);
  assert.ok('text' in answer && answer.text !== undefined);
  return answer.text;
}

function rejectionsOf(attempt: AttemptRecord): readonly AuditRecord[] {
  return attempt.audit.filter(({ audit_kind }) => audit_kind === 'generation_rejected');
}

/** Each try has rows of its own, and the audit says why it was rejected. */
async function assertRejected(stage: ParkStage, attempt: AttemptRecord, key: string, stumble: Stumble): Promise<void> {
  const call = callAt(attempt, key);
  const number = Number(key.at(-1));
  assert.deepEqual(
    [call.status, call.failure_class, call.failure_detail, call.model_output_kind, call.logical_generation_attempt],
    ['failed', 'model_content', stumble.detail, 'invalid', number],
  );
  const generation = await stage.llmCall(call.llm_call_id);
  assert.equal(generation.source_invocation_id, call.source_invocation_id);
  assert.deepEqual(
    [generation.status, generation.logical_generation_attempt, generation.raw_text],
    ['failed', number, textOf(stumble.says)],
  );
  const audit = rejectionsOf(attempt).find(({ attempt_number }) => attempt_number === number);
  assert.equal(audit?.source_invocation_id, call.source_invocation_id);
  assert.equal(audit.raw_response, textOf(stumble.says));
  assert.equal(audit.rejection, call.failure_message);
  for (const pattern of stumble.complaints) assert.match(audit.rejection ?? '', pattern);
}

describe('a model that answers wrongly gets the reason, in the one retry lane', () => {
  for (const stumble of STUMBLES) {
    test(`${stumble.what}: ${stumble.detail}, corrected on the second try`, async () => {
      const stage = await open();
      const play = await stage.play({ scenario: 'tools', says: script({ [FIRST]: stumble.says, [SECOND]: GOOD }) });
      const attempt = onlyAttempt(play);
      assert.equal(attempt.status, 'committed');
      assert.deepEqual(keysOf(attempt), [FIRST, SECOND]);
      await assertRejected(stage, attempt, FIRST, stumble);
      assert.equal(rejectionsOf(attempt).length, 1);
      const recovered = callAt(attempt, SECOND);
      assert.deepEqual([recovered.status, recovered.logical_generation_attempt], ['succeeded', 2]);
      assert.notEqual(recovered.llm_call_id, callAt(attempt, FIRST).llm_call_id);
      assert.deepEqual(stage.toys.vending.served, [], 'a wrong call reached the machine');
      assertCorrected(stage, stumble, [FIRST, SECOND]);
    });
  }

  test('wrong answers of any kind count as tries, until these are used up', async () => {
    const stage = await open();
    const keys = [FIRST, SECOND, THIRD];
    const stumbles = new Map(keys.map((key, index) => [key, STUMBLES[index * 4] as Stumble]));
    const says = script(Object.fromEntries([...stumbles].map(([key, stumble]) => [key, stumble.says])));
    const play = await stage.play({ scenario: 'tools', says });
    const attempt = onlyAttempt(play);
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'generation_attempts_exhausted']);
    assert.deepEqual(
      [attempt.failed_subject_entity_id, attempt.failed_node_id, attempt.failed_source_invocation_id],
      ['bob', 'act', callAt(attempt, THIRD).source_invocation_id],
    );
    assert.deepEqual(keysOf(attempt), keys);
    for (const [key, stumble] of stumbles) await assertRejected(stage, attempt, key, stumble);
    assert.equal(rejectionsOf(attempt).length, 3);
    assert.equal(stage.model.requests.length, 3);
    assert.deepEqual(contentsOf(play.after), contentsOf(play.before));
    assert.equal(play.after.turn, 0);
  });

  test('a tool that policy does not allow is not offered; called all the same: policy_denied, and no call is made', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, {
      'policies/park-tools.json': (policy) => ({ ...policy, allow: ['buy_candy'] }),
    });
    const drink = toolCall('use_drinking_fountain', { actor_id: 'bob', fountain_id: 'drinking_fountain' });
    const says = script({ [FIRST]: { json: drink }, [SECOND]: GOOD });
    const attempt = onlyAttempt(await stage.play({ scenario: 'tools', workflows, says }));
    assert.doesNotMatch(JSON.stringify(requestAt(stage.model, 1, FIRST).body), /use_drinking_fountain|send_text/);
    assert.equal(attempt.status, 'committed');
    const complaints = [/"use_drinking_fountain" may not be called here\. The tools are: buy_candy\./];
    const stumble = { what: 'a denied tool', says: { json: drink }, detail: 'policy_denied', complaints };
    await assertRejected(stage, attempt, FIRST, stumble);
    assertCorrected(stage, stumble, [FIRST, SECOND]);
    assert.deepEqual(stage.toys.fountain.served, []);
  });

  test('after the result of a tool the tries at the next answer begin at one', async () => {
    const stage = await open();
    const buy = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });
    const prose = { text: 'Bob eats.' };
    const [next, again] = ['bob/act/round-2/try-1', 'bob/act/round-2/try-2'];
    const says = script({ [FIRST]: prose, [SECOND]: { json: buy }, [next]: prose, [again]: GOOD });
    const attempt = onlyAttempt(await stage.play({ scenario: 'tools', says }));
    assert.equal(attempt.status, 'committed');
    assert.deepEqual(keysOf(attempt), [FIRST, SECOND, `${SECOND}/tool`, next, again]);
    assert.deepEqual(
      attempt.invocations.map(({ tool_loop_round, logical_generation_attempt }) => [
        tool_loop_round,
        logical_generation_attempt,
      ]),
      [
        [1, 1],
        [1, 2],
        [1, 2],
        [2, 1],
        [2, 2],
      ],
    );
  });
});

/** The second request is the first one, the model's answer, and its fault; of the same model and schema. */
function assertCorrected(stage: ParkStage, stumble: Stumble, keys: readonly [string, string]): void {
  const [before, after] = keys.map((key) => requestAt(stage.model, 1, key));
  assert.ok(before && after);
  const [earlier, later] = [messagesOf(before), messagesOf(after)];
  assert.deepEqual(later.slice(0, earlier.length), earlier);
  const [said, complaint, ...others] = later.slice(earlier.length);
  assert.ok(said && complaint && others.length === 0);
  assert.deepEqual(said, { role: 'assistant', content: textOf(stumble.says) });
  assert.equal(complaint.role, 'user');
  assert.match(complaint.content, new RegExp(`rejected \\(${stumble.detail}\\)`));
  for (const pattern of stumble.complaints) assert.match(complaint.content, pattern);
  const settings = [before, after].map(({ body }) => ({ ...(body as object), messages: [] }));
  assert.deepEqual(settings[0], settings[1]);
}

interface Break {
  readonly what: string;
  readonly says: Answer;
  readonly failure_class: string;
  readonly message: RegExp;
}

const REJECTS_SCHEMA = { error: { message: "Invalid parameter: 'response_format' is not supported.", code: null } };

const BREAKS: readonly Break[] = [
  { what: 'a connection that is reset', says: { fault: 'reset' }, failure_class: 'transport', message: /closed/ },
  { what: 'status 500', says: { status: 500 }, failure_class: 'http_status', message: /status 500/ },
  { what: 'status 429', says: { status: 429 }, failure_class: 'http_status', message: /limits the rate of requests/ },
  {
    what: 'a stream that is cut',
    says: { fault: 'cut_stream', text: '{"kind": "final_' },
    failure_class: 'transport',
    message: /closed the connection|broke|cut/,
  },
  {
    what: 'a stream that ends within the answer, without a finish reason',
    says: { fault: 'no_finish', text: '{"kind": "final_' },
    failure_class: 'transport',
    message: /before the model had finished/,
  },
  {
    what: 'a response_format that the endpoint rejects',
    says: { status: 400, body: REJECTS_SCHEMA },
    failure_class: 'structured_output_rejected',
    message: /response_format/,
  },
  {
    what: 'a refusal',
    says: { refusal: 'I cannot help with that.' },
    failure_class: 'model_refusal',
    message: /I cannot help with that\./,
  },
];

describe('a failure that is no mistake in the content of an answer is not tried again', () => {
  for (const { what, says, failure_class, message } of BREAKS) {
    test(`${what}: ${failure_class}, and exactly one request`, async () => {
      const stage = await open();
      const play = await stage.play({ scenario: 'tools', says: script({ [FIRST]: says, [SECOND]: GOOD }) });
      const attempt = onlyAttempt(play);
      assert.equal(stage.model.requests.length, 1);
      assert.deepEqual([attempt.status, attempt.failure_class], ['failed', failure_class]);
      const [call, ...others] = attempt.invocations;
      assert.ok(call && others.length === 0);
      assert.deepEqual([call.status, call.failure_class, call.failure_detail], ['failed', failure_class, null]);
      assert.match(call.failure_message ?? '', message);
      assert.equal((await stage.llmCall(call.llm_call_id)).status, 'failed');
      assert.deepEqual(rejectionsOf(attempt), []);
      assert.deepEqual(contentsOf(play.after), contentsOf(play.before));
    });
  }

  test('the schema travels as response_format where the source says so, and in the prompt only where it says that', async (context) => {
    const stage = await open();
    const inPrompt = await editWorkflows(context, {
      'sources/chat.json': (source) => ({
        ...source,
        interface: { ...(source['interface'] as object), schema_delivery: 'prompt' },
      }),
    });
    const says = script({ [FIRST]: GOOD });
    await stage.play({ scenario: 'tools', says });
    await stage.play({ scenario: 'tools', workflows: inPrompt, says });
    const [beside, within] = stage.model.requests;
    assert.ok(beside && within);
    assert.ok('response_format' in (beside.body as object) && !('response_format' in (within.body as object)));
    assert.doesNotMatch(messagesOf(beside).at(-1)?.content ?? '', /JSON Schema/);
    assert.match(messagesOf(within).at(-1)?.content ?? '', /satisfies this JSON Schema/);
  });
});
