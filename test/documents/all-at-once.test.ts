import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { compose } from '../../engine/main.js';
import { checkPaths } from '../../engine/operations/authoring/author.js';
import { folderOf, PACKAGE_ROOT } from './document-parts.js';

const sound = join(PACKAGE_ROOT, 'fixtures/invalid/sound');
const texts = new Map(
  await Promise.all(
    (await readdir(sound)).map(async (name) => [name, await readFile(join(sound, name), 'utf8')] as const),
  ),
);
const TEST = JSON.stringify({
  version: 1,
  label: 'sound',
  scenario_ref: { path: './scenario.json' },
  expect: { world: { entities: { bob: { state: 'content' } } } },
});
const authoring = await (await compose({})).openAuthoring();

/** A text in a file, and its replacement. */
type Change = readonly [file: string, written: string, instead: string];

/** Breaks sound documents in several places at once; every fault must be found, and no mere consequence of one. */
function check(sentence: string, changes: readonly Change[], findings: readonly string[]): void {
  test(sentence, async (t) => {
    const broken = new Map([...texts, ['sound.test.json', TEST]]);
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
  'eight mistakes in four documents are found at once',
  [
    ['scenario.json', '"chronon_seconds"', '"chronon_second"'],
    UNKNOWN_SUBJECTS,
    ['workflow.json', '"max_generation_attempts": 2', '"max_generation_attempts": "2"'],
    MISSPELT_PATH,
    ['policy.json', '"version": 1,', ''],
    ['policy.json', '"require_approval": []', '"require_approval": ["pres"]'],
    ['sound.test.json', '"label"', '"labell"'],
    ['sound.test.json', '"bob"', '"bop"'],
  ],
  [
    'policy.json MISSING_FIELD at ""',
    'policy.json APPROVAL_NAMES_NOTHING at "/require_approval/0"',
    'scenario.json UNKNOWN_FIELD at "/chronon_second"',
    ...SUBJECTS,
    'sound.test.json UNKNOWN_FIELD at "/labell"',
    'sound.test.json TEST_NAMES_NOTHING at "/expect/world/entities/bop"',
    'workflow.json WRONG_TYPE at "/nodes/0/max_generation_attempts"',
    PATH_NEVER_THERE,
  ],
);
check(
  'a misspelt id says nothing of the places that name it',
  [
    ['scenario.json', '"id"', '"idd"'],
    ['workflow.json', '"allow": "all"', '"alow": "all"'],
  ],
  [
    'scenario.json UNKNOWN_FIELD at "/entities/0/idd"',
    'workflow.json UNKNOWN_FIELD at "/ambient_sources/0/redaction/alow"',
  ],
);
check(
  'a value of a wrong type says nothing of what is made of it',
  [
    ['scenario.json', '"id": "bob"', '"id": 7'],
    ['workflow.json', '"inject_as": "/ambient/weather"', '"inject_as": 7'],
    ['policy.json', '"allow": [', '"allow": 7, "allowed": ['],
  ],
  [
    'policy.json WRONG_TYPE at "/allow"',
    'policy.json UNKNOWN_FIELD at "/allowed"',
    'scenario.json WRONG_TYPE at "/entities/0/id"',
    'workflow.json WRONG_TYPE at "/ambient_sources/0/inject_as"',
  ],
);
check(
  'a workflow without its policy is not told that the policy denies',
  [
    ['policy.json', '{', '{{'],
    ['workflow.json', '"effect": "read_only"', '"effect": "state_change"'],
  ],
  ['policy.json INVALID_JSON at ""'],
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
