import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Answers } from '../../engine/generated/answers.js';
import type { Study } from '../../engine/generated/study.js';
import { type ModelRequest, type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { editWorkflows, must, type ParkStage } from './park-stage.js';
import { runStudyOn, type StudyReport } from '../../engine/operations/studies/run-study.js';

// A study of the smallest scenario: Bob reads, with or without a hint, which begins with turn 4, in one of two moods.

const STUDY: Study = {
  version: 1,
  label: 'reading',
  question: 'Does a hint make Bob read more?',
  scenario: './scenario.json',
  turns: 6,
  seeds: { from: 1, count: 2 },
  variables: {
    hint: {
      from_turn: 4,
      levels: { none: {}, urgent: { replace: { './act.system.md': './urgent.system.md' } } },
    },
    mood: { levels: { calm: {}, glad: { set: { '/entities/0/state': 'smiling over a closed book' } } } },
  },
  measures: [{ id: 'page', read: { state_of: 'book', after: 'page ' }, take: 'last' }],
  hypotheses: [
    {
      id: 'h1',
      says: 'A hint makes Bob read more.',
      measure: 'page',
      compare: [{ hint: 'urgent' }, { hint: 'none' }],
      expect: 'greater',
      decide: { at_least_runs: 2 },
    },
  ],
};

/** A study in files of its own, which go with the test. */
export interface WrittenStudy {
  readonly file: string;
  /** The root of its documents. */
  readonly root: string;
  /** Writes one of the files beside it. */
  write(name: string, text: string): Promise<void>;
  /** Writes the study again, with other members. */
  rewrite(members: Partial<Study>): Promise<void>;
}

/** Writes the study, with some members otherwise. */
export async function writeStudy(
  test: Parameters<typeof editWorkflows>[0],
  members: Partial<Study> = {},
): Promise<WrittenStudy> {
  const root = await editWorkflows(test, {});
  const folder = join(root, 'simple');
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const rewrite = (others: Partial<Study>): Promise<void> =>
    write('study.json', JSON.stringify({ ...STUDY, ...members, ...others }, null, 2));
  await write('urgent.system.md', 'You decide what {{subject.name}} does. Hurry: there is little time left to read.\n');
  await rewrite({});
  return { file: join(folder, 'study.json'), root, write, rewrite };
}

/** The words of a command on the study. */
export function onStudy({ file, root }: WrittenStudy, ...words: readonly string[]): readonly string[] {
  return ['study', ...words.slice(0, 1), file, '--root', root, ...words.slice(1)];
}

/** Bob turns a page. */
export function turnsTo(page: number): JsonObject {
  const effects = [{ op: 'set_entity_state', entity_id: 'book', state: `open; page ${page}` }];
  return { kind: 'final_patch', patch: { narration: 'Bob reads on.', effects } };
}

const KEY = 'bob/act/round-1/try-1';

/** The world that asks. */
export function worldOf({ headers }: Pick<ModelRequest, 'headers'>): string {
  return /^[^/~]+/.exec(String(headers['x-client-request-id']))?.[0] ?? '';
}

/** What a model says of the page that Bob is on, and answers to a probe that asks for it. */
export type PageOf = (turn: number, world: string) => number;

/** A model of which Bob turns a page in each turn, unless it is told otherwise. Close it. */
export async function startReader() {
  const scriptOf = (page: number): Answers => ({
    version: 1,
    label: 'reading',
    turns: {
      '*': {
        [KEY]: { json: turnsTo(page) },
        'bob/page/round-1/try-1': { json: { answer: page } },
      },
    },
  });
  const model = await startScriptedModel(scriptOf(0));
  const variables = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
  const read = (wait: (request: ModelRequest) => Promise<void> = async () => {}, pageOf: PageOf = (turn) => turn) =>
    model.onRequest(async (request) => {
      await wait(request);
      // The answer is found as soon as this has returned.
      model.setScript(scriptOf(pageOf(request.turn, worldOf(request))));
    });
  read();
  return { model: model as Omit<ScriptedModel, 'onRequest'>, variables, onRequest: read };
}

/** Runs the study on a stage, where Bob always reads the same page. */
export async function playReading(stage: ParkStage, test: Parameters<typeof editWorkflows>[0]): Promise<StudyReport> {
  const study = await writeStudy(test);
  stage.model.setScript({ version: 1, label: 'reading', turns: { '*': { [KEY]: { json: turnsTo(12) } } } });
  return must(
    await runStudyOn(stage.engine, {
      file: study.file,
      place: { working_folder: study.root, root: study.root },
      concurrency: 2,
      retries: 0,
      is_queued: false,
      signal: new AbortController().signal,
      rerun: 'chukwa study run study.json',
      onPlan: () => {},
      onProgress: () => {},
    }),
  );
}
