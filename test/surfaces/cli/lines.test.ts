import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import type { Json } from '../../../engine/contract/json.js';
import { addCommands } from '../../../engine/surfaces/cli/commands/index.js';
import { toArguments, toPhrase } from '../../../engine/catalogue/phrase.js';
import {
  advice,
  command,
  commandLines,
  hanging,
  type Line,
  strong,
  textOf,
  verbatim,
} from '../../../engine/surfaces/cli/render/line.js';
import { paint, wrap } from '../../../engine/surfaces/cli/render/paint.js';
import { queueLines } from '../../../engine/surfaces/cli/render/queue.js';
import { tableLines } from '../../../engine/surfaces/cli/render/table.js';
import { toDuration, toMoment } from '../../../engine/catalogue/words.js';
import { printEvent } from '../../../engine/surfaces/cli/session.js';
import { openTestTerminal } from './test-terminal.js';

const WRAPPED: readonly (readonly [name: string, line: Line, rows: readonly string[]])[] = [
  ['a short line stays', hanging(4, '  one two'), ['  one two']],
  [
    'a long line is broken between words',
    hanging(4, '  one two three four five'),
    ['  one two three', '    four five'],
  ],
  ['tones do not glue words', hanging(2, strong('one two'), ' three four five'), ['one two three', '  four five']],
  [
    'a word longer than the line is not broken',
    hanging(2, 'one 0123456789012345678901234 b'),
    ['one', '  0123456789012345678901234', '  b'],
  ],
  ['spaces at the end are dropped', hanging(2, 'one '), ['one']],
  ['what must not be broken is not', verbatim('one two three four five six'), ['one two three four five six']],
  ['a no-break space keeps words together', hanging(2, 'one two three 31\u00a0ms'), ['one two three', '  31\u00a0ms']],
];

for (const [name, long, rows] of WRAPPED) {
  test(`lines are broken where they must be: ${name}`, () => {
    assert.deepEqual(wrap(long, 15).map(textOf), rows);
  });
}

const ADVICE: readonly (readonly [name: string, text: string, rows: readonly string[]])[] = [
  [
    'a quoted value of an option is not broken',
    "Then: chukwa run a --script 'my good answers.json' --model m. Go on.",
    ["Then: npx chukwa run a --script 'my good answers.json' --model m.", '  Go on.'],
  ],
  [
    'nor is one with an apostrophe, of a command of two words',
    "Then: chukwa world create a --scenario 'ada'\\''s own world.json' for all.",
    ["Then: npx chukwa world create a --scenario 'ada'\\''s own world.json'", '  for all.'],
  ],
  ['nor is a quoted file', "See chukwa put 'my own file.json'", ["See npx chukwa put 'my own file.json'"]],
  ['the program itself is no command', 'Of chukwa that made it.', ['Of chukwa that made', '  it.']],
  ['a name that begins like a command is none', 'Of chukwa runs.', ['Of chukwa runs.']],
  ['what calls the program is not repeated', 'Do: npx chukwa run x', ['Do: npx chukwa run x']],
  [
    "a service's own words are left as they are",
    'See chukwa doctor; it said: chukwa list is down',
    ['See npx chukwa doctor;', '  it said: chukwa', '  list is down'],
  ],
];

for (const [name, text, rows] of ADVICE) {
  test(`a sentence names commands as they are called: ${name}`, () => {
    const painted = paint([hanging(2, ...advice({ text }))], { width: 20, has_colours: false, program: 'npx chukwa' });
    assert.deepEqual(painted.trimEnd().split('\n'), rows);
  });
}

test('a text that looks like endless quoting is read in linear time', { timeout: 5000 }, () => {
  const text = `chukwa run ${"\\'".repeat(2000)}`;
  assert.equal(advice({ text })[1]?.text.length, text.length - 'chukwa '.length);
});

test('a sentence may name every command of the program', () => {
  const program = new Command();
  addCommands(program, async () => {});
  assert.ok(program.commands.length > 20);
  for (const each of program.commands)
    assert.equal(advice({ text: `See chukwa ${each.name()}.` }).length, 2, each.name());
});

const PHRASES: readonly (readonly [value: Json, phrase: string])[] = [
  [{ temperature_f: 64, condition: 'windy' }, 'temperature_f 64 · condition windy'],
  [{ message: 'Cold and wet.' }, 'message "Cold and wet."'],
  [{ announcements: [] }, 'announcements nothing'],
  [{ announcements: ['The park closes.', 'Soon.'] }, 'announcements "The park closes.", Soon.'],
  [{ messages: [{ from: 'Alice', kind: 'text' }] }, 'messages (from Alice · kind text)'],
  [{ a: { b: null, c: true } }, 'a (b null · c true)'],
  [{ number: '64', truth: 'true' }, 'number "64" · truth "true"'],
  [{}, 'nothing'],
  [[], 'nothing'],
  ['two words', '"two words"'],
];

for (const [value, phrase] of PHRASES) {
  test(`JSON of any shape is shown in a few words: ${phrase}`, () => {
    assert.equal(toPhrase(value), phrase);
  });
}

test('long JSON is cut, and says how much is missing', () => {
  assert.equal(toPhrase('x'.repeat(500), 400), `${'x'.repeat(400)}… (100 more characters)`);
});

test('arguments are written as members in braces', () => {
  assert.equal(
    toArguments({ button: 'C', sizes: [1, 'two three'], more: {} }),
    '{button: C, sizes: [1, "two three"], more: {}}',
  );
});

test('a table has no lines, numbers are aligned to the right, and no cell can break it', () => {
  const worlds = [
    { turn: 1, world: 'park' },
    { turn: 10, world: 'a\nb\u001b[2J' },
  ];
  const rows = tableLines(worlds, { turn: ({ turn }) => turn, world: ({ world }) => world });
  assert.deepEqual(rows.map(textOf), ['  turn  world', '     1  park', '    10  a b\\u{1b}[2J']);
});

test('a table leaves out a column in which no row has a value', () => {
  const titles = (failures: readonly (string | null)[]): string | undefined =>
    tableLines(failures, { turn: () => 1, failure: (failure) => failure }).map(textOf)[0];
  assert.equal(titles(['', null]), '  turn');
  assert.equal(titles(['', 'timeout']), '  turn  failure');
});

test('moments and durations are short', () => {
  assert.equal(toMoment('2025-10-04T12:00:00Z'), '2025-10-04 12:00 UTC');
  assert.equal(toMoment('2025-10-04T12:00:30Z'), '2025-10-04 12:00:30 UTC');
  assert.equal(toDuration(31.4), '31 ms');
  assert.equal(toDuration(4210), '4.2 s');
  assert.equal(toDuration(604_000_000), '7.0 days');
});

test('a table that does not fit is a block of names and values for each row', () => {
  const attempts = [
    { turn: 1, failure: '' },
    { turn: 2, failure: 'transport' },
  ];
  const table = tableLines(attempts, {
    turn: ({ turn }) => turn,
    attempt: ({ turn }) => `019f2b7c-0000-7000-8000-00000000000${turn - 1}`,
    failure: ({ failure }) => failure,
  });
  const whole = paint(table, { width: 60, has_colours: false, program: 'npx chukwa' });
  assert.equal(whole.split('\n').length, 4);
  assert.match(whole, /^ +turn +attempt +failure\n/);
  assert.equal(
    paint(table, { width: 44, has_colours: false, program: 'npx chukwa' }),
    [
      '  turn     1',
      '  attempt  019f2b7c-0000-7000-8000-000000000000',
      '',
      '  turn     2',
      '  attempt  019f2b7c-0000-7000-8000-000000000001',
      '  failure  transport',
      '',
      '',
    ].join('\n'),
  );
});

test('a command is above its description where both do not fit beside each other', () => {
  const lines = commandLines('  ', [[command('llm-call', '42'), 'what the model said']]);
  assert.equal(
    paint(lines, { width: 60, has_colours: false, program: 'npx chukwa' }),
    '  npx chukwa llm-call 42  what the model said\n',
  );
  assert.equal(
    paint(lines, { width: 40, has_colours: false, program: 'npx chukwa' }),
    '  npx chukwa llm-call 42\n      what the model said\n',
  );
});

test('commands of one list are above their descriptions as soon as one of them does not fit', () => {
  const lines = commandLines('  ', [
    [command('world', 'show', 'park'), 'now'],
    [command('llm-call', '42'), 'what the model said'],
  ]);
  const [first, second] = paint(lines, { width: 48, has_colours: false, program: 'npx chukwa' }).split('\n');
  assert.deepEqual([first, second], ['  npx chukwa world show park', '      now']);
});

test('commands in an event of a worker begin as the program was called', () => {
  const terminal = openTestTerminal();
  const sentence = 'nothing is begun; to start over all the same: chukwa run park --anew';
  printEvent({ terminal, as_json: false }, sentence, { kind: 'turn_deferred' });
  assert.match(terminal.out_text(), /same: npx chukwa run park --anew\n$/);
});

test('commands in the reason of a turn that was put off begin as the program was called', () => {
  const put_off = { until: '2025-11-02T17:00:00Z', reason: 'if it took place, chukwa report 42 --result FILE' };
  const lines = queueLines('park', { queued_turns: 1, put_off });
  const painted = paint(lines, { width: 200, has_colours: false, program: 'npx chukwa' });
  assert.match(painted, /if it took place, npx chukwa report 42 --result FILE\n/);
});

test('each event of a worker is a line of a log, and is broken between words on a terminal', () => {
  const say = (is_live: boolean): readonly string[] => {
    const terminal = openTestTerminal({ is_live, columns: 60 });
    printEvent({ terminal, as_json: false }, 'park: turn 2 is suspended until it is answered, and waits', {
      kind: 'turn_suspended',
    });
    return terminal.out_text().trimEnd().split('\n');
  };
  assert.equal(say(false).length, 1);
  assert.ok(say(true).length > 1);
  for (const row of say(true)) assert.ok(row.length <= 60, row);
});
