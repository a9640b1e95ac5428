import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { commandOf } from '../plugins/mcp-servers.js';
import { editWorkflows, sharedStage } from '../support/park-stage.js';
import { finalPatch, toolCall } from '../support/turn-player.js';
import {
  assertOnlyPatchesChanged,
  callAt,
  contentsOf,
  keysOf,
  onlyAttempt,
  promptOf,
  requestAt,
  script,
} from './readings.js';

describe('an agent and a real MCP server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-mcp-'));
  const file = join(folder, 'catalogue.jsonl');
  after(() => rmSync(folder, { recursive: true, force: true }));
  const command = commandOf('memory', [], { MEMORY_FILE_PATH: file });
  const open = sharedStage('PostgreSQL', () => ({ CHUKWA_MCP_MEMORY: command }));
  const nowhere = commandOf('memory', [], { MEMORY_FILE_PATH: join(folder, 'nowhere', 'catalogue.jsonl') });
  const openWithoutFolder = sharedStage('PostgreSQL', () => ({ CHUKWA_MCP_MEMORY: nowhere }));

  test('an agent reads a turn later what it wrote by a tool of the server', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'mcp-memory', turns: 2 });
    const [first, second] = play.attempts;
    assert.ok(first && second);
    assert.deepEqual(
      play.attempts.map(({ status }) => status),
      ['committed', 'committed'],
    );
    assert.deepEqual(keysOf(first), [
      'iris/ambient/catalogue',
      'iris/act/round-1/try-1',
      'iris/act/round-1/try-1/tool',
      'iris/act/round-2/try-1',
    ]);
    const written = callAt(first, 'iris/act/round-1/try-1/tool');
    assert.deepEqual([written.status, written.tool_name], ['succeeded', 'mcp__memory__create_entities']);
    assert.deepEqual(written.response_json, { entities: [{ name: 'brass compass' }] }, 'as redaction shows it');
    assert.match(readFileSync(file, 'utf8'), /little east of north/);
    assert.deepEqual(callAt(first, 'iris/ambient/catalogue').response_json, { entities: [] });
    assert.match(promptOf(requestAt(stage.model, 2, 'iris/act/round-1/try-1')), /Its glass is cracked/);
    assertOnlyPatchesChanged(play);
  });

  test('a tool that says that it failed ends the attempt, and the world stays as it was', async (t) => {
    const stage = await openWithoutFolder();
    const workflows = await editWorkflows(t, {
      'mcp-memory/workflow.json': (workflow) =>
        JSON.parse(JSON.stringify(workflow).replace('{"allow":["/entities/*/name"]}', '{"allow":"all"}')) as JsonObject,
    });
    const play = await stage.play({ scenario: 'mcp-memory', workflows });
    const attempt = onlyAttempt(play);
    const call = callAt(attempt, 'iris/act/round-1/try-1/tool');
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'tool_error']);
    assert.deepEqual([call.status, call.failure_class], ['failed', 'tool_error']);
    assert.equal(attempt.failed_source_invocation_id, call.source_invocation_id);
    assert.deepEqual(contentsOf(play.after), contentsOf(play.before));
    const { response_text } = await stage.invocation(call.source_invocation_id);
    assert.match(response_text ?? '', /"isError":true/, 'what the tool said is kept');
    assert.match(attempt.failure_message ?? '', /the tool answered that it failed; it said: .*no such file/s);
  });

  test('the failure of a tool is shown to a model whose binding allows it, which then corrects itself', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, {
      'schemas/mcp-entities.json': () => ({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          entities: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      }),
      'mcp-memory/workflow.json': (workflow) =>
        JSON.parse(
          JSON.stringify(workflow).replace(
            '{"allow":["/entities/*/name"]}',
            '{"allow":"all"},"on_failure":"tell_model"',
          ),
        ) as JsonObject,
    });
    const write = (entity: JsonObject) => ({
      json: toolCall('mcp__memory__create_entities', { entities: [{ name: 'tin whistle', ...entity }] }),
    });
    const says = script({
      'iris/act/round-1/try-1': write({ kind: 'find' }),
      'iris/act/round-2/try-1': write({ entityType: 'find', observations: ['It is bent.'] }),
      'iris/act/round-3/try-1': { json: finalPatch([], 'Iris enters the whistle.') },
    });
    const play = await stage.play({ scenario: 'mcp-memory', workflows, says });
    const attempt = onlyAttempt(play);
    assert.equal(attempt.status, 'committed', attempt.failure_message ?? '');
    const call = callAt(attempt, 'iris/act/round-1/try-1/tool');
    assert.deepEqual([call.status, call.failure_class, call.failure_detail], ['failed', 'tool_error', 'told_to_model']);
    assert.equal(callAt(attempt, 'iris/act/round-2/try-1/tool').status, 'succeeded');
    const prompt = promptOf(requestAt(stage.model, 1, 'iris/act/round-2/try-1'));
    assert.match(prompt, /The call of mcp__memory__create_entities failed; it has no result:/);
    assert.match(prompt, /"failure_class":"tool_error","message":"the tool answered that it failed"/);
    assert.match(prompt, /"said":.*entityType.*"isError":true/);
    assert.match(readFileSync(file, 'utf8'), /tin whistle/);
  });
});
