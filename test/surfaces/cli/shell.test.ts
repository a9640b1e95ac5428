import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { advice, command, verbatim } from '../../../engine/surfaces/cli/render/line.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { toProgramName, toShell } from '../../../engine/surfaces/cli/shell.js';

const WORDS: readonly (readonly [word: string, quoted: string])[] = [
  ['lighthouse/answers.json', 'lighthouse/answers.json'],
  ['--model=gpt-4.1:x@2', '--model=gpt-4.1:x@2'],
  ['', "''"],
  ['my answers.json', "'my answers.json'"],
  ["ada's", "'ada'\\''s'"],
  ['$(id)', "'$(id)'"],
  ['~', "'~'"],
  ['*', "'*'"],
  ['a\nb', "$'a\\012b'"],
  ["ada's\u00a0answers 1", "$'ada\\047s\\302\\240answers 1'"],
];

for (const [word, quoted] of WORDS)
  test(`a shell is given ${JSON.stringify(word)} as ${quoted}`, () => {
    assert.equal(toShell([word]), quoted);
    const { stdout } = spawnSync('bash', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' });
    assert.equal(stdout, word);
  });

const BIN = '/usr/local/bin/chukwa';
const FILE = '/opt/chukwa/dist/engine/chukwa.js';

const STARTED: readonly (readonly [how: string, file: string, variables: NodeJS.ProcessEnv, shown: string])[] = [
  ['by npx', FILE, { npm_command: 'exec', PATH: '/usr/bin' }, 'npx chukwa'],
  ['by a script of npm', FILE, { npm_command: 'run-script' }, 'npx chukwa'],
  ['by its name', BIN, { PATH: '/usr/bin:/usr/local/bin' }, 'chukwa'],
  ['by its file', FILE, { PATH: '/usr/bin' }, `node ${FILE}`],
  ['by a file of the working folder', '/srv/here/dist/chukwa.js', {}, 'node dist/chukwa.js'],
  ['by a program of the working folder', '/srv/here/chukwa', {}, './chukwa'],
  ['by a file of a folder that looks like an option', '/srv/here/-x/chukwa.js', {}, 'node ./-x/chukwa.js'],
  ['by a program of a folder that looks like a variable', '/srv/here/x=y/chukwa', {}, './x=y/chukwa'],
  ['by a name with a space', '/usr/local/bin/my chukwa', { PATH: '/usr/local/bin' }, "'my chukwa'"],
  ['by a file with a space', '/my files/chukwa.js', {}, "node '/my files/chukwa.js'"],
  ['by a link of another folder', '/other/node_modules/.bin/chukwa', {}, '/other/node_modules/.bin/chukwa'],
];

for (const [how, file, env, shown] of STARTED)
  test(`a program that was started ${how} is called so in what it suggests`, () => {
    const program = toProgramName({ argv: ['/usr/bin/node', file], env, cwd: () => '/srv/here' });
    assert.equal(program, shown);
    const lines = [
      verbatim('Next: ', command('run', 'two words')),
      verbatim(...advice({ text: 'See chukwa world list.' })),
    ];
    const text = paint(lines, { width: 80, has_colours: false, program });
    assert.equal(text, `Next: ${shown} run 'two words'\nSee ${shown} world list.\n`);
  });
