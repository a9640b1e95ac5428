import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** The groups of measurements, in order: those that start processes come first, while this process is small. */
export const GROUPS = {
  starts: 'a process, from its start to its answer',
  reducer: 'events of a turn, without calls or a database',
  authoring: 'checking documents, and compiling a workflow',
  trips: 'round trips to PostgreSQL',
  served: 'turns on PostgreSQL',
  fleet: 'workers, and what is queued for them',
  queue: 'queued turns beside those of a run, and notifications beside commits',
  stalls: 'waits of workers in which nothing happens',
  subjects: 'a turn of a thousand subjects',
  pages: 'pages over a million calls',
  village: 'the village in both modes of execution',
  makespan: 'turns of concurrent subjects, over virtual time',
  embedded: 'turns on the embedded database',
} as const;

/** The curves that are measured in place of figures, each family on a database of its own. */
export const FAMILIES = {
  turns: 'a turn, while its world grows',
  subjects: 'a turn, while its subjects grow in number',
  fleet: 'queued turns, while workers grow in number',
  stored: 'a turn and a list, while what is stored grows',
} as const;

export type Group = keyof typeof GROUPS;
export type Family = keyof typeof FAMILIES;

/** The requested measurements, and the form of the report. */
export type Wanted = { readonly is_json: boolean } & (
  | { readonly kind: 'figures'; readonly groups: readonly Group[]; readonly rounds: number }
  | { readonly kind: 'curves'; readonly families: readonly Family[]; readonly draw_file?: string }
);

/** A text in place of a measurement: the usage, or a problem with the arguments. */
interface Instead {
  readonly kind: 'instead';
  readonly exit_code: 0 | 2;
  readonly text: string;
}

/** Reads the arguments of the benchmark. */
export function readArguments(words: readonly string[]): Wanted | Instead {
  let text = '';
  const program = openProgram((piece) => (text += piece));
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'instead', exit_code: error.exitCode === 0 ? 0 : 2, text };
  }
  const { json: is_json = false, growth = false, only = [], draw, rounds = 1 } = program.opts<Options>();
  const known = Object.keys(growth ? FAMILIES : GROUPS);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const wrong = `error: nothing to measure is named ${unknown.join(', ')}: choose of ${known.join(', ')}.\n`;
    return { kind: 'instead', exit_code: 2, text: wrong };
  }
  const chosen = known.filter((name) => only.length === 0 || only.includes(name));
  if (!growth) return { kind: 'figures', is_json, groups: chosen as Group[], rounds };
  return { kind: 'curves', is_json, families: chosen as Family[], ...(draw === undefined ? {} : { draw_file: draw }) };
}

interface Options {
  readonly json?: boolean;
  readonly growth?: boolean;
  readonly only?: readonly string[];
  readonly draw?: string;
  readonly rounds?: number;
}

function openProgram(write: (text: string) => void): Command {
  return new Command('npm run bench --')
    .description('Measure the compiled program; docs/making/benchmarks.md says how to read it.')
    .option('--only <names...>', 'these groups or families alone')
    .option('--growth', 'curves in place of figures')
    .addOption(new Option('--draw <file>', 'draw the curves into an SVG file').implies({ growth: true }))
    .option('--rounds <n>', 'look for stalls n times as long', toRounds)
    .option('--json', 'one JSON document')
    .addHelpText('after', `\nGroups:\n${toLines(GROUPS)}\n\nFamilies of curves, with --growth:\n${toLines(FAMILIES)}`)
    .allowExcessArguments(false)
    .configureOutput({ writeOut: write, writeErr: write })
    .exitOverride();
}

function toRounds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Write a whole number from 1 to 9999.');
  return Number(text);
}

const NAME_WIDTH = 11;

function toLines(names: Readonly<Record<string, string>>): string {
  return Object.entries(names)
    .map(([name, meaning]) => `  ${name.padEnd(NAME_WIDTH)}${meaning}`)
    .join('\n');
}
