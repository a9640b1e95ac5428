import { writeFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { compose } from '../engine/main.js';
import { runCommandLine } from '../engine/surfaces/cli/command-line.js';
import { drawTerminal } from './terminal-picture.js';

// Draws docs/park.svg: the output of `chukwa park` in its second turn, in colour.
//   npx tsx tools/draw-run.ts

const TURN = 2;
const COLUMNS = 100;
/** This sequence erases the live line before it. */
const ERASE = '\r\u001b[2K';

const printed = await runPark();
const lines = printed.split('\n').map((line) => line.split(ERASE).at(-1) ?? '');
const plain = lines.map(stripVTControlCharacters);
const from = plain.findIndex((line) => line.includes(`turn ${TURN}`));
const to = plain.findIndex((line) => line.includes(`turn ${TURN} committed`));
if (from < 0 || to < from) throw new Error(`the park printed no turn ${TURN}`);
const picture = drawTerminal(
  ['$ npx chukwa park', '', ...lines.slice(from, to + 1)],
  'The second turn of the park, as chukwa park tells it',
);
await writeFile(new URL('../docs/park.svg', import.meta.url), picture);

/** The output of a terminal. */
async function runPark(): Promise<string> {
  let text = '';
  const output = {
    write: (piece: string) => {
      text += piece;
    },
    is_terminal: true,
    is_live: true,
    columns: COLUMNS,
    program: 'npx chukwa',
  };
  const composition = await compose({ ...process.env, CHUKWA_DATABASE_URL: 'memory:' });
  const code = await runCommandLine(composition, ['park', '--turns', String(TURN)], {
    out: output,
    error: output,
    working_folder: process.cwd(),
    process: { hostname: 'here', pid: 1 },
    onInterrupt: () => () => {},
    leave: () => {},
  });
  if (code !== 0) throw new Error(`chukwa park ended with ${code}:\n${text}`);
  return text;
}
