import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../engine/core/content/sha256.js';
import type { AuditReport } from '../../engine/operations/studies/audit-study.js';
import type { StudyReport } from '../../engine/operations/studies/run-study.js';
import type { StudyPage } from '../../engine/operations/studies/show-study.js';
import { emptyDatabase } from '../support/databases.js';
import { onStudy, startReader, turnsTo, writeStudy } from '../support/reading-study.js';
import { askHere, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

// Runs that are answered by others are runs of another population: who answers is sealed with a study.

const reading = startReader();
after(async () => (await reading).model.close());

/** A script that says on which page Bob is. */
function scriptOf(label: string, page: number): string {
  const turns = { '*': { 'bob/act/round-1/try-1': { json: turnsTo(page) } } };
  return JSON.stringify({ version: 1, label, turns });
}

test('a study goes on by the script that it was begun with, and by no other, no model and no workers', async (context) => {
  const { model, variables: there } = await reading;
  const study = await writeStudy(context);
  const variables = { ...there, ...(await emptyDatabase(context)) };
  const script = join(await makeFolder(context), 'mine.json');
  await writeFile(script, scriptOf('mine', 7));
  const run = onStudy(study, 'run', '--script', script);
  const answered_by = `scripted (mine, ${sha256(await readFile(script)).slice(0, 12)})`;
  const report = await askHere<StudyReport>(run, variables);
  assert.deepEqual([report.answered_by, report.runs_done], [answered_by, 8]);

  const asked = model.requests.length;
  await study.rewrite({ seeds: [1, 2], budget: { token_budget: 1_000_000 } });
  await writeFile(script, scriptOf('mine', 8));
  for (const [words, said] of [
    [['--script', script], /scripted \(mine, [0-9a-f]{12}\)\./],
    [[], /models \(gpt-4\.1-mini\)\./],
    [['--queue'], /workers\./],
  ] as const) {
    const { code, stderr } = await runHere(onStudy(study, 'run', ...words), variables);
    const text = stderr.replaceAll(/\s+/g, ' ');
    assert.equal(code, 1, text);
    assert.match(text, /STUDY_CHANGED/);
    assert.ok(text.includes(`It was answered by ${answered_by}, and would now be by `), text);
    assert.match(text, said);
    assert.ok(text.includes(`have it answered by ${answered_by} again`), text);
  }
  assert.equal(model.requests.length, asked);
  assert.equal((await runHere(onStudy(study, 'plan'), variables)).code, 1, 'its seeds have changed');

  await study.rewrite({});
  await writeFile(script, scriptOf('mine', 7));
  assert.equal((await runHere(onStudy(study, 'plan'), variables)).code, 0, 'a plan answers nothing');
  assert.equal((await askHere<StudyReport>(run, variables)).turns_played, 0);

  const shown = await runHere(['study', 'show', 'reading'], variables);
  assert.match(shown.stdout, /answered by +scripted \(mine, [0-9a-f]{12}\)/);
  const out = join(await makeFolder(context), 'out');
  assert.equal((await runHere(['study', 'export', 'reading', '--out', out], variables)).code, 0);
  const meta = JSON.parse(await readFile(join(out, 'sweep_meta.json'), 'utf8')) as StudyPage;
  assert.equal(meta.answered_by, answered_by);
  assert.match(await readFile(join(out, 'card.md'), 'utf8'), /Answered by scripted \(mine, [0-9a-f]{12}\), sealed/);
});

test('each variant of an audit is sealed with who answers it, and goes on by that alone', async (context) => {
  const { variables: there } = await reading;
  const study = await writeStudy(context, { turns: 1, seeds: [1, 2], variables: {}, hypotheses: [] });
  const variables = { ...there, ...(await emptyDatabase(context)) };
  const audit = onStudy(study, 'audit', '--only', 'model', '--other-models', 'other');
  await askHere<AuditReport>([...audit, '--model', 'mine'], variables);
  const answeredBy = async (label: string) =>
    (await askHere<StudyPage>(['study', 'show', label], variables)).answered_by;
  assert.equal(await answeredBy('reading'), 'models (mine)');
  assert.equal(await answeredBy('reading-audit-model-other'), 'models (other)');
  const { code, stderr } = await runHere(audit, variables);
  assert.equal(code, 1);
  assert.match(
    stderr.replaceAll(/\s+/g, ' '),
    /answered by models \(mine\), and would now be by models \(gpt-4\.1-mini\)/,
  );
});

test('a study that is refused for its model is not sealed', async (context) => {
  const { variables: there } = await reading;
  const study = await writeStudy(context);
  const source = join(study.root, 'sources/chat.json');
  const { interface: written, ...rest } = JSON.parse(await readFile(source, 'utf8')) as Record<string, object>;
  const { model_env: _variable, ...named } = written as Record<string, unknown>;
  await writeFile(source, JSON.stringify({ ...rest, interface: named }));
  const variables = { ...there, ...(await emptyDatabase(context)) };
  for (const word of ['run', 'audit']) {
    const refused = await runHere(onStudy(study, word, '--model', 'other'), variables);
    assert.match(refused.stderr, /MODEL_NOT_CHOOSABLE/);
    const shown = await runHere(['study', 'show', 'reading'], variables);
    assert.match(shown.stderr, /STUDY_UNKNOWN/);
  }
});
