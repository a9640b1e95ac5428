import { Argument, Option } from 'commander';
import { present } from '../../../contract/present.js';
import { succeed } from '../../../contract/problem.js';
import { PERTURBATIONS } from '../../../core/study/perturbations.js';
import { study as declared } from '../../../catalogue/resources/studies.js';
import { whileOpen } from '../../../operations/engine.js';
import { auditStudy, type StudyAuditRequest } from '../../../operations/studies/audit-study.js';
import { exportStudy } from '../../../operations/studies/export-study.js';
import { planStudyFile } from '../../../operations/studies/plan-study.js';
import { runStudy, type StudyReport } from '../../../operations/studies/run-study.js';
import { listOption, pathOption, ROOT, type RootOptions, toPath, toPlace, toWords, wholeOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { chooseModel, MODEL, type ModelOptions, scriptOption, TOYS } from '../model-choice.js';
import { openStudyNarration } from '../study-narration.js';
import { EMPTY } from '../render/line.js';
import { auditLines, exportLines, leftLines, planLines } from '../render/study.js';
import { viewLines } from '../render/view.js';
import { asOperator } from '../resource-command.js';
import { answer, printRefused, refuseUsage, type Session, withArchive } from '../session.js';
import { toShell } from '../shell.js';
import { findLabel, readStudy } from '../../../operations/studies/read-study.js';
import { WORKER_DEFAULTS } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface StudyOptions extends ModelOptions, RootOptions {
  readonly toys?: boolean;
  readonly concurrency?: number;
  readonly retries?: number;
  readonly queue?: boolean;
}

interface AuditOptions extends StudyOptions {
  readonly seeds?: number;
  readonly only?: readonly string[];
  readonly otherModels?: readonly string[];
}

const FILE = new Argument('<file>', 'the file of the study').argParser(toPath);

/** How the turns of a study are played. */
const PLAYING = [
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
];

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
      ...PLAYING,
      new Option('--queue', 'leave the turns to workers, which use the model of their own environment, and wait'),
    ],
    run: runAndShow,
  },
  {
    name: 'study audit',
    lives_long: true,
    says: 'Run a study again with changes that should not matter, and say how far each moves what it found.',
    takes: [
      FILE,
      wholeOption('--seeds <n>', 'audit so many of its seeds only, the smallest first', [2, 10_000]),
      listOption('--only', `try these alone: ${PERTURBATIONS.join(', ')}`),
      listOption('--other-models', 'models that take the place of its own; names between commas'),
      ...PLAYING,
    ],
    run: audit,
  },
  {
    name: 'study export',
    says: 'Write a study into a new folder: its design, every run, every observation, a card to read, and checksums.',
    takes: [
      new Argument('<label>', 'the label of the study'),
      pathOption('--out <dir>', 'the folder, which is made').makeOptionMandatory(),
    ],
    run: exportToFolder,
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
  const { concurrency, retries, llm, script, model, toys, queue } = options;
  if (queue === true && [concurrency, retries, llm, script, model, toys].some((option) => option !== undefined))
    return refuseUsage(
      session,
      '--queue leaves the turns to workers, and their own options set the model, the retries and how many run at once.',
      'Leave --concurrency, --retries, --llm, --script, --model and --toys out.',
    );
  const playing = await choosePlaying(session, file, options);
  if (!playing.ok) return printRefused(session, playing);
  const flags = queue === true ? ['--queue'] : [];
  const rerun = ['study', 'run', file, ...playing.value.words, ...flags];
  return untilStopped(session.terminal, async (signal) => {
    const narration = openStudyNarration(session, signal);
    const ran = await runStudy(session.composition, {
      ...playing.value.request,
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

/** How the turns are played, and the words that say so. */
async function choosePlaying(session: Session, file: string, options: StudyOptions) {
  const { concurrency, retries, llm, script, model, toys, root } = options;
  const place = toPlace(session, options);
  const spoken = llm === 'scripted' ? (script ?? (await findLabel(file, place))) : script;
  if (llm === 'scripted' && spoken === undefined) {
    // A study that cannot be read names no script: what is wrong with it says more.
    const read = await readStudy(await session.composition.openAuthoring(), { file, place });
    if (!read.ok) return read;
  }
  const choice = await chooseModel(session, { ...options, ...present({ script: spoken }) });
  if (!choice.ok) return choice;
  const counts = { concurrency: concurrency?.toString(), retries: retries?.toString() };
  return succeed({
    request: {
      file,
      place,
      ...choice.value.asked,
      with_toys: toys === true || (llm === 'scripted' && script === undefined),
      concurrency: concurrency ?? WORKER_DEFAULTS.concurrency,
      retries: retries ?? WORKER_DEFAULTS.maxRetries,
    },
    words: [...toWords({ ...counts, llm, script, model, root }), ...(toys === true ? ['--toys'] : [])],
  });
}

async function audit(session: Session, file: string, options: AuditOptions): Promise<ExitCode> {
  const { seeds, only, otherModels: models = [] } = options;
  const unknown = only?.filter((one) => !PERTURBATIONS.some((known) => known === one)) ?? [];
  if (unknown.length > 0)
    return refuseUsage(
      session,
      `There is no perturbation ${unknown.join(', ')}.`,
      `Write some of ${PERTURBATIONS.join(', ')}.`,
    );
  const playing = await choosePlaying(session, file, options);
  if (!playing.ok) return printRefused(session, playing);
  const words = [...toWords({ seeds: seeds?.toString(), only, 'other-models': models }), ...playing.value.words];
  return untilStopped(session.terminal, async (signal) => {
    const narration = openStudyNarration(session, signal);
    const audited = await auditStudy(session.composition, {
      ...playing.value.request,
      seeds,
      only: only as StudyAuditRequest['only'],
      models,
      signal,
      rerun: toShell(['chukwa', 'study', 'audit', file, ...words]),
      onPart: narration.onPart,
      onProgress: narration.onProgress,
    }).finally(narration.close);
    const code = answer(session, audited, { lines: auditLines });
    return audited.ok && signal.aborted ? EXIT.interrupted : code;
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

async function exportToFolder(
  session: Session,
  study_label: string,
  { out: folder }: { readonly out: string },
): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  const exported = await withArchive(session, (archive) =>
    exportStudy(archive, { study_label, folder, working_folder }),
  );
  return answer(session, exported, { lines: exportLines });
}
