import { cpus } from 'node:os';
import { Command, Option } from 'commander';
import { measureAssistants } from './assistants.js';
import { renderTable, type Row } from './figures.js';
import { measureGrowth } from './growth.js';
import { say } from './measures.js';
import { measurePages } from './pages/measure.js';
import { measurePeers } from './peers.js';
import { measurePolicy } from './policy.js';
import { measureProofs } from './proofs.js';
import { onStage, type Stage } from './stage.js';
import { measureStarts } from './starts.js';
import { measureSubjects } from './subjects.js';
import { measureTurns } from './turns/measure.js';

// Measures the compiled program, so that it must be built: npm run build && npm run bench

interface Group {
  readonly what: string;
  /** Measured for a release only. */
  readonly is_of_release?: boolean;
  readonly measure: (stage: Stage) => Promise<readonly Row[]>;
}

/** In order: groups that start processes come first, while this process is small. */
const GROUPS: Readonly<Record<string, Group>> = {
  starts: { what: 'a process, from its start to its answer', measure: measureStarts },
  turns: { what: 'turns on both databases, beside the same calls unrecorded', measure: measureTurns },
  subjects: { what: 'turns of many concurrent subjects', measure: measureSubjects },
  pages: { what: 'pages over a million calls', measure: measurePages },
  proofs: { what: 'seals, their verification, proofs and estimates', measure: measureProofs },
  policy: { what: 'the tool policy and the stages of a call, without what is outside', measure: measurePolicy },
  assistants: { what: 'tools and sessions of assistants', measure: measureAssistants },
  growth: { what: 'a turn, while worlds, fleets and records grow', is_of_release: true, measure: measureGrowth },
  peers: { what: 'the unit turn with other frameworks', is_of_release: true, measure: measurePeers },
};

const names = Object.keys(GROUPS);
const meanings = Object.entries(GROUPS).map(([name, { what }]) => `  ${name.padEnd(11)}${what}`);
const program = new Command('npm run bench --')
  .description('Measure the compiled program; docs/making/benchmarks.md says how to read it.')
  .addOption(new Option('--only <names...>', 'these groups alone').choices(names))
  .option('--release', 'growth and peers, which are measured for a release')
  .option('--json', 'one JSON document')
  .addHelpText('after', `\nGroups:\n${meanings.join('\n')}`)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const { only, release = false, json = false } = program.opts<{ only?: string[]; release?: boolean; json?: boolean }>();

const rows: Row[] = [];
for (const [name, { what, is_of_release = false, measure }] of Object.entries(GROUPS)) {
  if (only === undefined ? is_of_release !== release : !only.includes(name)) continue;
  say(what);
  rows.push(...(await onStage(measure)));
}
say('');
const machine = { node: process.version, cores: cpus().length, platform: `${process.platform}-${process.arch}` };
process.stdout.write(json ? `${JSON.stringify({ machine, rows }, null, 2)}\n` : renderTable(rows));
