import { present } from '../../contract/present.js';
import { dirname, resolve } from 'node:path';
import type { Json } from '../../contract/json.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { type ByTurn, withoutMark, withoutRun } from '../../contract/scripted.js';
import { relativePath } from '../../core/workflow/link/relative-path.js';
import { givenFor } from '../../core/workflow-test/world-start.js';
import type { Scenario } from '../../generated/scenario.js';
import type { Answer, ExpectedTurn, ExpectedWorld, WorkflowTest } from '../../generated/workflow-test.js';
import type { AttemptRecord, InvocationView } from '../../ports/records.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import { type Actor, auditLook } from '../people/audit.js';
import { readScenario } from '../authoring/author.js';
import type { Place } from '../documents/index.js';
import { FILE_BYTES_MAX } from '../documents/read-file.js';
import type { Engine } from '../engine.js';
import { showAttempt, showCommitted } from '../browse/records.js';
import { recordAnswer, type RecordedCall } from './record-answer.js';
import { toEffect, toTurn } from '../workflow-tests/observe.js';
import { showWorld, type WorldPlace } from '../worlds/worlds.js';

export interface RecordRequest {
  /** An attempt, or a world at the turn that one has committed. */
  readonly attempt: { readonly attempt_id: string } | Required<WorldPlace>;
  /** How many turns: that of the attempt, and those that were committed after it; 1 where it is left out. */
  readonly turns?: number;
  /** The view of answers: `unredacted` is for the operator. */
  readonly view: InvocationView;
  /** The person that asked for the unredacted view: the audit names it. */
  readonly actor?: Actor;
  readonly place: Place;
  /** The file of its scenario; by default the test names the scenario by hash. */
  readonly scenario_path?: string;
  /** Where the test will be: paths in it are relative to its folder. */
  readonly out_path?: string;
}

export interface Recording {
  readonly test: WorkflowTest;
  readonly text: string;
  /** Calls with a hidden part that the test lacks. */
  readonly hidden: readonly string[];
}

/** Makes a test of an attempt, and of turns after it: the world before, the answers, and the outcome. */
export async function recordAttempt(engine: Engine, request: RecordRequest): Promise<Outcome<Recording>> {
  const found = await findAttempts(engine, request);
  if (!found.ok) return found;
  const [attempt, ...later] = found.value;
  const scenario_ref = await nameScenario(engine, attempt, request);
  if (!scenario_ref.ok) return scenario_ref;
  const turns: Record<string, ByTurn<Answer>[string]> = {};
  const hidden: string[] = [];
  for (const one of found.value) {
    const read = () => recordAnswers(engine, one, request.view);
    const place = { world_slug: one.world_slug, attempt_id: one.attempt_id, source_invocation_id: null };
    const answers = await (request.actor === undefined ? read() : auditLook(engine, place, request.actor, read));
    if (!answers.ok) return answers;
    Object.assign(turns, answers.value.turns);
    hidden.push(...answers.value.hidden);
  }
  const before = await showWorld(engine, { world_slug: attempt.world_slug, turn: attempt.attempted_turn - 1 });
  if (!before.ok) return before;
  const stored = await engine.store.components.find('scenario', attempt.scenario_hash);
  if (stored === undefined) throw new Error(`the scenario of ${attempt.world_slug} is not stored`);
  const given = givenFor(stored.content as unknown as Scenario, before.value);
  const test: WorkflowTest = {
    version: 1,
    label: labelOf(attempt),
    description: `Recorded from turn ${attempt.attempted_turn} of the world ${attempt.world_slug}, attempt ${attempt.attempt_id}${later.length === 0 ? '' : `, and ${later.length} more`}.`,
    scenario_ref: scenario_ref.value,
    world: attempt.world_slug,
    ...present({
      turns: later.length === 0 ? undefined : found.value.length,
      given: Object.keys(given).length === 0 ? undefined : given,
    }),
    answers: turns,
    expect: await expectationOf(engine, found.value),
  };
  return toRecording(test, hidden);
}

type Attempts = readonly [AttemptRecord, ...AttemptRecord[]];

/** The attempt that is named, and those that committed the turns after it: all by one scenario. */
async function findAttempts(engine: Engine, { attempt, turns = 1 }: RecordRequest): Promise<Outcome<Attempts>> {
  const shown =
    'turn' in attempt ? await showCommitted(engine, attempt) : await showAttempt(engine, attempt.attempt_id);
  if (!shown.ok) return shown;
  const first = withAnswersOnly(shown.value);
  const unfit = findUnfit(first);
  if (unfit !== undefined) return unfit;
  const { world_slug, attempted_turn, scenario_hash } = first;
  const listed = turns === 1 ? [] : await engine.store.records.attempts(world_slug);
  const attempts: [AttemptRecord, ...AttemptRecord[]] = [first];
  for (let turn = attempted_turn + 1; turn < attempted_turn + turns; turn += 1) {
    const next = listed.find((one) => one.attempted_turn === turn && one.status === 'committed');
    const later = next && (await showAttempt(engine, next.attempt_id));
    if (first.status !== 'committed' || !later?.ok || later.value.scenario_hash !== scenario_hash)
      return refuse(
        problem('ATTEMPT_NOT_RECORDABLE', {
          attempt_id: first.attempt_id,
          world_slug,
          turn,
          turns: turn - attempted_turn,
        }),
      );
    attempts.push(withAnswersOnly(later.value));
  }
  return succeed(attempts);
}

function toRecording(test: WorkflowTest, hidden: readonly string[]): Outcome<Recording> {
  const text = `${JSON.stringify(test, null, 2)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= FILE_BYTES_MAX) return succeed({ test, text, hidden });
  return refuse(problem('RECORDING_TOO_LARGE', { bytes, bytes_max: FILE_BYTES_MAX }));
}

/**
 * An interrupted or superseded call has no answer; of a repeated call the last performance has it. A test runs subjects
 * in order, so a call of a later run gets the key of the first.
 */
function withAnswersOnly(attempt: AttemptRecord): AttemptRecord {
  const ended = attempt.invocations
    .filter(({ status, is_superseded }) => status !== 'interrupted' && !is_superseded)
    .map((call) => ({ ...call, command_key: withoutRun(call.command_key) }));
  const last = new Map(ended.map(({ command_key, source_invocation_id }) => [command_key, source_invocation_id]));
  const invocations = ended.filter((call) => last.get(call.command_key) === call.source_invocation_id);
  return { ...attempt, invocations };
}

/** Why no test can be made of an attempt: a test must be self-contained. */
function findUnfit({ attempt_id, status, failure_class }: AttemptRecord) {
  if (status === 'running' || status === 'suspended') return refuse(problem('ATTEMPT_RUNNING', { attempt_id, status }));
  const ended = status === 'interrupted' ? 'was interrupted' : FROM_OUTSIDE[failure_class ?? ''];
  return ended === undefined ? undefined : refuse(problem('ATTEMPT_NOT_RECORDABLE', { attempt_id, ended }));
}

/** Failures whose cause is no answer, by their class. */
const FROM_OUTSIDE: Readonly<Record<string, string>> = {
  stopped: 'was stopped',
  interrupted: 'lost its driver in the middle of a side effect',
  poisoned: 'lost one driver after the other',
  record_mismatch: 'could not resume from its records',
};

async function nameScenario(
  engine: Engine,
  { scenario_hash }: AttemptRecord,
  { scenario_path, out_path, place }: RecordRequest,
): Promise<Outcome<WorkflowTest['scenario_ref']>> {
  if (scenario_path === undefined) return succeed({ hash: scenario_hash });
  const read = await readScenario(engine, scenario_path, place);
  if (!read.ok) return read;
  if (read.value.hash !== scenario_hash)
    return refuse(problem('RECORD_SCENARIO_DIFFERS', { path: scenario_path, scenario_hash }));
  const folder = out_path === undefined ? place.working_folder : dirname(resolve(place.working_folder, out_path));
  const path = relativePath(folder, resolve(place.working_folder, scenario_path));
  return succeed({ path: path.startsWith('../') ? path : `./${path}` });
}

async function recordAnswers(engine: Engine, attempt: AttemptRecord, view: InvocationView) {
  const refused = new Set(
    attempt.timeline.flatMap((event) =>
      event.event_kind === 'call_refused' ? (event.source_invocation_id ?? '') : [],
    ),
  );
  const calls: RecordedCall[] = [];
  const problems: Problem[] = [];
  for (const { source_invocation_id } of attempt.invocations) {
    const recorded = await recordAnswer(engine, source_invocation_id, view, refused.has(source_invocation_id));
    if (!recorded.ok) {
      problems.push(...recorded.problems);
      continue;
    }
    if (recorded.value !== undefined) calls.push(recorded.value);
  }
  if (problems.length > 0) return refuse(...problems);
  const shortKeys = calls.map(({ key }) => withoutMark(key));
  const nameOf = (key: string): string =>
    shortKeys.filter((short) => short === withoutMark(key)).length === 1 ? withoutMark(key) : key;
  const answers = Object.fromEntries(calls.map(({ key, answer }) => [nameOf(key), answer]));
  return succeed({
    turns: { [attempt.attempted_turn]: answers },
    hidden: calls.filter(({ is_hidden }) => is_hidden).map(({ key }) => key),
  });
}

async function expectationOf(engine: Engine, attempts: Attempts): Promise<WorkflowTest['expect']> {
  const turns = Object.fromEntries(attempts.map((attempt) => [attempt.attempted_turn, toExpectedTurn(attempt)]));
  const { status, world_slug, attempted_turn } = attempts.at(-1) ?? attempts[0];
  if (status !== 'committed') return { turns };
  const after = await showWorld(engine, { world_slug, turn: attempted_turn });
  const patches = attempts.flatMap((attempt) => attempt.patches);
  return after.ok ? { turns, world: toExpectedWorld({ patches, attempted_turn }, after.value) } : { turns };
}

function toExpectedTurn(attempt: AttemptRecord): ExpectedTurn {
  const { failure, patches, rejections } = toTurn(attempt, []);
  const tools = attempt.invocations.flatMap(({ tool_name }) => tool_name ?? []);
  const known = {
    ...present({ failure: failure && withoutNulls({ ...failure, message: null }) }),
    patches,
    tools,
    rejections: rejections.map(({ message: _message, ...rejection }) => rejection),
  };
  return known as unknown as ExpectedTurn;
}

function withoutNulls(value: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Of the entities and places that the turns changed. */
function toExpectedWorld(
  { patches, attempted_turn }: Pick<AttemptRecord, 'patches' | 'attempted_turn'>,
  after: WorldSnapshot,
): ExpectedWorld {
  const effects = patches.flatMap((patch) => patch.effects.map(toEffect));
  const touched = new Set(effects.flatMap(({ entity_id }) => entity_id ?? []));
  const places = new Set(effects.flatMap(({ environment_label }) => environment_label ?? []));
  const entities = after.entities.filter(({ id }) => touched.has(id));
  const environments = after.environments.filter(({ label }) => places.has(label));
  return {
    turn: attempted_turn,
    entities: Object.fromEntries(
      entities.map(({ id, state, memory }) => [
        id,
        present({ state, memory: memory.length === 0 ? undefined : memory.map(({ content }) => content) }),
      ]),
    ),
    environments: Object.fromEntries(environments.map(({ label, content }) => [label, { content }])),
  };
}

const LABEL_LENGTH_MAX = 64;

function labelOf({ world_slug, attempted_turn }: AttemptRecord): string {
  const ending = `-turn-${attempted_turn}`;
  return world_slug.slice(0, LABEL_LENGTH_MAX - ending.length).replace(/[-_]+$/, '') + ending;
}
