import { present } from '../../../contract/present.js';
import { Argument, Option } from 'commander';
import { resolve } from 'node:path';
import { personHere } from '../../../operations/people/person-here.js';
import { recordAttempt, type Recording, type RecordRequest } from '../../../operations/recordings/record-attempt.js';
import { writeNewText } from '../../../operations/write-files.js';
import { pathOption, ROOT, type RootOptions, toPlace, toWorldPlace, turnsOption } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { command, hanging, line, verbatim } from '../render/line.js';
import { printExact, printJson, printLines, printRefused, type Session, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

interface RecordOptions extends RootOptions {
  readonly turns: number;
  readonly out?: string;
  readonly scenario?: string;
  readonly unredacted?: boolean;
  readonly reason?: string;
}

export const recordTest: CommandEntry = {
  name: 'record',
  says: 'Make a test from a played turn: its answers and its outcome.',
  takes: [
    new Argument(
      '<slug@n>',
      'SLUG@N, a world and a turn that it has committed; or the id of an attempt that has ended',
    ),
    turnsOption(1, 'how many turns: that one, and the ones committed after it'),
    new Option('--out <file>', 'the output file, such as my.test.json; an existing file is not overwritten'),
    pathOption('--scenario <path>', 'the file of the scenario, which the test then names by path instead of by hash'),
    new Option('--unredacted', 'for the operator: write hidden parts, too'),
    new Option('--reason <text>', 'with --unredacted: why; the record keeps it'),
    ROOT,
  ],
  async run(session, named: string, options: RecordOptions) {
    const { out, scenario, unredacted, turns, reason } = options;
    const { world_slug, turn } = toWorldPlace(named);
    const request: RecordRequest = {
      attempt: turn === undefined ? { attempt_id: named } : { world_slug, turn },
      turns,
      view: unredacted === true ? 'unredacted' : 'redacted',
      place: toPlace(session, options),
      ...present({
        actor: unredacted === true ? personHere(reason) : undefined,
        scenario_path: scenario,
        out_path: out,
      }),
    };
    const recorded = await withEngine(session, (engine) => recordAttempt(engine, request));
    if (!recorded.ok) return printRefused(session, recorded);
    const written =
      out === undefined
        ? recorded
        : await writeNewText({ path: resolve(request.place.working_folder, out), shown: out }, recorded.value.text);
    if (!written.ok) return printRefused(session, written);
    print(session, recorded.value, out);
    printNotes(session, recorded.value);
    return EXIT.done;
  },
};

function print({ terminal, as_json }: Session, { test, text, hidden }: Recording, out: string | undefined): void {
  const rows = text.trimEnd().split('\n');
  if (as_json) printJson(terminal, out === undefined ? test : { file: out, hidden });
  else if (out !== undefined) printLines(terminal.out, [line(`Made ${out}. Run it: `, command('test', out))]);
  else if (terminal.out.is_terminal)
    printLines(
      terminal.out,
      rows.map((row) => verbatim(row)),
    );
  else printExact(terminal, text);
}

/** What a reader of the test has to know. */
function printNotes({ terminal }: Session, { test, hidden }: Recording): void {
  const notes = [
    'hash' in test.scenario_ref &&
      'the test names its scenario by hash, so it runs only with this database; to name the file, add --scenario PATH',
    hidden.length > 0 &&
      `redaction hides parts of these answers, so the test lacks them or has something else in their place: ${hidden.join(', ')}`,
  ];
  printLines(
    terminal.error,
    notes.map((note) => note !== false && hanging(2, `note: ${note}`)),
  );
}
