/**
 * A dry run: the outcome of a world's next turns, if models and sources gave the written answers. It runs in a database
 * that is thrown away, on a copy of the world that begins at the world's turn; the world itself is only read.
 */
import { type Outcome, succeed } from '../../contract/problem.js';
import type { Program } from '../../core/protocol/program.js';
import { writtenKey } from '../../core/workflow-test/command-key.js';
import type { World } from '../../core/world/world.js';
import type { Answers } from '../../generated/answers.js';
import type { ComponentRecord } from '../../ports/components.js';
import type { WorldScenario, WorldSnapshot } from '../../ports/worlds.js';
import type { Composition } from '../composition.js';
import type { Place } from '../documents/index.js';
import { type Engine, whileOpen } from '../engine.js';
import { loadScenario } from '../running/load-program.js';
import { type RunReport, type RunRequest, runTurns } from '../running/run-turns.js';
import { type WatchedRun, withNews } from '../running/run-world.js';
import { adoptNamed } from '../worlds/change-scenario.js';
import { findEdited } from '../authoring/edited-files.js';
import type { NamedScenario } from '../worlds/change-scenario.js';
import { showWorld } from '../worlds/worlds.js';
import { checkNewFile, writeNewText } from '../write-files.js';
import { openAnswerBook } from './answer-book.js';
import { loadAnswers } from './load-answers.js';
import { missingAnswer, openSkeleton, withoutTries } from './missing-answer.js';
import { plantWorld, toStorable } from './plant.js';
import { withOrigins } from './planted-origins.js';

interface DryRun extends Omit<WatchedRun, 'answers_file' | 'with_toys'>, Pick<RunRequest, 'world_slug'> {
  /** Absent where all answers are to be made up. */
  readonly answers?: { readonly path: string; readonly place: Place } | undefined;
  /** Absolute: the file for made-up answers, which fit their schemas, beside the given ones. */
  readonly write_missing?: string | undefined;
}

/** Runs turns of a copy of a world. No plugin is called, and every write is thrown away. */
export async function dryRun(composition: Composition, request: DryRun): Promise<Outcome<RunReport>> {
  const writable =
    request.write_missing === undefined ? undefined : await checkNewFile({ path: request.write_missing });
  if (writable?.ok === false) return writable;
  const original = await readWorld(composition, request.world_slug);
  if (!original.ok) return original;
  const book = openAnswerBook();
  const opened = await composition.openDryEngine(book.answerCall);
  if (!opened.ok) return opened;
  try {
    const { world } = original.value;
    const copied = await copyWorld(opened.value, original.value, request.scenario);
    if (!copied.ok) return copied;
    const loaded = await loadScenario(opened.value, copied.value.scenario_hash);
    if (!loaded.ok) return loaded;
    const { program } = loaded.value;
    const answers = await readAnswers(opened.value, request, program);
    if (!answers.ok) return answers;
    const written = openSkeleton(program, answers.value.turns);
    const { scenario, write_missing } = request;
    book.prepare(world.world_slug, answers.value, write_missing === undefined ? undefined : written.fill);
    const news = scenario === undefined ? { edited: await findEdited(opened.value, original.value.chosen) } : {};
    request.onWorld(copied.value, opened.value.store.database, news);
    const engine = withEarlierEvents(withOrigins(opened.value, world), original.value.events);
    const asked = { ...request, execution: 'per_subject_ordered' } as const;
    const run = withNews(await runTurns(engine, asked), news);
    if (!run.ok) return run;
    if (write_missing !== undefined) {
      const text = JSON.stringify({ ...answers.value, turns: written.turns }, null, 2);
      const kept = await writeNewText({ path: write_missing }, `${text}\n`);
      if (!kept.ok) return kept;
    }
    const unused_answers = book.listUnused(world.world_slug);
    const missing = book.listMissing(world.world_slug);
    if (write_missing !== undefined) {
      const dry_run = { from_turn: world.turn, unused_answers, missing_answers: [], written_answers: missing.length };
      return succeed({ ...run.value, dry_run });
    }
    if (missing.length > 0 && run.value.turns.at(-1)?.status === 'failed') {
      // The rest of the turns, with made-up answers, shows what else is missing.
      book.prepare(world.world_slug, answers.value, written.fill);
      const committed = run.value.turns.filter(({ status }) => status === 'committed').length;
      const rest = { ...asked, turns: asked.turns - committed, anew: true, onProgress: () => undefined };
      const filled = await runTurns(engine, rest);
      if (!filled.ok) return filled;
    }
    const all = [...missing, ...withoutTries(book.listMissing(world.world_slug))];
    const byPlace = new Map(all.map((call) => [`${call.turn} ${writtenKey(program, call.key)}`, call]));
    const missing_answers = [...byPlace.values()].map((call) => missingAnswer(call, program));
    const dry_run = { from_turn: world.turn, unused_answers, missing_answers };
    return succeed({ ...run.value, dry_run });
  } finally {
    await opened.value.close();
  }
}

async function readAnswers(engine: Engine, { answers }: DryRun, program: Program): Promise<Outcome<Answers>> {
  if (answers !== undefined) return loadAnswers(engine.authoring, answers, program);
  return succeed({ version: 1, label: program.label, turns: {} });
}

/** The most turns whose events a projection can ask for. */
const EVENT_TURNS_MAX = 20;

interface OriginalWorld {
  readonly world: WorldSnapshot;
  /** Its scenario, and all that this refers to. */
  readonly components: readonly ComponentRecord[];
  readonly chosen: WorldScenario | undefined;
  readonly events: World['events'];
}

async function readWorld(composition: Composition, world_slug: string): Promise<Outcome<OriginalWorld>> {
  return whileOpen(await composition.openArchive(), async (archive) => {
    const world = await showWorld(archive, { world_slug });
    if (!world.ok) return world;
    const components = await archive.store.components.closure('scenario', world.value.scenario_hash);
    const chosen = (await archive.store.worlds.scenarios(world_slug)).at(-1);
    const events = await archive.store.worlds.events(world_slug, EVENT_TURNS_MAX);
    return succeed({ world: world.value, components, chosen, events });
  });
}

/** An engine whose worlds begin with the recent events of the copied world. */
function withEarlierEvents(engine: Engine, earlier: World['events']): Engine {
  const { attempts } = engine.runtime;
  const begin: typeof attempts.begin = async (request, isAlive) => {
    const begun = await attempts.begin(request, isAlive);
    if (begun.kind !== 'begun') return begun;
    const asked = earlier.filter(({ turn }) => turn > begun.world.turn - request.event_turns);
    return { ...begun, world: { ...begun.world, events: [...asked, ...begun.world.events] } };
  };
  return { ...engine, runtime: { ...engine.runtime, attempts: { ...attempts, begin } } };
}

async function copyWorld(
  engine: Engine,
  { world, components }: OriginalWorld,
  edited: NamedScenario | undefined,
): Promise<Outcome<WorldSnapshot>> {
  const { world_slug, scenario_hash } = world;
  await engine.store.components.put(toStorable(components));
  const planted = await plantWorld(engine, { world_slug, scenario_hash, start: world });
  if (!planted.ok || edited === undefined) return planted;
  const changed = await adoptNamed(engine, world_slug, edited);
  return changed.ok ? showWorld(engine, { world_slug }) : changed;
}
