import { type Outcome, type Problem, problem, refuse, succeed } from '../../contract/problem.js';
import type { SealedWorld } from '../../ports/studies.js';
import type { WorldRecord } from '../../ports/worlds.js';
import type { Engine } from '../engine.js';
import { forkWorld } from '../worlds/fork-world.js';
import { type RunRequest, runTurns } from '../running/run-turns.js';
import { createWorld } from '../worlds/worlds.js';

/** How a world of a study stands after it was played. */
export interface WorldEnd {
  /**
   * `waits`: for a person or a service; `elsewhere`: another process plays it; `stopped`: before its last turn;
   * `unbegun`: the world that it continues has not come so far.
   */
  readonly state: 'done' | 'failed' | 'waits' | 'elsewhere' | 'stopped' | 'unbegun';
  /** Its latest committed turn. */
  readonly turn: number;
  /** The turns that were committed now. */
  readonly turns_played: number;
  /** Why it has failed. */
  readonly because?: Reason;
}

/** A failure class or the code of a problem, and a sentence. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export interface PlaySettings extends Pick<RunRequest, 'retries' | 'signal'> {
  /** The command that plays the study again, for repairs. */
  readonly rerun: string;
}

/** Makes a world of a study where it is missing, and runs the turns that it lacks. What another process has done stays done. */
export async function playWorld(engine: Engine, world: SealedWorld, settings: PlaySettings): Promise<WorldEnd> {
  const made = await makeWorld(engine, world);
  if (!made.ok) return { state: 'failed', turn: 0, turns_played: 0, because: toReason(made.problems) };
  const { turn } = made.value;
  const turns = world.until_turn - turn;
  if (turns <= 0) return { state: 'done', turn, turns_played: 0 };
  const { world_slug } = world;
  const run = await runTurns(engine, {
    ...settings,
    world_slug,
    turns,
    until_turn: world.until_turn,
    onProgress: () => {},
  });
  // A lost database ends the study: this statement tells.
  const reached = (await engine.store.worlds.find(world_slug))?.turn ?? turn;
  const played = { turn: reached, turns_played: Math.max(0, reached - turn) };
  if (!run.ok) return { ...played, ...toRefusedEnd(run.problems) };
  if (reached >= world.until_turn) return { state: 'done', ...played };
  const last = run.value.turns.at(-1);
  if (last?.status === 'suspended') return { state: 'waits', ...played };
  if (last === undefined || last.failure_class === null || settings.signal.aborted)
    return { state: 'stopped', ...played };
  const because = { code: last.failure_class, message: last.failure_message ?? '' };
  return { state: 'failed', ...played, because };
}

const OF_OTHERS: readonly string[] = ['WORLD_BUSY', 'WORLD_OVERTAKEN'];

function toRefusedEnd(problems: readonly Problem[]): Pick<WorldEnd, 'state' | 'because'> {
  if (problems.some(({ code }) => OF_OTHERS.includes(code))) return { state: 'elsewhere' };
  return { state: 'failed', because: toReason(problems) };
}

function toReason(problems: readonly Problem[]): Reason {
  return { code: problems[0]?.code ?? '', message: problems.map(({ message }) => message).join(' ') };
}

/** The world of a study, which is made unless it is there. @returns a refusal where it goes on by other documents */
export async function makeWorld(engine: Engine, world: SealedWorld): Promise<Outcome<WorldRecord>> {
  const { world_slug, scenario_hash, parent } = world;
  const known = await engine.store.worlds.find(world_slug);
  if (known !== undefined) return checkOwn(known, world);
  const made =
    parent === null
      ? await createWorld(engine, { world_slug, scenario_hash })
      : await forkWorld(engine, {
          source_slug: parent.world_slug,
          at_turn: parent.turn,
          world_slug,
          scenario: { scenario_hash },
        });
  if (made.ok) return made;
  // Another process may have made it meanwhile.
  const other = await engine.store.worlds.find(world_slug);
  return other === undefined ? made : checkOwn(other, world);
}

function checkOwn(found: WorldRecord, { world_slug, scenario_hash }: SealedWorld): Outcome<WorldRecord> {
  return found.scenario_hash === scenario_hash
    ? succeed(found)
    : refuse(problem('STUDY_WORLD_CHANGED', { world_slug }));
}
