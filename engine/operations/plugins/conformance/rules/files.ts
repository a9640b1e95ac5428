import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFailureClass } from '../../../../contract/failure-class.js';
import { askThrough, withSession } from '../ask.js';
import { describeOutcome } from '../describe.js';
import { withFolder } from '../folders.js';
import { judge, type Rule, type Scene, skip } from '../rule.js';

interface Misplaced {
  readonly is: string;
  readonly change: (file: string) => Promise<unknown>;
  readonly failure_class: SourceFailureClass;
}

const RESULT_BYTES = 2_048;

const MISPLACED: readonly Misplaced[] = [
  { is: 'is not there', change: (file) => rm(file), failure_class: 'tool_error' },
  { is: 'is no JSON', change: (file) => writeFile(file, '<p>'), failure_class: 'non_json' },
  { is: 'is empty', change: (file) => writeFile(file, ''), failure_class: 'non_json' },
  { is: 'names a member twice', change: (file) => writeFile(file, '{"a":1,"a":2}'), failure_class: 'non_json' },
  {
    is: `has more than ${RESULT_BYTES} bytes`,
    change: (file) => writeFile(file, JSON.stringify('x'.repeat(RESULT_BYTES))),
    failure_class: 'result_too_large',
  },
  {
    is: 'is a link',
    change: async (file) => {
      await rename(file, `${file}.elsewhere`);
      await symlink(`${file}.elsewhere`, file);
    },
    failure_class: 'schema_invalid',
  },
  {
    is: 'is a folder',
    change: async (file) => {
      await rm(file);
      await mkdir(file);
    },
    failure_class: 'schema_invalid',
  },
];

/** Files that are not what they should be, made from the model example. */
export const files: Rule = {
  rule: 'files',
  sentence: 'Whatever stands in the place of a file becomes a failure of the right class',
  needs: ['answers'],
  check: async (scene) => {
    if (!scene.bench.manifest.folder) return skip('it reads no files');
    const complaints: string[] = [];
    for (const misplaced of MISPLACED) complaints.push(...(await meet(scene, misplaced)));
    return judge(
      complaints,
      'Let what files.read throws through, and throw non_json where parseJson refuses the text.',
    );
  },
};

async function meet({ bench, model }: Scene, { is, change, failure_class }: Misplaced): Promise<readonly string[]> {
  return withFolder(bench.manifest, model, async (variables, folder) => {
    for (const path of Object.keys(model.files ?? {})) await change(join(folder, path));
    return withSession(bench, variables, async (session) => {
      const outcome = await askThrough(bench, session, model, { max_result_bytes: RESULT_BYTES });
      if (outcome.status === 'failed' && outcome.failure_class === failure_class) return [];
      return [`a file that ${is} should be told as ${failure_class}, and ${describeOutcome(outcome)}`];
    });
  });
}
