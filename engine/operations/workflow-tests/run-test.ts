import { type Location, type Outcome, problem, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { findScripted } from '../../contract/scripted.js';
import { toPointer } from '../../core/content/json-pointer.js';
import type { Program } from '../../core/protocol/program.js';
import { judgeTest, type Observed } from '../../core/workflow-test/judge.js';
import type { Difference } from '../../core/workflow-test/match.js';
import { startOfWorld } from '../../core/workflow-test/world-start.js';
import type { CallToAnswer } from '../../ports/answers.js';
import type { AttemptRecord } from '../../ports/records.js';
import { type AnswerBook, joinTurns, type WrittenAnswer } from '../dry-run/answer-book.js';
import { isTryAfter, missingAnswer, openSkeleton, withoutTries } from '../dry-run/missing-answer.js';
import { plantWorld } from '../dry-run/plant.js';
import { withOrigins } from '../dry-run/planted-origins.js';
import type { LoadedTest } from '../documents/index.js';
import type { Engine } from '../engine.js';
import { loadScenario } from '../running/load-program.js';
import { runTurns } from '../running/run-turns.js';
import { freshSlug, showWorld } from '../worlds/worlds.js';
import { observe } from './observe.js';

export interface TestBench {
  readonly engine: Engine;
  readonly book: AnswerBook;
  readonly signal: AbortSignal;
}

export interface Played {
  readonly turns: number;
  readonly calls: number;
  readonly rejected_answers: number;
  readonly rejections: readonly RejectedAnswer[];
  readonly complaints: readonly TestComplaint[];
  readonly unused_answers: readonly WrittenAnswer[];
}

/** An answer that the engine sent back to the model, and why. */
export interface RejectedAnswer {
  readonly turn: number;
  readonly key: string;
  readonly detail: string;
  readonly message: string;
}

/** A difference between a test and its outcome: a place in the file, and the value that was found. */
export interface TestComplaint extends Location, Difference {
  readonly code: 'TEST_DIFFERS' | 'ANSWER_MISSING' | 'ANSWER_MISFIT';
  readonly repair?: string;
}

/** A played test with what an update of it needs. */
export interface PlayedOnce {
  readonly played: Played;
  readonly program: Program;
  /** Calls that the author has to answer; the call after a rejected answer is not one of them. */
  readonly missing: readonly CallToAnswer[];
  /** Whether all turns were played, and each ended as the test expects. */
  readonly ends_as_expected: boolean;
}

/**
 * Runs a test whose scenario is stored: makes its world, runs its turns, and compares the outcome with the test. Calls
 * without an answer get a small one, so that all of them are found.
 */
export async function runTest(
  bench: TestBench,
  loaded: LoadedTest,
  scenario_hash: string,
): Promise<Outcome<PlayedOnce>> {
  const { engine, book } = bench;
  const { test, answers } = loaded;
  const stored = await loadScenario(engine, scenario_hash);
  if (!stored.ok) return stored;
  const world_slug = await freshSlug(engine, test.world ?? test.label);
  const start = startOfWorld(stored.value.scenario, test.given);
  const planted = await plantWorld(engine, { world_slug, scenario_hash, start });
  if (!planted.ok) return planted;
  const { program } = stored.value;
  const turns = joinTurns(answers?.turns ?? {}, test.answers ?? {});
  const { population } = answers ?? {};
  book.prepare(world_slug, present({ turns, population }), openSkeleton(program, turns).fill);
  const { signal } = bench;
  const run = await runTurns(withOrigins(engine, start), {
    world_slug,
    turns: test.turns ?? 1,
    execution: 'per_subject_ordered',
    signal,
    onProgress: () => undefined,
  });
  if (!run.ok) return run;
  const attempts = await readAttempts(
    engine,
    run.value.turns.map(({ attempt_id }) => attempt_id),
  );
  const world = await showWorld(engine, { world_slug });
  if (!world.ok) return world;
  const rejections = attempts.flatMap(listRejections);
  const missing = withoutTries(book.listMissing(world_slug));
  const observed = await observe(engine.store, attempts, { world: world.value, test });
  const played = {
    turns: attempts.length,
    calls: observed.turns.reduce((sum, { calls }) => sum + calls.length, 0),
    rejected_answers: rejections.length,
    rejections,
    complaints: complain(loaded, { missing, rejections, program }, observed),
    unused_answers: book.listUnused(world_slug),
  };
  const ends_as_expected =
    attempts.length === (test.turns ?? 1) &&
    observed.turns.every(
      ({ attempted_turn, failure }) => failure?.class === test.expect.turns?.[attempted_turn]?.failure?.class,
    );
  const unexplained = missing.filter((call) => !rejections.some((rejected) => isTryAfter(call, rejected)));
  return succeed({ played, program, missing: unexplained, ends_as_expected });
}

async function readAttempts(engine: Engine, ids: readonly string[]): Promise<readonly AttemptRecord[]> {
  const records = await Promise.all(ids.map((id) => engine.store.records.attempt(id)));
  return records.flatMap((record) => record ?? []);
}

function listRejections({ attempted_turn, audit, invocations }: AttemptRecord): readonly RejectedAnswer[] {
  return audit
    .filter(({ audit_kind }) => audit_kind === 'generation_rejected')
    .flatMap(({ source_invocation_id, rejection }) => {
      const call = invocations.find((one) => one.source_invocation_id === source_invocation_id);
      if (call === undefined) return [];
      const { command_key: key, failure_detail } = call;
      return [{ turn: attempted_turn, key, detail: failure_detail ?? '', message: rejection ?? '' }];
    });
}

interface Unanswered {
  readonly missing: readonly CallToAnswer[];
  readonly rejections: readonly RejectedAnswer[];
  readonly program: Program;
}

/** A missing answer explains every other difference; that to a second try is explained by why the first was rejected. */
function complain(loaded: LoadedTest, told: Unanswered, observed: Observed): readonly TestComplaint[] {
  const { missing, rejections, program } = told;
  if (missing.length === 0) return judgeTest(loaded.test, observed).map((found) => place(loaded, found));
  const pointer = loaded.test.answers === undefined ? '' : '/answers';
  return missing.map((call) => {
    const cause = rejections.find((rejected) => isTryAfter(call, rejected));
    if (cause !== undefined) return complainOfRejected(loaded, cause);
    const { message, repair } = missingAnswer(call, program);
    return present({ ...place(loaded, { pointer, message }), code: 'ANSWER_MISSING', repair });
  });
}

function complainOfRejected(loaded: LoadedTest, { detail, message, ...call }: RejectedAnswer): TestComplaint {
  const { test, answers, answers_file } = loaded;
  const own = findScripted(test.answers ?? {}, call);
  const shared = findScripted(answers?.turns ?? {}, call);
  const isShared = own === undefined && shared !== undefined;
  const written = own ?? shared;
  const pointer = toPointer([isShared ? 'turns' : 'answers', ...(written ? [written.turn, written.key] : [])]);
  const file = isShared && answers_file !== undefined ? answers_file : loaded.file;
  const facts = { turn: call.turn, key: call.key, detail, reason: message };
  const { message: said, repair } = problem('ANSWER_MISFIT', facts);
  return present({ ...place({ file }, { pointer, message: said }), code: 'ANSWER_MISFIT', repair });
}

function place({ file }: Pick<LoadedTest, 'file'>, { pointer, ...rest }: Difference): TestComplaint {
  const location = file.source?.locate(pointer) ?? { file: file.name, line: 1, column: 1 };
  return { code: 'TEST_DIFFERS', ...location, pointer, ...rest };
}
