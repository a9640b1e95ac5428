import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misbehaveOn } from '../support/faults.js';
import { onEachDatabase } from '../support/park-stage.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import {
  assertOnlyPatchesChanged,
  callAt,
  callsOf,
  contentsOf,
  keysOf,
  memberOf,
  messagesOf,
  onlyAttempt,
  promptOf,
  requestAt,
  script,
  stateOf,
} from './readings.js';

const BUY = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });
const NOTHING = { json: finalPatch([], 'Nothing happens.') };

onEachDatabase('the tests that the design asks for', (open) => {
  test('Test 1 — Ambient weather over multiple turns', async () => {
    const stage = await open();
    const says = script({ 'bob/act/round-1/try-1': NOTHING, 'ant/act/round-1/try-1': NOTHING });
    const play = await stage.play({ scenario: 'park', turns: 4, says });
    const readings = play.attempts.map((attempt) => {
      const weather = attempt.invocations.filter(({ ambient_source_id }) => ambient_source_id === 'park_weather');
      assert.deepEqual(
        weather.map(({ invocation_kind, status, http_status }) => [invocation_kind, status, http_status]),
        [['ambient_context', 'succeeded', 200]],
      );
      return weather;
    });
    assert.equal(stage.toys.weather.served.length, 4);
    const details = await Promise.all(readings.flat().map((call) => stage.invocation(call.source_invocation_id)));
    const temperatures = details.map(({ response_json }) => Number(memberOf(response_json, 'temperature_f')));
    assert.deepEqual(
      readings.flat().map(({ response_json }) => memberOf(response_json, 'temperature_f')),
      temperatures,
    );
    assert.equal(temperatures.length, 4);
    for (const [index, temperature] of temperatures.entries()) {
      assert.ok(index === 0 || temperature < (temperatures[index - 1] ?? 0), temperatures.join(', '));
      for (const subject of ['bob', 'ant']) {
        const prompt = promptOf(requestAt(stage.model, index + 1, `${subject}/act/round-1/try-1`));
        assert.match(prompt, new RegExp(`"temperature_f": ?${temperature}\\b`));
      }
    }
    assert.equal(play.after.turn, 4);
    assert.deepEqual(play.after.entities, play.before.entities, 'the weather has changed the world');
    assert.deepEqual(play.after.environments, play.before.environments, 'the weather has changed the world');
  });

  test('Test 2 — PA occasional utterance', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park', turns: 4 });
    const announcements = play.attempts.map((attempt) => {
      const call = callsOf(attempt, 'ambient_context').find(({ ambient_source_id }) => ambient_source_id === 'park_pa');
      assert.equal(call?.status, 'succeeded');
      return memberOf(call.response_json, 'announcements') as readonly string[];
    });
    assert.deepEqual(
      announcements.map((said) => said.length),
      [0, 1, 0, 1],
    );
    assert.equal(stage.toys.pa.served.length, 4);
    for (const [index, [said]] of announcements.entries()) {
      const prompt = promptOf(requestAt(stage.model, index + 1, 'bob/act/round-1/try-1'));
      assert.equal(prompt.includes('Attention park visitors'), said !== undefined);
      assert.match(prompt, said === undefined ? /"announcements": ?\[\]/ : new RegExp(said));
      const call = await stage.llmCall(
        callAt(play.attempts[index] ?? onlyAttempt(play), 'bob/act/round-1/try-1').llm_call_id,
      );
      assert.equal(call.messages.map(({ content }) => content).join('\n\n'), prompt);
    }
    assertOnlyPatchesChanged(play);
  });

  test('Test 3 — Phone inbox ambient context', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park', turns: 2 });
    const [, second] = play.attempts;
    assert.ok(second);
    const inbox = callAt(second, 'bob/ambient/bob_phone_inbox');
    assert.deepEqual([inbox.status, inbox.workflow_subject_entity_id], ['succeeded', 'bob']);
    const message = { from: 'Unknown', body: 'Limited time offer: free candy coupons!', kind: 'spam' };
    assert.deepEqual(inbox.response_json, { messages: [message] });
    assert.ok(promptOf(requestAt(stage.model, 2, 'bob/act/round-1/try-1')).includes(message.body));
    assert.ok(!promptOf(requestAt(stage.model, 1, 'bob/act/round-1/try-1')).includes(message.body));
    assert.ok(!promptOf(requestAt(stage.model, 2, 'ant/act/round-1/try-1')).includes(message.body), 'the ant reads it');
    assert.match(second.patches[0]?.narration ?? '', /coupon message on his phone/);
    assert.equal(stateOf(play.after, 'bob_phone'), stateOf(play.before, 'bob_phone'));
    assertOnlyPatchesChanged(play);
  });

  test('Test 4 — Available tools not called', async () => {
    const stage = await open();
    const state = 'content; watching the clouds';
    const says = script({
      'bob/act/round-1/try-1': { json: finalPatch([setState('bob', state)], 'Bob needs nothing.') },
      'ant/act/round-1/try-1': NOTHING,
    });
    const play = await stage.play({ scenario: 'park', says });
    const attempt = onlyAttempt(play);
    const prompt = promptOf(requestAt(stage.model, 1, 'bob/act/round-1/try-1'));
    for (const tool of ['buy_candy', 'use_drinking_fountain', 'send_text']) assert.ok(prompt.includes(tool), tool);
    assert.deepEqual(callsOf(attempt, 'model_elected_tool'), []);
    assert.deepEqual(stage.toys.vending.served, []);
    assert.deepEqual(stage.toys.fountain.served, []);
    assert.deepEqual(
      stage.toys.phone.served.map(({ path }) => path),
      ['/inbox'],
    );
    assert.equal(attempt.status, 'committed');
    assert.equal(stateOf(play.after, 'bob'), state);
  });

  test('Test 5 — Tool called once', async () => {
    const stage = await open();
    const says = script({
      'bob/act/round-1/try-1': { json: BUY },
      'bob/act/round-2/try-1': { json: finalPatch([setState('bob', 'holding a candy bar')], 'Bob has it.') },
      'ant/act/round-1/try-1': NOTHING,
    });
    const play = await stage.play({ scenario: 'park', says });
    const attempt = onlyAttempt(play);
    const elected = callAt(attempt, 'bob/act/round-1/try-1');
    assert.deepEqual(
      [elected.model_output_kind, callAt(attempt, 'bob/act/round-2/try-1').model_output_kind],
      ['tool_call', 'final_patch'],
    );
    const [bought, ...others] = callsOf(attempt, 'model_elected_tool');
    assert.ok(bought && others.length === 0);
    assert.equal(stage.toys.vending.served.length, 1);
    assert.deepEqual(stage.toys.vending.served[0]?.body, BUY['tool_call'] && memberOf(BUY['tool_call'], 'arguments'));
    assert.equal(bought.parent_source_invocation_id, elected.source_invocation_id);
    assert.deepEqual([bought.tool_name, bought.status, bought.http_status], ['buy_candy', 'succeeded', 200]);
    const result = { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' };
    assert.deepEqual((await stage.invocation(bought.source_invocation_id)).response_json, result);
    const [said, complaint] = messagesOf(requestAt(stage.model, 1, 'bob/act/round-2/try-1')).slice(-2);
    assert.deepEqual([said?.role, said?.content], ['assistant', JSON.stringify(BUY)]);
    assert.equal(complaint?.role, 'user');
    assert.match(complaint.content, /buy_candy[^]*A candy bar was dispensed\./);
    assert.equal(stateOf(play.after, 'bob'), 'holding a candy bar');
    assert.equal(stateOf(play.after, 'vending_machine'), stateOf(play.before, 'vending_machine'));
    assertOnlyPatchesChanged(play);
  });

  test('Test 6 — Two agents / one candy bar', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'one-candy-bar' });
    const attempt = onlyAttempt(play);
    const bought = callsOf(attempt, 'model_elected_tool');
    assert.deepEqual(
      bought.map((call) => [call.workflow_subject_entity_id, memberOf(call.response_json, 'status')]),
      [
        ['bob', 'dispensed'],
        ['alice', 'empty'],
      ],
    );
    const kept = await Promise.all(bought.map((call) => stage.invocation(call.source_invocation_id)));
    assert.deepEqual(
      kept.map(({ status, validation_status, request_json }) => [status, validation_status, request_json]),
      ['bob', 'alice'].map((id) => [
        'succeeded',
        'valid',
        { actor_id: id, button: 'C', machine_id: 'vending_machine' },
      ]),
    );
    assert.deepEqual(
      attempt.patches.map(({ patch_seq, workflow_subject_entity_id }) => [patch_seq, workflow_subject_entity_id]),
      [
        [1, 'bob'],
        [2, 'alice'],
      ],
    );
    assert.match(stateOf(play.after, 'vending_machine'), /shelves are empty/);
    assertOnlyPatchesChanged(play);
  });

  test('Test 7 — Bob and ant both change same committed turn', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'bob-and-ant' });
    const attempt = onlyAttempt(play);
    assert.deepEqual(
      attempt.patches.map(({ workflow_subject_entity_id, touched_entities }) => [
        workflow_subject_entity_id,
        touched_entities,
      ]),
      [
        ['bob', ['bob', 'vending_machine']],
        ['ant', ['ant', 'crumb', 'plate']],
      ],
    );
    const workflows = await Promise.all(
      ['bob/act/round-2/try-1', 'ant/act/round-1/try-1'].map(async (key) => {
        const { workflow_hash } = await stage.invocation(callAt(attempt, key).source_invocation_id);
        return workflow_hash;
      }),
    );
    assert.notEqual(workflows[0], workflows[1]);
    assert.deepEqual([play.before.turn, play.after.turn], [0, 1]);
    const committed = await stage.world(play.world_slug, 1);
    assert.match(stateOf(committed, 'bob'), /holding a candy bar/);
    assert.match(stateOf(committed, 'ant'), /^fed/);
    assert.match(stateOf(committed, 'crumb'), /^gone/);
    assert.match(stateOf(await stage.world(play.world_slug, 0), 'crumb'), /untouched/);
    assert.deepEqual(
      attempt.audit.map(({ audit_kind, patch_seq, workflow_subject_entity_id, details }) => [
        audit_kind,
        patch_seq,
        workflow_subject_entity_id,
        memberOf(details, 'touched_entities'),
      ]),
      [
        ['patch_applied', 1, 'bob', ['bob', 'vending_machine']],
        ['patch_applied', 2, 'ant', ['ant', 'crumb', 'plate']],
        ['turn_complete', null, null, undefined],
      ],
    );
    assert.deepEqual(keysOf(attempt), [
      'bob/act/round-1/try-1',
      'bob/act/round-1/try-1/tool',
      'bob/act/round-2/try-1',
      'ant/act/round-1/try-1',
    ]);
    assertOnlyPatchesChanged(play);
  });

  test('A11 — A text is sent when the model says so, and of the answer only what redaction allows is seen', async () => {
    const stage = await open();
    const text = { from: 'bob_phone', to: 'Alice', body: 'I am in the park.' };
    const says = script({
      'bob/act/round-1/try-1': { json: toolCall('send_text', text) },
      'bob/act/round-2/try-1': NOTHING,
    });
    const play = await stage.play({ scenario: 'tools', says });
    assert.deepEqual(
      stage.toys.phone.served.map(({ path, body }) => [path, body]),
      [['/send', text]],
    );
    const sent = callAt(onlyAttempt(play), 'bob/act/round-1/try-1/tool');
    assert.deepEqual(sent.response_json, { status: 'sent' });
    const record = await stage.invocation(sent.source_invocation_id);
    assert.deepEqual(
      [record.response_json, record.response_text, record.validation_status],
      [{ status: 'sent' }, null, 'valid'],
    );
    const prompt = promptOf(requestAt(stage.model, 1, 'bob/act/round-2/try-1'));
    assert.match(prompt, /"status": ?"sent"/);
    assert.doesNotMatch(prompt, /message_id|message-1/);
    assert.doesNotMatch(JSON.stringify(play.report), /message_id|message-1/);
    assertOnlyPatchesChanged(play);
  });

  test('a service that is asked by GET with a key, and a folder of files, are sources like others', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'weather-station', turns: 2 });
    const [reading] = callsOf(play.attempts[0] ?? onlyAttempt(play), 'ambient_context');
    const record = await stage.invocation(reading?.source_invocation_id ?? '');
    assert.deepEqual(record.request_json, { station_id: 'park', turn: 1 });
    assert.equal(memberOf(reading?.response_json ?? null, 'temperature_f'), 72);
    assert.doesNotMatch(JSON.stringify([record, play.attempts]), /toy-weather-key/);
    assert.match(promptOf(requestAt(stage.model, 1, 'wren/act/round-2/try-1')), /before the fourth/);
    assert.equal(stage.toys.weather.served[0]?.headers['x-api-key'], 'toy-weather-key');
    assert.equal(play.after.turn, 2);
  });

  test('Several nodes — a clerk sorts, looks up, and answers', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'clerk' });
    const attempt = onlyAttempt(play);
    assert.deepEqual(
      attempt.invocations.map(({ command_key, invocation_kind, model_output_kind }) => [
        command_key,
        invocation_kind,
        model_output_kind,
      ]),
      [
        ['ivy/sort/round-1/try-1', 'llm_generation', 'json_answer'],
        ['ivy/look_up/call', 'node_call', null],
        ['ivy/act/round-1/try-1', 'llm_generation', 'tool_call'],
        ['ivy/act/round-1/try-1/tool', 'model_elected_tool', null],
        ['ivy/act/round-2/try-1', 'llm_generation', 'final_patch'],
      ],
    );
    const asked = await stage.invocation(callAt(attempt, 'ivy/look_up/call').source_invocation_id);
    assert.equal(memberOf(asked.request_json, 'environment_label'), 'park', 'the look-up asks for what was sorted');
    const prompt = promptOf(requestAt(stage.model, 1, 'ivy/act/round-1/try-1'));
    assert.match(prompt, /"topic":"weather"/);
    assert.match(prompt, /"temperature_f":72/);
    assert.doesNotMatch(prompt, /Warm and sunny/, 'redaction lets two members of the weather through');
    assert.equal(stage.toys.phone.served.length, 1);
    assertOnlyPatchesChanged(play);
  });

  test('Failure — A reading that fails ends its attempt and the run, and the turn before stays', async () => {
    const stage = await open();
    misbehaveOn(stage.toys.weather, 2, 'non_json');
    const play = await stage.play({ scenario: 'ambient-weather', turns: 3 });
    const [first, second, ...others] = play.attempts;
    assert.ok(first && second && others.length === 0, 'a failed attempt ends the run');
    assert.equal(first.status, 'committed');
    const [reading] = second.invocations;
    assert.ok(reading && second.invocations.length === 1);
    assert.deepEqual([reading.status, reading.failure_class, reading.http_status], ['failed', 'non_json', 200]);
    assert.match(reading.failure_message ?? '', /did not answer with JSON/);
    assert.deepEqual(
      [second.status, second.failure_class, second.failed_source_invocation_id],
      ['failed', 'non_json', reading.source_invocation_id],
    );
    assert.deepEqual(
      second.timeline.map(({ event_kind }) => event_kind),
      ['attempt_began', 'call_started', 'call_failed', 'attempt_failed'],
    );
    assert.equal(play.after.turn, 1);
    assert.deepEqual(contentsOf(play.after), contentsOf(await stage.world(play.world_slug, 1)));
    assert.equal(stage.model.requests.length, 1, 'a generation followed the failure');
  });
});
