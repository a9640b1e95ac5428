import { present } from '../../../contract/present.js';
import { Argument, Option } from 'commander';
import { resolve } from 'node:path';
import type { Outcome } from '../../../contract/problem.js';
import { parseSource, type SourceText } from '../../../core/content/source-text.js';
import { make } from '../../../catalogue/act.js';
import { settleCallOfAttempt } from '../../../catalogue/actions/calls.js';
import { editWorld } from '../../../catalogue/actions/worlds.js';
import {
  actAsPerson,
  actHereOrThere,
  report as reportCall,
  stop as stopAttempt,
  takeBack,
} from '../../../catalogue/here-or-there.js';
import type { Engine } from '../../../operations/engine.js';
import { personHere } from '../../../operations/people/person-here.js';
import { isJsonItself, locateIn, readAnswerFile } from '../../../operations/settling/read-answer-file.js';
import type { SaidReport } from '../../../operations/settling/reports.js';
import type { SettledCall } from '../../../operations/settling/settle-call.js';
import { resultOption } from '../arguments.js';
import { acknowledgementLines, reportedLines } from '../render/acknowledgement.js';
import { hanging, line, type Lines } from '../render/line.js';
import { waysToRun } from '../render/ways-to-run.js';
import { count } from '../../../catalogue/words.js';
import { answer, printRefused, refuseUsage, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

// Reports of a person on a call or an attempt, in place of a service or a driver.

export const settleAttempt: CommandEntry = {
  name: 'attempt settle',
  says: 'Decide whether a call in doubt had its side effect; the next run continues from there.',
  takes: [
    new Argument('<id>', 'the id of the attempt that failed'),
    new Option('--call <id>', 'the call in doubt, where there are several'),
    resultOption('it took place, and the file holds its answer').conflicts('notPerformed'),
    new Option('--not-performed', 'it did not take place, and is made again'),
    new Option('--reason <text>', 'how you know; the record keeps it'),
  ],
  async run(session, attempt_id: string, { call, result, notPerformed, reason }: SettleOptions) {
    if (result === undefined && notPerformed !== true)
      return refuseUsage(
        session,
        'Say whether the call took place.',
        'Add --result FILE with its answer, or --not-performed.',
      );
    const read = await readResult(session, result);
    if (!read.ok) return printRefused(session, read);
    const input = { attempt_id, ...present({ call, answer: read.value?.value }) };
    const here = (engine: Engine) => make(engine, settleCallOfAttempt, input, personHere(reason));
    const settled = await actHereOrThere(session.composition, settleCallOfAttempt, input, reason, here);
    return answer(session, locateAll(read.value, settled), {
      json: (done) => ('accepted' in done ? done.made : done),
      lines: (done) => ('accepted' in done ? acknowledgementLines(done) : settledLines(done)),
    });
  },
};

interface SettleOptions {
  readonly call?: string;
  readonly result?: string;
  readonly notPerformed?: true;
  readonly reason?: string;
}

/** The answer that a person gives, or the file that holds it. @returns undefined where there is none */
async function readResult({ terminal }: Session, result: string | undefined): Promise<Outcome<SourceText | undefined>> {
  if (result === undefined) return { ok: true, value: undefined };
  return isJsonItself(result)
    ? parseSource('--result', result)
    : readAnswerFile(resolve(terminal.working_folder, result), result);
}

/** Puts each problem of what was said about a call at its place in the answer. */
function locateAll<Value>(given: SourceText | undefined, done: Outcome<Value>): Outcome<Value> {
  return done.ok ? done : { ...done, problems: locateIn(given, done.problems) };
}

function settledLines({ world, command_key, performed, left_in_doubt }: SettledCall): Lines {
  const what = performed ? 'took place, with that answer' : 'did not take place, and will be asked again';
  const others = count(left_in_doubt, 'other call', 'other calls');
  return [
    hanging(2, `Settled: ${command_key} ${what}.`),
    left_in_doubt > 0
      ? hanging(2, `${others} of this attempt must be settled before the world continues.`)
      : [line('A worker resumes a queued turn by itself. Else go on:'), waysToRun(world)],
  ];
}

interface ReportOptions {
  readonly result?: string;
  readonly failed?: string;
}

export const report: CommandEntry = {
  name: 'report',
  says: 'Report how a pending call, or a call in doubt, ended. Duplicate and late reports change nothing.',
  takes: [
    new Argument('<correlation_id>', 'the id of the call, or the alias that its service gave it'),
    resultOption('the answer'),
    new Option(
      '--failed <message>',
      'in place of an answer: the reason why it failed; a call in doubt is then made again',
    ),
  ],
  async run(session, correlation: string, options: ReportOptions) {
    if ((options.result === undefined) === (options.failed === undefined))
      return refuseUsage(session, 'Say how the call ended, with --result or --failed.', 'Give one of the two.');
    const read = await readResult(session, options.result);
    if (!read.ok) return printRefused(session, read);
    const said: SaidReport =
      read.value === undefined
        ? { kind: 'failed', message: options.failed ?? '' }
        : { kind: 'answered', value: read.value.value };
    const reported = await reportCall(session.composition, correlation, said);
    return answer(session, locateAll(read.value, reported), { lines: reportedLines });
  },
};

export const worldEdit: CommandEntry = {
  name: 'world edit',
  says: 'Change a world by a patch of yours, as a turn of its own; the record keeps who and why.',
  takes: [
    new Argument('<world_slug>', 'the name of the world'),
    new Option('--patch <file>', 'the WorldPatch, or the file that holds it').makeOptionMandatory(),
    new Option('--reason <text>', 'why; the record keeps it'),
  ],
  async run(session, world_slug: string, { patch, reason }: { readonly patch: string; readonly reason?: string }) {
    const read = await readResult(session, patch);
    if (!read.ok) return printRefused(session, read);
    const input = { world_slug, patch: read.value?.value ?? null };
    const done = await actAsPerson(session.composition, editWorld, input, reason);
    return answer(session, locateAll(read.value, done), { lines: acknowledgementLines });
  },
};

export const stop: CommandEntry = {
  name: 'stop',
  says: 'Stop an attempt that runs or is suspended: it fails, and its world stays as it was.',
  takes: [
    new Argument('<attempt>', 'the id of the attempt; with --queued, the name of a world'),
    new Option('--queued', 'take back the turns of a world that are queued and have not begun').conflicts('reason'),
    new Option('--reason <text>', 'why; the record keeps it'),
  ],
  async run(session, named: string, { queued, reason }: { readonly queued?: true; readonly reason?: string }) {
    const { composition } = session;
    const done = queued === true ? await takeBack(composition, named) : await stopAttempt(composition, named, reason);
    return answer(session, done, { lines: acknowledgementLines });
  },
};
