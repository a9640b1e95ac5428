import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { AuditReport } from '../../engine/operations/studies/audit-study.js';
import type { StudyReport } from '../../engine/operations/studies/run-study.js';
import { emptyDatabase } from '../support/databases.js';
import { onStudy, startReader, writeStudy } from '../support/reading-study.js';
import { askHere, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

// A finding that hangs on a word: a hint makes Bob read three pages more, unless a prompt thanks him.

const reading = startReader();
after(async () => (await reading).model.close());

const THANKS = 'Thank you for taking part.';

test('an audit finds the harmless change that a finding hangs on, and no other', async (context) => {
  const { model, variables: there, onRequest } = await reading;
  const study = await writeStudy(context);
  const variables = { ...there, ...(await emptyDatabase(context)) };
  let is_thanked = false;
  onRequest(
    async ({ body }) => {
      is_thanked = JSON.stringify(body).includes(THANKS);
    },
    (turn, world) => turn + (world.includes('urgent') && !is_thanked ? 3 : 0),
  );
  const audit = onStudy(study, 'audit', '--concurrency', '1', '--other-models', 'other');
  const report = await askHere<AuditReport>(audit, variables);
  const names = report.variants.map(({ perturbation, name }) => `${perturbation} ${name}`);
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
  for (const perturbation of ['wording', 'memories', 'model'])
    assert.ok(
      names.some((name) => name.startsWith(perturbation)),
      `${names.join(', ')} lack ${perturbation}`,
    );
  assert.ok(report.untried.includes('roster'), 'there is one agent');

  const thanked = report.variants.find(({ name }) => name === 'thanked');
  const moves = thanked?.moves.map(({ condition, difference }) => [condition, difference]);
  assert.deepEqual(moves, [
    [null, -1.5],
    ['none_calm', 0],
    ['none_glad', 0],
    ['urgent_calm', -3],
    ['urgent_glad', -3],
  ]);
  const [verdict] = thanked?.verdicts ?? [];
  assert.deepEqual([verdict?.before, verdict?.after], ['supported', 'not_supported']);
  for (const { name, moves: others, verdicts } of report.variants.filter((one) => one !== thanked)) {
    assert.ok(
      others.every(({ difference }) => difference === 0),
      name,
    );
    assert.ok(
      verdicts.every(({ before, after: then }) => before === then),
      name,
    );
  }

  const asked = model.requests.length;
  const [again, text] = [await askHere<AuditReport>(audit, variables), await runHere(audit, variables)];
  assert.deepEqual(again, report);
  assert.equal(model.requests.length, asked, 'what was run is not run again');
  assert.match(text.stdout, /h1 changes from supported to not supported with wording thanked/);
});

test('the form of a persona is tried as prose, a list and JSON, and the agents of prompts are told so', async (context) => {
  const { model, variables: there, onRequest } = await reading;
  model.reset();
  onRequest();
  const goal = 'Read the book. Be kind.';
  const study = await writeStudy(context, {
    turns: 1,
    seeds: [7],
    variables: { mood: { levels: { calm: {}, glad: { set: { '/entities/0/state': 'smiling over a closed book' } } } } },
    hypotheses: [],
    audit: { wording: { hurried: { replace: { './act.system.md': './urgent.system.md' } } } },
  });
  const scenario = JSON.parse(await readFile(join(study.root, 'simple/scenario.json'), 'utf8')) as {
    readonly entities: readonly { readonly id: string }[];
  };
  const entities = scenario.entities.map((entity) => (entity.id === 'bob' ? { ...entity, goal } : entity));
  await study.write('scenario.json', JSON.stringify({ ...scenario, entities }));
  const variables = { ...there, ...(await emptyDatabase(context)) };
  const report = await askHere<AuditReport>(onStudy(study, 'audit', '--only', 'persona,wording'), variables);
  const names = report.variants.map(({ perturbation, name }) => `${perturbation} ${name}`);
  assert.deepEqual(names.slice(0, 3), ['persona list', 'persona json', 'wording hurried']);
  const prompts = model.requests.map(({ body }) => JSON.stringify(body));
  for (const written of [goal, '- Read the book.', 'Hurry: there is little time'])
    assert.ok(
      prompts.some((prompt) => prompt.includes(written)),
      written,
    );
});

test('an export holds every run, a table, a card and checksums, and is the same whenever it is made', async (context) => {
  const { model, variables: there, onRequest } = await reading;
  model.reset();
  onRequest();
  const study = await writeStudy(context, { question: 'Does a \u202etnih\u202c make Bob read more &lt; or not?' });
  const variables = { ...there, ...(await emptyDatabase(context)) };
  await askHere<StudyReport>(onStudy(study, 'run'), variables);
  const folder = await makeFolder(context);
  const files: string[][] = [];
  for (const name of ['one', 'two']) {
    const to = join(folder, name);
    assert.equal((await runHere(['study', 'export', 'reading', '--out', to], variables)).code, 0);
    const listed = (await readdir(to)).toSorted();
    files.push(await Promise.all(listed.map(async (file) => `${file}\n${await readFile(join(to, file), 'utf8')}`)));
    const checksums = await readFile(join(to, 'checksums.sha256'), 'utf8');
    const others = listed.filter((file) => file !== 'checksums.sha256');
    const wanted = await Promise.all(
      others.map(
        async (file) =>
          `${createHash('sha256')
            .update(await readFile(join(to, file)))
            .digest('hex')}  ${file}`,
      ),
    );
    assert.deepEqual(checksums.trimEnd().split('\n'), wanted);
  }
  assert.deepEqual(files[0], files[1]);
  const read = (file: string): Promise<string> => readFile(join(folder, 'one', file), 'utf8');
  const rows = (await read('observations.csv')).trimEnd().split('\r\n');
  assert.equal(rows.length, 1 + 8);
  assert.equal(rows[0], 'condition,hint,mood,seed,measure,value,state,failure_class,world_slug');
  assert.ok(rows.includes('urgent_calm,urgent,calm,2,page,6,done,,reading-urgent_calm-s2'), rows.join('\n'));
  const manifest = (await read('manifest.jsonl')).trimEnd().split('\n');
  const roles = manifest.map((line) => (JSON.parse(line) as { readonly role: string }).role);
  assert.deepEqual([roles.filter((role) => role === 'run').length, roles.length], [8, 12]);
  const card = await read('card.md');
  assert.match(card, /A hint makes Bob read more\. not supported with 2 seeds: .*All 2 differences are equal/);
  assert.ok(
    card.includes('Does a \\\\u202etnih\\\\u202c make Bob read more \\&lt; or not?'),
    'nothing in it is unseen',
  );
  const taken = await runHere(['study', 'export', 'reading', '--out', join(folder, 'one')], variables);
  assert.match(taken.stderr, /FILE_EXISTS/);
});
