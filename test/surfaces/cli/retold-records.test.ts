import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import { compose } from '../../../engine/main.js';
import type { Asked } from '../../../engine/catalogue/resource.js';
import { agentTurn } from '../../../engine/catalogue/resources/agent-turn.js';
import { listAgents, showAgentTurn } from '../../../engine/operations/browse/agents.js';
import { invocation } from '../../../engine/catalogue/resources/invocation.js';
import { llmCall } from '../../../engine/catalogue/resources/llm-call.js';
import { showInvocation, showLlmCall } from '../../../engine/operations/browse/records.js';
import { withQueued } from '../../../engine/operations/settling/reports.js';
import { queueTurns } from '../../../engine/operations/running/run-worker.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { attemptLines } from '../../../engine/surfaces/cli/render/attempt.js';
import type { Lines } from '../../../engine/surfaces/cli/render/line.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { agentColumns } from '../../../engine/catalogue/tables.js';
import { table } from '../../../engine/catalogue/view.js';
import { blockLines, viewLines } from '../../../engine/surfaces/cli/render/view.js';
import { must, openParkStage, type ParkStage, type Play, ROOT } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const ASKED = { parameters: {} as Asked['parameters'], query: {}, reader: 'operator' } as const;

let stage: ParkStage;
let play: Play;
before(async () => {
  stage = await openParkStage('PostgreSQL');
  play = await stage.play({ scenario: 'park', turns: 2 });
});
after(() => stage.close());

/** The text of an agent turn, as its reader is shown it. */
const textOfTurn = async (agent_turn_id: string, reader: 'consumer' | 'operator'): Promise<string> => {
  const turn = must(await showAgentTurn(stage.engine, { agent_turn_id, reader }));
  return toText(viewLines(agentTurn.view(turn, ASKED)));
};

const toText = (lines: Lines): string => paint(lines, { width: 1_000, has_colours: false, program: 'npx chukwa' });

test('an agent turn says by itself what was read, which tool was called with what, and what was decided', async () => {
  const [, attempt] = play.attempts;
  const bob = attempt?.agent_turns.find(({ agent_id }) => agent_id === 'bob');
  const text = await textOfTurn(bob?.agent_turn_id ?? '', 'operator');
  const narration = attempt?.patches.find((patch) => patch.workflow_subject_entity_id === 'bob')?.narration ?? '';
  assert.match(text, /a reading .*\n +\w*weather: .*condition/);
  assert.match(text, /called a tool .*\n +buy_candy: .*button C/);
  assert.match(text, /what the tool answered .*\n +buy_candy: \w+/);
  assert.ok(text.includes(`bob: ${narration}`), text);
  assert.match(
    text,
    /Events\n +In order, folded from the record; live streams send AG-UI events instead\.\n +11 events\n +cmd\.agent\.bob\.wakeup/,
  );
});

test('an agent turn of several nodes shows what each of them gave, and then what the turn left', async () => {
  const { attempts } = await stage.play({ scenario: 'clerk' });
  const [turn] = attempts[0]?.agent_turns ?? [];
  const text = await textOfTurn(turn?.agent_turn_id ?? '', 'consumer');
  assert.match(
    text,
    /what a node gave +llm-call .*\n +sort: from Bob [^]*what a node gave +invocation .*\n +look_up: \w[^]*what it left/,
  );
});

test('the line of a test counts the answers that were rejected on its way', async () => {
  const terminal = openTestTerminal();
  const composition = await compose({ CHUKWA_DATABASE_URL: 'memory:' });
  await runCommandLine(composition, ['test', join(ROOT, 'workflows', 'park', 'park.test.json')], terminal);
  assert.match(terminal.out_text(), /^passed .* 22 calls, 1 rejected answer\n/);
});

test('a stop says which turns are still queued, and how to take them back', async () => {
  const acknowledgement = { accepted: true, message: 'It stops.', world: play.world_slug };
  assert.deepEqual(await withQueued(stage.engine, acknowledgement), acknowledgement);
  must(await queueTurns(stage.engine, { world_slug: play.world_slug, turns: 2 }));
  const { message } = await withQueued(stage.engine, acknowledgement);
  assert.match(message, new RegExp(`^It stops\\. 2 more turns are queued: chukwa stop ${play.world_slug} --queued`));
});

test('a call whose driver is gone does not run', async () => {
  const [attempt] = play.attempts;
  const [call] = attempt?.invocations ?? [];
  assert.ok(attempt !== undefined && call !== undefined);
  const left = { ...call, status: 'running', is_driven: false, failure_class: null } as const;
  const textOf = (is_driven: boolean) => toText(attemptLines({ ...attempt, invocations: [{ ...left, is_driven }] }));
  assert.match(textOf(true), new RegExp(`${call.command_key}  running`));
  assert.match(textOf(false), new RegExp(`${call.command_key}  driver gone`));
  const shown = must(await showInvocation(stage.engine, call.source_invocation_id));
  assert.match(toText(viewLines(invocation.view({ ...shown, ...left }, ASKED))), /^.*\ndriver gone\n/);
});

test('an agent that has answered is running, as its record says, and its latest turn is answered', async () => {
  const [agent] = must(await listAgents(stage.engine, play.world_slug));
  assert.ok(agent?.latest_turn);
  const latest_turn = { ...agent.latest_turn, state: 'answered', outcome: null };
  const [title = '', row = ''] = toText(
    blockLines(table([{ ...agent, status: 'running', latest_turn }], agentColumns(play.world_slug), '')),
  ).split('\n');
  const cellOf = (name: string): string => row.slice(title.indexOf(name)).split(/ {2,}/)[0] ?? '';
  assert.deepEqual([cellOf('status'), cellOf('latest turn')], ['running', 'answered']);
});

test("a model's answer is shown once, and its parts are named", async () => {
  const generation = play.attempts[1]?.invocations.find(({ model_output_kind: kind }) => kind === 'final_patch');
  const call = must(await showLlmCall(stage.engine, generation?.llm_call_id ?? ''));
  const text = toText(viewLines(llmCall.view(call, ASKED)));
  assert.match(text, /parsed output: all of what it said\n/);
  assert.match(text, /accepted patch: the patch of what it said\n/);
  const artifacts = [{ kind: 'accepted_patch', value: { narration: 'Another.' } }];
  assert.match(
    toText(viewLines(llmCall.view({ ...call, artifacts }, ASKED))),
    /accepted patch:\n {2}\{\n {4}"narration": "Another\."/,
  );
});

test('a rejected answer is shown line by line, and cut where it is long', () => {
  const attempt = play.attempts.find(({ audit }) => audit.some((entry) => entry.audit_kind === 'generation_rejected'));
  assert.ok(attempt !== undefined);
  assert.match(toText(attemptLines(attempt)), /said\n {6}\| \{\n {6}\| +"kind": /);
  const long = JSON.stringify({ words: Array.from({ length: 50 }, (_, word) => word) });
  const audit = attempt.audit.map((entry) => ({ ...entry, raw_response: long }));
  assert.match(toText(attemptLines({ ...attempt, audit })), /\| \.\.\. 34 lines more/);
});
