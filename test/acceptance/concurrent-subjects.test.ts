import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CallSource } from '../../engine/ports/sources.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Progress } from '../../engine/runtime/progress.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { paint } from '../../engine/surfaces/cli/render/paint.js';
import { narrate, STORY_BEGINNING } from '../../engine/surfaces/cli/render/story.js';
import { type Edit, editWorkflows, loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';

const ordered: Edit = (workflow) => ({ ...workflow, execution: 'per_subject_ordered' });

/** The village's documents, with subjects that run in order. */
function villagersInOrder(context: TestContext): Promise<string> {
  const names = ['mill', 'square', 'runner'].map((name) => `village/${name}-workflow.json`);
  return editWorkflows(context, Object.fromEntries(names.map((name) => [name, ordered])));
}

/** The common part of two worlds that were played alike. */
function contentsOf({ turn, environments, entities }: WorldSnapshot): unknown {
  return { turn, environments, entities };
}

/** Calls that were told as certain, and superseded afterwards. */
function listMisleading(progress: readonly Progress[]): readonly string[] {
  const certain = new Set<string>();
  return progress.flatMap((event) => {
    if (event.kind === 'attempt_began') certain.clear();
    if (event.kind === 'call_finished' && event.is_ahead !== true) certain.add(event.command.key);
    return event.kind === 'calls_superseded' ? event.keys.filter((key) => certain.has(key)) : [];
  });
}

/** The requests to the vending machine. */
function salesOf({ toys }: ParkStage): unknown {
  return toys.vending.served.map(({ body }) => body);
}

describe('a village whose subjects run concurrently', () => {
  const open = sharedStage('PostgreSQL');
  test('the village comes to the same world as in order, with one side effect where the story has one', async (context) => {
    const stage = await open();
    const ordered = await stage.play({ scenario: 'village', workflows: await villagersInOrder(context), turns: 3 });
    const inOrder = salesOf(stage);
    stage.toys.reset();
    const played = await stage.play({ scenario: 'village', turns: 3 });
    assert.deepEqual(contentsOf(played.after), contentsOf(ordered.after));
    assert.deepEqual(salesOf(stage), inOrder);
  });

  test('the record says which calls are superseded, and every agent turn ends well', async () => {
    const stage = await open();
    const played = await stage.play({ scenario: 'village', turns: 3 });
    const { attempts } = played;
    assert.deepEqual(listMisleading(played.progress), []);
    const superseded = attempts.flatMap(({ invocations }) => invocations.filter((call) => call.is_superseded));
    assert.ok(superseded.length > 0, 'the villagers never met');
    assert.ok(superseded.every(({ effect_class }) => effect_class === 'read_only'));
    const anew = attempts.flatMap(({ invocations }) =>
      invocations.filter(({ command_key }) => /@\d+$/.test(command_key)),
    );
    assert.ok(anew.some(({ status }) => status === 'succeeded'));
    for (const { agent_turns } of attempts)
      assert.deepEqual(new Set(agent_turns.map(({ outcome }) => outcome)), new Set(['success']));
  });

  test('drivers that break again and again leave the turn that the ordered village has', async (context) => {
    const stage = await open();
    const ordered = await stage.play({ scenario: 'village', workflows: await villagersInOrder(context), turns: 2 });
    stage.model.setScript(await loadScript('village'));
    const world = await stage.makeWorld({ scenario: 'village' });
    await breakAgainAndAgain(stage, world);
    assert.deepEqual(contentsOf(await stage.world(world.world_slug)), contentsOf(ordered.after));
  });

  test('a driver that resumes shows a subject in its place whom another had played ahead', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('village'));
    const { world_slug } = await stage.makeWorld({ scenario: 'village' });
    await breakBehind(stage, world_slug, 'ines');
    const progress: Progress[] = [];
    const { signal } = new AbortController();
    const onProgress = (event: Progress): void => void progress.push(event);
    await runTurns(stage.engine, { world_slug, turns: 1, signal, onProgress });
    assert.deepEqual(listShown(progress), ['marta', 'tom', 'ines', 'joss', 'pip']);
  });
});

describe('a village whose endpoints admit one call at a time', () => {
  const open = sharedStage('PostgreSQL', () => ({ CHUKWA_ENDPOINT_MAX_IN_FLIGHT: '1' }));

  test('a village whose endpoints admit one call at a time has a record of no call that was superseded before it was made, and counts the others as the run does', async () => {
    const stage = await open();
    const played = await stage.play({ scenario: 'village', turns: 2 });
    const calls = played.attempts.flatMap(({ invocations }) => invocations);
    assert.deepEqual(
      calls.filter(({ failure_class, is_superseded }) => failure_class === 'stopped' && !is_superseded),
      [],
    );
    const superseded = played.progress.flatMap((event) => (event.kind === 'calls_superseded' ? event.keys : []));
    const counted = played.attempts.map(({ superseded_call_count }) => superseded_call_count);
    const noted = calls.filter(({ is_superseded }) => is_superseded);
    assert.ok(noted.length > 0, 'the villagers never met');
    assert.equal(superseded.length, noted.length);
    assert.equal(
      counted.reduce((sum, count) => sum + count, 0),
      noted.length,
    );
  });
});

/** The subjects that the command line names, in the order in which it does. */
function listShown(progress: readonly Progress[]): readonly string[] {
  let story = STORY_BEGINNING;
  const text = progress.map((event) => {
    const narrated = narrate(story, event);
    ({ story } = narrated);
    return paint(narrated.lines, { width: 100, has_colours: false, program: 'npx chukwa' });
  });
  return Array.from(text.join('').matchAll(/^ {2}([a-z]+)$/gm), ([, id = '']) => id);
}

/** Its driver breaks when one subject has been played ahead, while nobody else is answered. */
async function breakBehind({ engine }: ParkStage, world_slug: string, subject_id: string): Promise<void> {
  const broken = new AbortController();
  const hasBroken = new Promise((resolve) => broken.signal.addEventListener('abort', resolve));
  const callSource: CallSource = async (command, ...others) => {
    if (![undefined, subject_id].includes(command.subject_id)) await hasBroken;
    return engine.runtime.callSource(command, ...others);
  };
  const onProgress = (event: Progress): void => {
    if (event.kind !== 'call_finished' || event.verdict?.model_output_kind !== 'final_patch') return;
    broken.abort();
    throw new Error('the driver breaks');
  };
  const breaking = { ...engine, runtime: { ...engine.runtime, callSource } };
  const { signal } = new AbortController();
  await assert.rejects(runTurns(breaking, { world_slug, turns: 1, signal, onProgress }), /the driver breaks/);
}

/** Plays two turns; a driver breaks at one of its events, without a side effect under way, and the next one resumes. */
async function breakAgainAndAgain({ engine }: ParkStage, { world_slug }: WorldSnapshot): Promise<void> {
  const { signal } = new AbortController();
  for (let drivers = 0; drivers < 40; drivers += 1) {
    const turn = (await engine.store.worlds.find(world_slug))?.turn ?? 0;
    if (turn === 2) return;
    const acting = new Set<string>();
    // A side effect is under way from its command on: its start may be on record before watchers are notified of it.
    const callSource: CallSource = (command, ...others) => {
      if (command.call.effect !== 'read_only') acting.add(command.key);
      return engine.runtime.callSource(command, ...others);
    };
    let progress_count = 0;
    const onProgress = (progress: Progress): void => {
      if (progress.kind === 'call_finished') acting.delete(progress.command.key);
      progress_count += 1;
      if (progress_count >= 5 + drivers && acting.size === 0) throw new Error('the driver breaks');
    };
    const breaking = { ...engine, runtime: { ...engine.runtime, callSource } };
    await runTurns(breaking, { world_slug, turns: 2 - turn, signal, onProgress }).catch(() => undefined);
  }
  assert.fail('the turns are not committed');
}
