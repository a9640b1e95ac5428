import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { type ParkStage, sharedStage } from '../support/park-stage.js';
import { callAt, keysOf, messagesOf, onlyAttempt } from './readings.js';

const GENERATION = 'bob/act/round-1/try-1';
const TOOL = `${GENERATION}/tool`;

/** Looks while a request is there and its answer is not; assertions follow after the turn, not inside a server. */
function whileAsked<Seen>(
  stage: ParkStage,
  look: () => Promise<Seen>,
): { readonly model: Seen[]; readonly toy: Seen[] } {
  const seen = { model: [] as Seen[], toy: [] as Seen[] };
  stage.model.onRequest(async () => void seen.model.push(await look()));
  stage.toys.vending.onRequest(async () => void seen.toy.push(await look()));
  return seen;
}

describe('a call is on record before its first byte leaves: seen through another connection (PostgreSQL)', () => {
  const open = sharedStage('PostgreSQL');

  interface Row {
    readonly command_key: string;
    readonly status: string;
    readonly llm_status: string | null;
    readonly linked_back: boolean | null;
    readonly started: boolean;
    readonly ended: boolean;
    readonly attempt_status: string;
    readonly message_count: number;
    readonly sent: readonly { readonly role: string; readonly content: string }[] | null;
  }

  const LOOK = `
    SELECT calls.command_key, calls.status, llm_calls.status AS llm_status,
      llm_calls.source_invocation_id = calls.source_invocation_id AS linked_back,
      calls.started_at IS NOT NULL AS started, calls.ended_at IS NOT NULL AS ended,
      attempts.status AS attempt_status, coalesce(llm_calls.message_count, 0) AS message_count,
      (SELECT json_agg(json_build_object('role', role, 'content', content) ORDER BY position)
       FROM (
         SELECT listed.position, messages.role,
           string_agg(convert_from(pieces.text, 'UTF8'), '' ORDER BY pieces.position) AS content
         FROM llm_conversation_messages listed
         JOIN llm_messages messages USING (message_hash)
         JOIN llm_message_pieces pieces USING (message_hash)
         WHERE listed.world_slug = calls.world_slug AND listed.attempt_id = calls.attempt_id
           AND listed.conversation = llm_calls.conversation AND listed.position <= llm_calls.message_count
         GROUP BY listed.position, messages.role) AS sent) AS sent
    FROM source_invocations calls
    JOIN attempts USING (world_slug, attempt_id)
    LEFT JOIN llm_calls USING (world_slug, llm_call_id)
    WHERE calls.attempt_id = (SELECT attempt_id FROM attempts ORDER BY started_at DESC LIMIT 1)
    ORDER BY calls.invocation_seq DESC LIMIT 1`;

  test('a generation: its invocation and its linked LLM call run, and every message that it sends is stored', async () => {
    const stage = await open();
    const seen = whileAsked(stage, () => query(stage));
    await stage.play({ scenario: 'tools' });
    assert.equal(seen.model.length, 2);
    for (const [index, row] of seen.model.entries()) {
      const request = stage.model.requests[index];
      assert.ok(request && row);
      assert.deepEqual(
        [row.command_key, row.status, row.llm_status, row.linked_back, row.attempt_status],
        [request.key, 'running', 'running', true, 'running'],
      );
      assert.deepEqual([row.started, row.ended], [true, false]);
      assert.equal(row.message_count, messagesOf(request).length);
      assert.deepEqual(row.sent, messagesOf(request));
    }
  });

  test('a tool: its invocation runs', async () => {
    const stage = await open();
    const seen = whileAsked(stage, () => query(stage));
    await stage.play({ scenario: 'tools' });
    assert.deepEqual(
      seen.toy.map((row) => [row?.command_key, row?.status, row?.llm_status, row?.ended]),
      [[TOOL, 'running', null, false]],
    );
  });

  test('an ambient source: its invocation runs', async () => {
    const stage = await open();
    const rows: (Row | undefined)[] = [];
    stage.toys.weather.onRequest(async () => void rows.push(await query(stage)));
    await stage.play({ scenario: 'ambient-weather' });
    assert.equal(rows.length, 1);
    assert.match(rows[0]?.command_key ?? '', /^turn\/park_weather@/);
    assert.deepEqual([rows[0]?.status, rows[0]?.ended], ['running', false]);
  });

  async function query(stage: ParkStage): Promise<Row | undefined> {
    const [row] = (await stage.outside?.query<Row>(LOOK)) ?? [];
    return row;
  }
});

describe('a call is on record before its first byte leaves: seen through the reader (embedded)', () => {
  const open = sharedStage('embedded');

  test('a generation and a tool run, linked as they will stay', async () => {
    const stage = await open();
    const seen = whileAsked(stage, () => readRunning(stage));
    const play = await stage.play({ scenario: 'tools' });
    const [early] = seen.model;
    const [late] = seen.toy;
    assert.ok(early && late);
    assert.deepEqual([early.status, keysOf(early)], ['running', [GENERATION]]);
    const generation = callAt(early, GENERATION);
    assert.equal(generation.status, 'running');
    assert.ok(generation.llm_call_id);
    assert.deepEqual(
      late.invocations.map(({ command_key, status }) => [command_key, status]),
      [
        [GENERATION, 'succeeded'],
        [TOOL, 'running'],
      ],
    );
    assert.equal(callAt(late, TOOL).parent_source_invocation_id, generation.source_invocation_id);
    const ended = callAt(onlyAttempt(play), GENERATION);
    assert.deepEqual(
      [ended.source_invocation_id, ended.llm_call_id],
      [generation.source_invocation_id, generation.llm_call_id],
    );
  });

  test('a running generation can be read with the messages that it has sent', async () => {
    const stage = await open();
    const seen = whileAsked(stage, async () => {
      const { invocations } = await readRunning(stage);
      return stage.llmCall(invocations.at(-1)?.llm_call_id ?? null);
    });
    await stage.play({ scenario: 'simple' });
    const [call] = seen.model;
    const [request] = stage.model.requests;
    assert.ok(call && request);
    assert.deepEqual([call.status, call.ended_at, call.tokens], ['running', null, null]);
    assert.deepEqual(
      call.messages.map(({ role, content }) => ({ role, content })),
      messagesOf(request),
    );
  });

  async function readRunning(stage: ParkStage): Promise<AttemptRecord> {
    const { records, worlds } = stage.engine.store;
    for (const { world_slug } of await worlds.list()) {
      const running = (await records.attempts(world_slug)).find(({ status }) => status === 'running');
      const attempt = running === undefined ? undefined : await records.attempt(running.attempt_id);
      if (attempt) return attempt;
    }
    throw new Error('no attempt runs');
  }
});
