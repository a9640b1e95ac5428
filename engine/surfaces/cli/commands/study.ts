import { Argument, Option } from 'commander';
import { present } from '../../../contract/present.js';
import { study as declared } from '../../../catalogue/resources/studies.js';
import { whileOpen } from '../../../operations/engine.js';
import { planStudyFile } from '../../../operations/studies/plan-study.js';
import { runStudy, type StudyReport } from '../../../operations/studies/run-study.js';
import { ROOT, type RootOptions, toPath, toPlace, toWords, wholeOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { chooseModel, MODEL, type ModelOptions, scriptOption, TOYS } from '../model-choice.js';
import { openStudyNarration } from '../study-narration.js';
import { EMPTY } from '../render/line.js';
import { leftLines, planLines } from '../render/study.js';
import { viewLines } from '../render/view.js';
import { asOperator } from '../resource-command.js';
import { answer, printRefused, refuseUsage, type Session } from '../session.js';
import { toShell } from '../shell.js';
import { findLabel } from '../../../operations/studies/read-study.js';
import { WORKER_DEFAULTS } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface StudyOptions extends ModelOptions, RootOptions {
  readonly toys?: boolean;
  readonly concurrency?: number;
  readonly retries?: number;
  readonly queue?: boolean;
}

const FILE = new Argument('<file>', 'the file of the study').argParser(toPath);

export const STUDY_COMMANDS: readonly CommandEntry[] = [
  { name: 'study', says: 'A question, asked of many worlds.' },
  {
    name: 'study plan',
    says: 'Say what a study will run, and what its turns will use and cost. Makes no call, and seals nothing.',
    takes: [FILE, MODEL, ROOT],
    run: plan,
  },
  {
    name: 'study run',
    lives_long: true,
    says: 'Run what a study still lacks. It can be stopped at any time, and goes on where it was.',
    takes: [
      FILE,
      wholeOption(
        '--concurrency <n>',
        `how many worlds are played at once; ${WORKER_DEFAULTS.concurrency} by default`,
        [1, 1_000],
      ),
      wholeOption(
        '--retries <n>',
        `how often a turn is retried after a transient failure, each time after a wait; ${WORKER_DEFAULTS.maxRetries} by default`,
        [0, 1_000],
      ),
      new Option(
        '--llm <which>',
        'the model: scripted, by default with the script of the name of the study and the toys; or that of the sources by the environment',
      ).choices(['scripted', 'env']),
      MODEL,
      scriptOption(),
      TOYS,
      ROOT,
      new Option('--queue', 'leave the turns to workers, which use the model of their own environment, and wait'),
    ],
    run: runAndShow,
  },
];

async function plan(session: Session, file: string, options: Pick<StudyOptions, 'model' | 'root'>): Promise<ExitCode> {
  const opened = await session.composition.openEngine(present({ model: options.model }));
  const planned = await whileOpen(opened, (engine) =>
    planStudyFile(engine, { file, place: toPlace(session, options) }),
  );
  return answer(session, planned, { lines: planLines });
}

async function runAndShow(session: Session, file: string, options: StudyOptions): Promise<ExitCode> {
  const { concurrency, retries, llm, script, model, toys, root, queue } = options;
  if (queue === true && [concurrency, retries, llm, script, model, toys].some((option) => option !== undefined))
    return refuseUsage(
      session,
      '--queue leaves the turns to workers, and their own options set the model, the retries and how many run at once.',
      'Leave --concurrency, --retries, --llm, --script, --model and --toys out.',
    );
  const spoken = llm === 'scripted' ? (script ?? (await findLabel(file, toPlace(session, options)))) : script;
  const choice = await chooseModel(session, { ...options, ...present({ script: spoken }) });
  if (!choice.ok) return printRefused(session, choice);
  const with_toys = toys === true || (llm === 'scripted' && script === undefined);
  const flags = [...(toys === true ? ['--toys'] : []), ...(queue === true ? ['--queue'] : [])];
  const counts = { concurrency: concurrency?.toString(), retries: retries?.toString() };
  const rerun = ['study', 'run', file, ...toWords({ ...counts, llm, script, model, root }), ...flags];
  return untilStopped(session.terminal, async (signal) => {
    const narration = openStudyNarration(session, signal);
    const ran = await runStudy(session.composition, {
      file,
      place: toPlace(session, options),
      ...choice.value.asked,
      with_toys,
      concurrency: concurrency ?? WORKER_DEFAULTS.concurrency,
      retries: retries ?? WORKER_DEFAULTS.maxRetries,
      is_queued: queue === true,
      signal,
      rerun: toShell(['chukwa', ...rerun]),
      onPlan: narration.begin,
      onProgress: narration.onProgress,
    }).finally(narration.close);
    const code = answer(session, ran, {
      lines: (report) => [EMPTY, reportLines(report), EMPTY, leftLines(report, rerun)],
    });
    return ran.ok ? toExit(ran.value, signal) : code;
  });
}

function reportLines(report: StudyReport) {
  return viewLines(declared.view(report, asOperator({ study_label: report.study_label })));
}

function toExit({ left }: StudyReport, { aborted }: AbortSignal): ExitCode {
  if (aborted) return EXIT.interrupted;
  if (left.failed > 0) return EXIT.attempt_failed;
  return left.waits > 0 ? EXIT.suspended : EXIT.done;
}
