import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { act } from '../../engine/catalogue/act.js';
import { settleCall } from '../../engine/catalogue/actions/calls.js';
import { runTurns, takeBackTurns } from '../../engine/catalogue/actions/worlds.js';
import { misbehave } from '../support/faults.js';
import { browseOverview } from '../../engine/operations/browse/overview.js';
import { personHere } from '../../engine/operations/people/person-here.js';
import { listWorlds } from '../../engine/operations/worlds/worlds.js';
import { must, sharedStage } from '../support/park-stage.js';

describe('what a world does', () => {
  const open = sharedStage('PostgreSQL');

  test('is told of every world, and those that need a person come first', async () => {
    const { engine, ...stage } = await open();
    const calm = (await stage.play({ scenario: 'park', turns: 1 })).world_slug;
    misbehave(stage.toys.vending, 'reset_connection');
    const { world_slug: doubted, attempts } = await stage.play({ scenario: 'tools' });
    misbehave(stage.toys.vending);
    const stateOf = async (slug: string): Promise<string | undefined> =>
      must(await listWorlds(engine)).find(({ world_slug }) => world_slug === slug)?.state;
    const stirring = async (): Promise<readonly string[]> =>
      must(await browseOverview(engine, 'consumer')).stirring.map(({ world_slug, state }) => `${world_slug} ${state}`);

    assert.equal(await stateOf(calm), 'at rest');
    assert.equal(await stateOf(doubted), 'in doubt');
    assert.equal((await stirring())[0], `${doubted} in doubt`);
    assert.ok(!(await stirring()).some((said) => said.startsWith(`${calm} `)));

    await act(engine, runTurns, { world_slug: calm, turns: 1 }, personHere());
    assert.equal(await stateOf(calm), 'queued');
    await act(engine, takeBackTurns, { world_slug: calm }, personHere());
    assert.equal(await stateOf(calm), 'at rest');

    const source_invocation_id = attempts[0]?.failed_source_invocation_id ?? '';
    must(await act(engine, settleCall, { source_invocation_id }, personHere('the machine sold nothing')));
    assert.equal(await stateOf(doubted), 'failed');
  });
});
