import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Composition } from '../../../engine/operations/composition.js';
import { reportUncaught, runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { openTestTerminal } from './test-terminal.js';

function unused(): never {
  throw new Error('a wrong command line reached the engine');
}

/** Nothing may be opened for a command line that cannot be understood. */
const UNTOUCHED: Composition = {
  version: '1.2.3',
  package_root: process.cwd(),
  withoutSecrets: (text) => text,
  openAuthoring: unused,
  withSources: unused,
  openWorkshop: unused,
  openArchive: unused,
  openConnections: unused,
  openEngine: unused,
  openDryEngine: unused,
  startToys: unused,
  startScriptedModel: unused,
  startPerson: unused,
  loadTokens: unused,
  openSigner: unused,
  has_anchor: false,
  exportPages: unused,
  serveParent: unused,
  forwardParent: unused,
  listen: unused,
  tryPlace: unused,
  servePlace: unused,
  findServed: unused,
  announceServed: unused,
  diagnose: unused,
};

const WRONG: readonly (readonly [words: readonly string[], said: RegExp])[] = [
  [['prak'], /^error: unknown command 'prak'\n {2}what to do: Did you mean park\?/],
  [['park', '--trns', '2'], /^error: unknown option '--trns'\n {2}what to do: Did you mean --turns\?/],
  [['park', '--turns', '0'], /Write a whole number from 1 to 10000\.\n {2}what to do: /],
  [['park', '--turns', '1.5'], /Write a whole number/],
  [['park', '--scenario', 'sea'], /Allowed choices are park, village,\s+town,\s+bills/],
  [['park', '--llm', 'best'], /Allowed choices are scripted, env/],
  [
    ['park', '--llm', 'env', '--script', 'park'],
    /^error: --script is for the scripted model.*\n {2}what to do: Leave one/,
  ],
  [['park', '--model', 'tiny'], /^error: --model names a model of the environment.*\n {2}what to do: Add --llm env/],
  [['run', 'w', '--dry', '--answers', 'a', '--model', 'tiny'], /Leave --llm, --script, --model and --toys out/],
  [['park', 'now'], /too many arguments/],
  [['run'], /missing required argument 'slug'/],
  [['run', 'w', '--llm', 'scripted'], /^error: The scripted model needs a script\.\n {2}what to do: Add --script FILE/],
  [['worker', '--concurrency', '0'], /from 1 to 1000\.\n {2}what to do: See npx chukwa worker --help\./],
  [['world', 'create', 'w'], /required option '--scenario.*See npx chukwa world create --help\./s],
  [['world', 'create', 'w'], /required option '--scenario/],
  [['world', 'shw', 'w'], /unknown command 'shw'\n {2}what to do: Did you mean world show\?/],
  [['wrld', 'list'], /^error: unknown command 'wrld'\n {2}what to do: Did you mean world\?/],
  [['create', 'w'], /unknown command 'create'\n {2}what to do: Did you mean world create\?/],
  [
    ['plugin', 'create', 'w'],
    /'create'\n {2}what to do: There are: plugin list, plugin new, plugin trust, plugin test\. See /,
  ],
  [['plugin', 'lsit'], /'lsit'\n {2}what to do: Did you mean plugin list\? See npx chukwa plugin --help\./],
  [['world', 'new', 'w'], /unknown command 'new'\n {2}what to do: There are: new world, world create, world list, /],
  [['zeppelin'], /unknown command 'zeppelin'\n {2}what to do: See chukwa --help\./],
  [['toys', '--port-base', '70000'], /Write a whole number from 1 to 65500\./],
  [['world', 'show', 'w', '--turn', '-1'], /Write a whole number, 0 or more\./],
  [['world', 'diff', 'w'], /missing required argument 'b'/],
  [['world', 'diff', 'w', '1', 'last'], /Write a whole number, 0 or more\./],
  [['world', 'fork', 'w', '--as', 'v'], /required option '--at/],
  [['world', 'fork', 'w', '--at', '1'], /required option '--as/],
  [
    ['get', 'scenarios', '0'.repeat(64)],
    /^error: There is no kind of document "scenarios"\.\n {2}what to do: Did you mean scenario\? Kinds: json_schema, prompt_text, response_source,/,
  ],
  [['list', 'thing'], /^error: There is no kind of document "thing"\.\n {2}what to do: Kinds: json_schema,/],
  [['uses', 'thing', '0'.repeat(8)], /^error: There is no kind of document "thing"\./],
  [['get', 'scenario'], /missing required argument 'hash'/],
  [['attempt'], /missing required argument 'id'/],
  [['validate'], /missing required argument 'path'/],
  [['validate', ''], /This path is empty\. Write a dot for[^]*what to do: /],
  [['validate', 'a.json', ''], /This path is empty/],
  [['put', ''], /This path is empty/],
  [['put', 'a', '--root', ''], /This path is empty/],
  [['test', ''], /This path is empty/],
  [['world', 'create', 'w', '--scenario', ''], /This path is empty/],
  [['plugin', 'test', ''], /This path is empty/],
  [['plugin', 'new', 'tides', '--into', ''], /This path is empty/],
];

for (const [words, said] of WRONG) {
  test(`wrong usage ends with 2 and says what to do: chukwa ${words.join(' ')}`, async () => {
    const terminal = openTestTerminal();
    assert.equal(await runCommandLine(UNTOUCHED, words, terminal), 2);
    assert.match(terminal.error_text(), said);
    assert.equal(terminal.out_text(), '');
  });
}

test('with --json wrong usage is one JSON document as well', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, ['prak', '--json'], terminal), 2);
  assert.deepEqual(JSON.parse(terminal.out_text()), {
    ok: false,
    problems: [{ code: 'USAGE', message: "unknown command 'prak'", repair: 'Did you mean park? See chukwa --help.' }],
  });
});

test('help lists every command with a sentence, those of a group too', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, ['--help'], terminal), 0);
  const commands = [
    'park',
    'validate PATH...',
    'put PATH...',
    'get KIND HASH',
    'list [KIND]',
    'uses KIND HASH',
    'world create SLUG',
    'world list',
    'world show SLUG',
    'world diff A B [C]',
    'world fork SLUG',
    'run SLUG',
  ];
  const others = ['attempts SLUG', 'attempt ID', 'invocation ID', 'llm-call ID', 'toys', 'migrate', 'doctor [SLUG]'];
  for (const command of [...commands, ...others]) {
    const row = terminal
      .out_text()
      .split('\n')
      .find((text) => text.startsWith(`  ${command}  `));
    assert.match(row ?? '', /[A-Z][a-z ]+/, `${command} has no sentence`);
  }
  assert.equal(terminal.error_text(), '');
});

for (const [words, said] of [
  [['help'], /^Usage: chukwa /],
  [['help', 'run'], /^Usage: chukwa run /],
  [['help', 'world'], /world create SLUG/],
  [['help', 'policy', 'explain'], /^Usage: chukwa policy explain /],
  [['help', 'connections', 'add'], /^Usage: chukwa connections add [^]*--replace/],
  [['help', 'attempt', 'settle', '--json'], /^Usage: chukwa attempt settle /],
  [['help', 'world', 'show', 'park'], /^Usage: chukwa world show /],
  [['help', 'report'], /file\s+that\s+holds\s+it\s+\(write\s+\.\/\[1\]\.json/],
] as const) {
  test(`help is had by asking for it: chukwa ${words.join(' ')}`, async () => {
    const terminal = openTestTerminal();
    assert.equal(await runCommandLine(UNTOUCHED, words, terminal), 0, terminal.error_text());
    assert.match(terminal.out_text(), said);
    assert.equal(terminal.error_text(), '');
  });
}

test('help of what is no command is wrong usage', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, ['help', 'prak'], terminal), 2);
  assert.match(terminal.error_text(), /unknown command 'prak'\n {2}what to do: Did you mean park\?/);
  const inGroup = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, ['help', 'world', 'shw'], inGroup), 2);
  assert.match(inGroup.error_text(), /unknown command 'shw'\n {2}what to do: Did you mean world show\?/);
});

test('without a command the help goes to standard error, as wrong usage', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, [], terminal), 2);
  assert.match(terminal.error_text(), /^Usage: chukwa/);
  assert.equal(terminal.out_text(), '');
});

test("the version is the package's", async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(UNTOUCHED, ['--version'], terminal), 0);
  assert.equal(terminal.out_text(), '1.2.3\n');
});

const BROKEN: Composition = {
  ...UNTOUCHED,
  openArchive: () => Promise.reject(new Error('the line is \u001b[2Jcut')),
};

test('an unexpected error ends with 4 and shows no stack', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(BROKEN, ['world', 'list'], terminal), 4);
  assert.match(terminal.error_text(), /^error: the line is \\u\{1b\}\[2Jcut\n {2}what to do: /);
  assert.doesNotMatch(terminal.error_text(), /at .*usage\.test/);
});

test('--verbose shows where it came from', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(BROKEN, ['world', 'list', '--verbose'], terminal), 4);
  assert.match(terminal.error_text(), /at .*usage\.test/);
});

test("an environment that is at fault ends with 4 and the problem's own repair", async () => {
  const problems = [{ code: 'DATABASE_UNREACHABLE' as const, message: 'Nobody answers.', repair: 'Start it.' }];
  const composition: Composition = {
    ...UNTOUCHED,
    openArchive: async () => ({ ok: false, because: 'environment', problems }),
  };
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(composition, ['world', 'list', '--json'], terminal), 4);
  assert.match(terminal.error_text(), /^error: Nobody answers\.\n {2}what to do: Start it\.\n/);
  assert.deepEqual(JSON.parse(terminal.out_text()), { ok: false, problems });
});

test('doctor ends with 4 where something is broken, and not where something is merely missing', async () => {
  const missing = { subject: 'model', state: 'missing', message: 'none', repair: 'Set one.' } as const;
  const broken = { subject: 'database', state: 'broken', message: 'locked' } as const;
  const examine = async (diagnoses: Awaited<ReturnType<Composition['diagnose']>>) => {
    const terminal = openTestTerminal();
    const code = await runCommandLine({ ...UNTOUCHED, diagnose: async () => diagnoses }, ['doctor'], terminal);
    return { code, text: terminal.out_text() };
  };
  assert.deepEqual(await examine([missing]), {
    code: 0,
    text: 'missing  model  none\n                what to do: Set one.\n',
  });
  assert.equal((await examine([missing, broken])).code, 4);
});

test('an uncaught exception ends with 4, and is shown only with --verbose', () => {
  const thrown = new Error('the key is 12345');
  const report = (words: readonly string[]) => {
    const terminal = openTestTerminal();
    assert.equal(
      reportUncaught(terminal, thrown, words, (text) => text.replace('12345', '[secret]')),
      4,
    );
    return terminal.error_text().replaceAll(/\s+/g, ' ');
  };
  assert.match(
    report(['worker']),
    /^error: A plugin or this program threw an error outside of every call.* what to do: .*--verbose/,
  );
  assert.doesNotMatch(report(['worker']), /12345/);
  assert.match(report(['worker', '--verbose']), /the key is \[secret\] at .*usage\.test/);
});
