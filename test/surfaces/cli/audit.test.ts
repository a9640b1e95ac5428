import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { after, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { AttemptRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const database = await emptyDatabase({ after });
const data = await makeFolder({ after });

const open = () => compose({ CHUKWA_DATA_DIR: data, ...database });

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(await open(), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

test('what a person does at the terminal is audited: who, where, why and the outcome', async () => {
  const made = await chukwa('world', 'create', 'pond', '--scenario', 'workflows/simple/scenario.json');
  assert.equal(made.code, 0, made.error);
  const ran = await chukwa('run', 'pond', '--script', 'simple', '--json');
  const [turn] = (JSON.parse(ran.out) as { turns: { attempt_id: string }[] }).turns;
  const attempt_id = turn?.attempt_id ?? '';
  const attempt = JSON.parse((await chukwa('attempt', attempt_id, '--json')).out) as AttemptRecord;
  const call = attempt.invocations[0]?.source_invocation_id ?? '';
  const because = (words: string) => ['--reason', words];
  await chukwa('invocation', call);
  const commands = [
    ['world', 'fork', 'pond', '--at', '1', '--as', 'twig', ...because('a what-if')],
    ['run', 'pond', '--queue', '--turns', '2', ...because('the weekend')],
    ['run', 'pond', '--queue', ...because('')],
    ['stop', 'pond', '--queued'],
    ['stop', attempt_id, ...because('too slow')],
    ['invocation', call, '--unredacted', ...because('a complaint')],
    ['record', attempt_id, '--unredacted'],
  ];
  for (const words of commands) {
    const { code, error } = await chukwa(...words);
    assert.equal(code, 0, `${words.join(' ')}: ${error}`);
  }
  const opened = await (await open()).openArchive();
  assert.ok(opened.ok);
  const entries = await opened.value.store.actions.list({ world_slug: 'pond' });
  await opened.value.close();
  assert.deepEqual(
    entries.toReversed().map(({ action, reason, accepted }) => [action, reason, accepted]),
    [
      ['fork_world', 'a what-if', true],
      ['run_turns', 'the weekend', true],
      ['run_turns', null, true],
      ['take_back_turns', null, true],
      ['stop_attempt', 'too slow', false],
      ['see_unredacted', 'a complaint', true],
      ['see_unredacted', null, true],
    ],
  );
  for (const { acted_by, surface, outcome } of entries) {
    assert.deepEqual([acted_by, surface], [userInfo().username, 'command_line']);
    assert.ok(outcome !== null && outcome !== '');
  }
  assert.equal(entries[1]?.source_invocation_id, call);
});
