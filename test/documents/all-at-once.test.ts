import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { compose } from '../../engine/main.js';
import { checkPaths } from '../../engine/operations/author.js';
import { folderOf, PACKAGE_ROOT } from './document-parts.js';

const sound = join(PACKAGE_ROOT, 'fixtures/invalid/sound');
const texts = new Map(
  await Promise.all(
    (await readdir(sound)).map(async (name) => [name, await readFile(join(sound, name), 'utf8')] as const),
  ),
);
const authoring = await (await compose({})).openAuthoring();

/** A text in a file, and its replacement. */
type Change = readonly [file: string, written: string, instead: string];

/** Breaks sound documents in several places at once; every fault must be found, and no mere consequence of one. */
function check(sentence: string, changes: readonly Change[], findings: readonly string[]): void {
  test(sentence, async (t) => {
    const broken = new Map(texts);
    for (const [file, written, instead] of changes) {
      assert.ok(broken.get(file)?.includes(written), `${file} lacks ${written}`);
      broken.set(file, (broken.get(file) ?? '').replace(written, instead));
    }
    const folder = await folderOf(t, Object.fromEntries(broken));
    const found = await checkPaths(authoring, { place: { working_folder: folder }, paths: ['.'] });
    assert.deepEqual(
      found.findings.map(({ file, code, pointer }) => `${file} ${code} at ${JSON.stringify(pointer)}`),
      findings,
    );
  });
}

const MISSPELT_PATH: Change = ['workflow.json', 'choose.output.topic', 'choose.output.topik'];
const PATH_NEVER_THERE = 'workflow.json PATH_NEVER_THERE at "/nodes/2/prompt_template/messages/0/content"';
const UNKNOWN_SUBJECTS: Change = ['scenario.json', '"bob"\n      ]', '"bob", "Bob", "bib"\n      ]'];
const SUBJECTS = [
  'scenario.json ENTITY_ID_NOT_CANONICAL at "/cognition/0/subjects/1"',
  'scenario.json ENTITY_UNKNOWN at "/cognition/0/subjects/2"',
];

check(
  'a policy without a version hides no fault of its scenario, and none of the workflow',
  [['policy.json', '"version": 1,', ''], UNKNOWN_SUBJECTS, MISSPELT_PATH],
  ['policy.json MISSING_FIELD at ""', ...SUBJECTS, PATH_NEVER_THERE],
);
check(
  'a misspelt field of a profile hides no path that is never there',
  [['profile.json', '"tool_policy_ref"', '"tool_polcy_ref"'], MISSPELT_PATH],
  ['profile.json UNKNOWN_FIELD at "/tool_polcy_ref"', PATH_NEVER_THERE],
);
check(
  'a source of an unknown plugin hides no path that is never there',
  [['model.json', '"llm_chat"', '"llm_chit"'], MISSPELT_PATH],
  ['model.json PLUGIN_UNKNOWN at "/interface/name"', PATH_NEVER_THERE],
);
check(
  'a profile that cannot be parsed hides no fault of the scenario',
  [['profile.json', '{', '{{'], UNKNOWN_SUBJECTS],
  ['profile.json INVALID_JSON at ""', ...SUBJECTS],
);
check(
  'a schema that is none says nothing of the paths below it',
  [['choice.json', '"object"', '"objekt"'], UNKNOWN_SUBJECTS],
  ['choice.json NO_ALTERNATIVE at "/type"', ...SUBJECTS],
);
check(
  'a workflow without its policy is not told that the policy denies',
  [
    ['policy.json', '"version": 1,', ''],
    ['workflow.json', '"effect": "read_only"', '"effect": "state_change"'],
  ],
  ['policy.json MISSING_FIELD at ""'],
);

test('a workflow that no scenario uses is noted, because its paths were not checked', async (t) => {
  const [file, written, instead] = MISSPELT_PATH;
  const alone = [...texts].filter(([name]) => name !== 'scenario.json');
  const folder = await folderOf(t, {
    ...Object.fromEntries(alone),
    [file]: (texts.get(file) ?? '').replace(written, instead),
  });
  const found = await checkPaths(authoring, { place: { working_folder: folder }, paths: ['.'] });
  assert.deepEqual(
    found.findings.map(({ file, code, severity }) => `${file} ${code} ${severity}`),
    ['workflow.json WORKFLOW_UNREAD note'],
  );
  assert.equal(found.ok, true);
});
