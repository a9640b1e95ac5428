import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { ProbeReport } from '../../engine/operations/worlds/probe-world.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { LlmCallRecord } from '../../engine/ports/records.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { askHere, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

const SCRIPTED = ['--toys', '--llm', 'scripted', '--script'];
const PROBES = join(ROOT, 'workflows/probes');
const ANSWERS = [...SCRIPTED, join(PROBES, 'park.answers.json')];

type Where = Awaited<ReturnType<typeof emptyDatabase>>;

/** A park of two turns in a database of its own. */
async function playPark(context: TestContext) {
  const folder = await makeFolder(context);
  const where = await emptyDatabase(context);
  const chukwa = async (words: readonly string[], code = 0): Promise<string> => {
    const ended = await runHere(words, where);
    assert.equal(ended.code, code, ended.stderr);
    return ended.stdout + ended.stderr;
  };
  await chukwa(['world', 'create', 'park', '--scenario', join(ROOT, 'workflows/park/scenario.json')]);
  await chukwa(['run', 'park', '--turns', '2', ...SCRIPTED, 'park']);
  return { folder, where, chukwa };
}

function ask(where: Where, file: string, words: readonly string[] = ANSWERS, code = 0) {
  return askHere<ProbeReport>(['probe', 'park@2', '--ask', file, ...words], where, code);
}

function inShort({ answers }: ProbeReport) {
  return answers.map(({ subject_id, question_id, answer, tries }) => [subject_id, question_id, answer, tries]);
}

async function promptsOfNextTurn(where: Where) {
  const { turns } = await askHere<RunReport>(['run', 'park', ...SCRIPTED, 'park'], where);
  const ids = turns.flatMap(({ invocations }) => invocations.flatMap(({ llm_call_id }) => llm_call_id ?? []));
  const calls = await Promise.all(ids.map((id) => askHere<LlmCallRecord>(['llm-call', id], where)));
  return calls.map(({ messages }) => messages.map(({ content }) => content));
}

test('the shipped probes ask the park, which keeps every byte of its record and is asked the same afterwards', async (context) => {
  const { folder, where, chukwa } = await playPark(context);
  const exported = async (name: string): Promise<string> => {
    await chukwa(['world', 'export', 'park', '--out', join(folder, name)]);
    return readFile(join(folder, name), 'utf8');
  };
  const before = await exported('before.jsonl');
  const recall = await ask(where, join(PROBES, 'recall.json'));
  assert.deepEqual(inShort(recall), [
    ['bob', 'bought', 'yes', 1],
    ['bob', 'bars_left', 0, 2],
    ['bob', 'reason', 'The loudspeaker said that the machine would not be refilled.', 1],
  ]);
  assert.ok(recall.answers.every(({ input_tokens, output_tokens }) => input_tokens > 0 && output_tokens > 0));
  assert.deepEqual(inShort(await ask(where, join(PROBES, 'knows.json'))), [
    ['bob', 'last_bar', 'Bob', 1],
    ['ant', 'last_bar', 'not known', 1],
  ]);
  const awareness = await ask(where, join(PROBES, 'awareness.json'), ['--subject', 'Bob', ...ANSWERS]);
  assert.deepEqual(inShort(awareness), [
    ['bob', 'observed', 'no', 1],
    ['bob', 'purpose', { guess: 'patience', sureness: 0.2 }, 1],
  ]);
  assert.equal(await exported('after.jsonl'), before);

  const { messages } = await askHere<LlmCallRecord>(['llm-call', recall.answers[0]?.llm_call_id ?? ''], where);
  const prompt = messages.map(({ content }) => content).join('\n');
  assert.match(prompt, /I bought the last candy bar, because the loudspeaker said/);
  assert.match(prompt, /answer as Bob, .*:\nHas Bob bought a candy bar today\?/);
  assert.doesNotMatch(prompt, /What does Bob do\?/);
  const unprobed = await playPark(context);
  assert.deepEqual(await promptsOfNextTurn(where), await promptsOfNextTurn(unprobed.where));
});

test('a probe that does not fit its world is refused at its place, and leaves nothing', async (context) => {
  const { folder, chukwa } = await playPark(context);
  const refusal = async (probe: JsonObject, words: readonly string[] = []): Promise<string> => {
    const file = join(folder, 'probe.json');
    await writeFile(file, JSON.stringify({ version: 1, label: 'unfit', ...probe }, null, 2));
    return chukwa(['probe', 'park', '--ask', file, ...words, ...ANSWERS], 1);
  };
  const yes_no = { kind: 'yes_no' };
  const questions = [{ id: 'cold', ask: 'Is {{subject.name}} cold?', answer: yes_no }];
  assert.match(
    await refusal({ subjects: ['bobb'], questions }),
    /probe\.json:5:5 .*PROBE_SUBJECT_UNASKED.*\n.*bob, ant/,
  );
  assert.match(await refusal({ questions }, ['--subject', 'Crumb']), /PROBE_SUBJECT_UNASKED/);
  const unread = [{ id: 'cold', ask: 'Is it {{nodes.plan.output}}?', answer: yes_no }];
  assert.match(
    await refusal({ questions: unread }),
    /^\S*probe\.json:7:7  NODE_UNKNOWN .*\n    what to do: There are: cold/,
  );
  const endless = { kind: 'schema', schema: { type: 'text' } };
  assert.match(await refusal({ questions: [{ id: 'cold', ask: 'Cold?', answer: endless }] }), /probe\.json:1\d:\d+/);
  await writeFile(join(folder, 'probe.json'), JSON.stringify({ version: 1, label: 'fit', questions }));
  assert.match(await chukwa(['probe', 'park', '--ask', join(folder, 'probe.json')], 4), /SOURCE_NOT_READY/);
  assert.doesNotMatch(await chukwa(['world', 'list']), /probe/);
});

test('an agent that gives no answer of the form fails the probe, which shows what others have said', async (context) => {
  const { folder, where } = await playPark(context);
  const script = join(folder, 'answers.json');
  const silent = { json: { answer: 'maybe' } };
  const answers = {
    'bob/last_bar/round-1/try-1': { json: { answer: 'Bob' } },
    ...Object.fromEntries([1, 2, 3].map((number) => [`ant/last_bar/round-1/try-${number}`, silent])),
  };
  await writeFile(script, JSON.stringify({ version: 1, label: 'silent', turns: { '*': answers } }));
  const report = await ask(where, join(PROBES, 'knows.json'), [...SCRIPTED, script], 3);
  assert.equal(report.failure_class, 'generation_attempts_exhausted');
  assert.deepEqual(inShort(report), [
    ['bob', 'last_bar', 'Bob', 1],
    ['ant', 'last_bar', null, 3],
  ]);
});
