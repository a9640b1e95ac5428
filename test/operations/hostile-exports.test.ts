import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { EXPORT_FILES, verifyExport } from '../../engine/operations/ledger/export-ledger.js';

const makers: Readonly<Record<string, (file: string) => void>> = {
  'is no regular file': (file) => assert.equal(spawnSync('mkfifo', [file]).status, 0),
  'is a folder': (file) => mkdirSync(file),
  'is missing, or cannot be read': () => {},
  'is larger than 500 MiB': (file) => {
    writeFileSync(file, '');
    truncateSync(file, 600 * 1_048_576);
  },
};

for (const [found, make] of Object.entries(makers))
  test(`an export whose file ${found} is refused at once, with the name of the file`, {
    timeout: 20_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'chukwa-export-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [name, file] of Object.entries(EXPORT_FILES)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      if (name === 'HO1') make(join(folder, file));
      else writeFileSync(join(folder, file), '');
    }
    const checked = await verifyExport(folder, 'park-ledger');
    assert.ok(!checked.ok);
    const [problem] = checked.problems;
    assert.equal(problem?.code, 'NOT_AN_EXPORT');
    assert.equal(problem.message, `park-ledger is no export of a ledger: ${EXPORT_FILES.HO1} ${found}.`);
  });
