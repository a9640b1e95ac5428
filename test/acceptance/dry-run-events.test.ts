import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../engine/main.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { emptyDatabase } from '../support/databases.js';
import { makeFolder } from '../support/folder.js';

test('a dry run from a later turn shows its subjects the events of the turns before, as the world has them', {
  timeout: 300_000,
}, async (context) => {
  const folder = await makeFolder(context);
  const composition = await compose(await emptyDatabase(context));
  const asked: string[] = [];
  const watched: typeof composition = {
    ...composition,
    openDryEngine: (answerCall) =>
      composition.openDryEngine((call) => {
        asked.push(JSON.stringify(call.request));
        return answerCall(call);
      }),
  };
  const chukwa = async (...words: readonly string[]) => {
    const terminal = openTestTerminal({ working_folder: folder });
    assert.equal(await runCommandLine(watched, words, terminal), 0, terminal.error_text());
    return terminal.out_text();
  };
  const { world, turns } = JSON.parse(
    await chukwa('park', '--scenario', 'village', '--turns', '1', '--json'),
  ) as RunReport;
  await chukwa('run', world, '--dry', '--write-missing', 'all.json');
  const narrations = turns.flatMap(({ patches }) => patches.map(({ narration }) => narration));
  assert.ok(narrations.length > 1);
  const matching = narrations.filter((narration) =>
    asked.some((text) => text.includes(JSON.stringify(narration).slice(1, -1))),
  );
  assert.notDeepEqual(matching, [], 'no prompt of the dry run tells of the turn before');
});
