import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { UsesOfComponent } from '../../engine/operations/authoring/components.js';
import type { PutDocument } from '../../engine/operations/documents/index.js';
import type { StoredComponent } from '../../engine/ports/components.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { askHere, runHere } from './command.js';

const PROGRAM = join(ROOT, 'dist/engine/chukwa.js');

interface Listed {
  readonly count: number;
  readonly components: readonly StoredComponent[];
}

test('the output of get hashes with sha256sum to the hash that it was asked for, for every kind', async (context) => {
  const variables = await emptyDatabase(context);
  const { stored } = await askHere<{ readonly stored: readonly PutDocument[] }>(
    ['put', 'workflows/park/scenario.json'],
    variables,
  );
  const ofEachKind = new Map(stored.map((document) => [document.kind, document]));
  assert.equal(ofEachKind.size, 7);
  for (const { kind, hash } of ofEachKind.values()) {
    const line = `"${process.execPath}" "${PROGRAM}" get ${kind} ${hash.slice(0, 12)} | sha256sum`;
    const env = { PATH: process.env['PATH'] ?? '', ...variables };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: ROOT, env });
    assert.equal(stdout, `${hash}  -\n`, kind);
  }
});

test('documents that put stores are shown by list, and uses leads from each to the next in both directions', async (context) => {
  const variables = await emptyDatabase(context);
  await askHere(['put', 'workflows/park/scenario.json'], variables);
  const [scenario] = (await askHere<Listed>(['list', 'scenario'], variables)).components;
  assert.equal(scenario?.label, 'park');
  const down = await askHere<UsesOfComponent>(['uses', 'scenario', scenario.hash], variables);
  assert.deepEqual(
    down.refers_to.map(({ label }) => label),
    ['park-ant', 'park-bob'],
  );
  for (const profile of down.refers_to) {
    const up = await askHere<UsesOfComponent>(['uses', profile.kind, profile.hash.slice(0, 8)], variables);
    assert.deepEqual(
      up.used_by.map(({ hash }) => hash),
      [scenario.hash],
    );
  }
  const counted = await askHere<{ readonly counts: readonly { kind: string; count: number }[] }>(['list'], variables);
  assert.equal(counted.counts.find(({ kind }) => kind === 'cognition_profile')?.count, 2);
  const unknown = await runHere(['get', 'scenario', '0'.repeat(8)], variables);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /UNKNOWN_SCENARIO/);
});
