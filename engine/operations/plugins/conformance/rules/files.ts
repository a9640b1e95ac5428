import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFailureClass } from '../../../../contract/failure-class.js';
import { askThrough, withSession } from '../ask.js';
import { describeOutcome } from '../describe.js';
import { withFolder } from '../folders.js';
import { complainOf, type Rule, type Scene } from '../rule.js';

/** A misplaced file: its description, how it is made, and the expected failure. */
type Misplaced = readonly [is: string, change: (file: string) => Promise<unknown>, failure_class: SourceFailureClass];

const RESULT_BYTES = 2_048;

const MISPLACED: readonly Misplaced[] = [
  ['is not there', (file) => rm(file), 'tool_error'],
  ['is no JSON', (file) => writeFile(file, '<p>'), 'non_json'],
  ['is empty', (file) => writeFile(file, ''), 'non_json'],
  ['names a member twice', (file) => writeFile(file, '{"a":1,"a":2}'), 'non_json'],
  [
    `has more than ${RESULT_BYTES} bytes`,
    (file) => writeFile(file, JSON.stringify('x'.repeat(RESULT_BYTES))),
    'result_too_large',
  ],
  [
    'is a link',
    (file) => rename(file, `${file}.elsewhere`).then(() => symlink(`${file}.elsewhere`, file)),
    'schema_invalid',
  ],
  ['is a folder', (file) => rm(file).then(() => mkdir(file)), 'schema_invalid'],
];

/** Unusable files, made from the model example. */
export const files: Rule = {
  rule: 'files',
  sentence: 'Anything else in the place of a file becomes a failure of the right class',
  needs: ['answers'],
  repair: 'Let what files.read throws through, and throw non_json where parseJson refuses the text.',
  skips: ({ bench }) => (bench.manifest.folder ? undefined : 'it reads no files'),
  check: (scene) => complainOf(MISPLACED, (misplaced) => meet(scene, misplaced)),
};

async function meet({ bench, model }: Scene, [is, change, failure_class]: Misplaced): Promise<readonly string[]> {
  return withFolder(bench.manifest, model, async (variables, folder) => {
    for (const path of Object.keys(model.files ?? {})) await change(join(folder, path));
    return withSession(bench, variables, async (session) => {
      const outcome = await askThrough(bench, session, model, { max_result_bytes: RESULT_BYTES });
      if (outcome.status === 'failed' && outcome.failure_class === failure_class) return [];
      return [`a file that ${is} should be reported as ${failure_class}, and ${describeOutcome(outcome)}`];
    });
  });
}
