import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../../engine/contract/problem.js';
import { paint } from '../../../engine/surfaces/cli/render/paint.js';
import { problemLines } from '../../../engine/surfaces/cli/render/problems.js';

const CASES: readonly (readonly [name: string, problem: Problem, text: string])[] = [
  [
    'a problem says what is wrong, what to do, and its details',
    { code: 'WORLD_BUSY', message: 'The world is busy.', repair: 'Wait for it.', details: { pid: 12, host: 'here' } },
    'error: The world is busy.\n  what to do: Wait for it.\n  details: WORLD_BUSY · pid 12 · host here\n',
  ],
  [
    'a problem of a file is shown with its place',
    {
      code: 'WRONG_TYPE',
      message: 'must be text',
      repair: 'Write text.',
      pointer: '/nodes/0/id',
      location: { file: 'a.json', line: 3, column: 9 },
    },
    'a.json:3:9  WRONG_TYPE  must be text  (at /nodes/0/id)\n    what to do: Write text.\n',
  ],
  [
    'the repair of a file is shown beneath',
    { code: 'BAD_VALUE', message: 'm', repair: 'Do.', pointer: '', location: { file: 'a.json', line: 1, column: 1 } },
    "a.json:1:1  BAD_VALUE  m  (at the document's root)\n    what to do: Do.\n",
  ],
  [
    'a note is called one',
    {
      code: 'BAD_VALUE',
      message: 'm',
      repair: 'Do.',
      severity: 'note',
      pointer: '/a',
      location: { file: 'a.json', line: 1, column: 1 },
    },
    'a.json:1:1  BAD_VALUE  note: m  (at /a)\n    what to do: Do.\n',
  ],
  [
    'what is wrong with a path has no place in a file',
    { code: 'BAD_VALUE', message: 'm', repair: 'Do.', pointer: '', location: { file: 'nowhere', line: 0, column: 0 } },
    'nowhere  BAD_VALUE  m\n    what to do: Do.\n',
  ],
  [
    'names that others chose cannot steer the terminal',
    { code: 'BAD_VALUE', message: 'no \u001b[2J', repair: 'Do.' },
    'error: no \\u{1b}[2J\n  what to do: Do.\n  details: BAD_VALUE\n',
  ],
];

for (const [name, problem, text] of CASES) {
  test(name, () => {
    assert.equal(paint(problemLines([problem]), { width: 100, has_colours: false, program: 'npx chukwa' }), text);
  });
}

test('several complaints in a row that need the same say what to do beneath the last, and about how many', () => {
  const repairs = ['Do.', 'Do.', 'Wait.', 'Do.', 'Do.'];
  const problems = repairs.map((repair, index) => ({
    code: 'BAD_VALUE' as const,
    message: 'm',
    repair,
    location: { file: 'a.json', line: index + 1, column: 1 },
  }));
  const text = paint(problemLines(problems), { width: 100, has_colours: false, program: 'npx chukwa' });
  assert.deepEqual(
    text.split('\n').map((row) => row.replace(/ {2}BAD_VALUE.*/, '')),
    [
      'a.json:1:1',
      'a.json:2:1',
      '    what to do about these 2: Do.',
      'a.json:3:1',
      '    what to do: Wait.',
      'a.json:4:1',
      'a.json:5:1',
      '    what to do about these 2: Do.',
      '',
    ],
  );
});
