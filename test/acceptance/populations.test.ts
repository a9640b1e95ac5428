import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { editWorkflows, openParkStage, type ParkStage, type Play, sharedStage } from '../support/park-stage.js';

const ROUNDS = 5;

/** Plays the public goods game under the name that a file gives it. */
async function playNamed(context: TestContext, stage: ParkStage, name: string): Promise<Play> {
  const workflows = await editWorkflows(context, {});
  const game = join(workflows, 'public-goods');
  await copyFile(join(game, `${name}.md`), join(game, 'name.md'));
  return stage.play({ scenario: 'public-goods', workflows, turns: ROUNDS });
}

/** What each player gave in a round, by the state that the world holds after it. */
async function listGiven(stage: ParkStage, world_slug: string, turn: number): Promise<readonly number[]> {
  const { entities } = await stage.world(world_slug, turn);
  return entities.map(({ state }) => Number(/^gave (\d+) of 20 tokens in round \d+$/.exec(state)?.[1]));
}

async function meanGiven(stage: ParkStage, { world_slug }: Play): Promise<number> {
  const rounds = Array.from({ length: ROUNDS }, (_, index) => listGiven(stage, world_slug, index + 1));
  const given = (await Promise.all(rounds)).flat();
  return given.reduce((sum, one) => sum + one, 0) / given.length;
}

describe('a public goods game of a population', () => {
  const open = sharedStage('PostgreSQL');

  test('players give as the name of the game says, and play at once: no call is superseded', async (context) => {
    const stage = await open();
    const [community, wallStreet] = [
      await playNamed(context, stage, 'community'),
      await playNamed(context, stage, 'wall-street'),
    ];
    // Twenty draws of deviation 3: three standard errors on either side.
    assert.ok(Math.abs((await meanGiven(stage, community)) - 12) < 2);
    assert.ok(Math.abs((await meanGiven(stage, wallStreet)) - 8) < 2);
    const calls = [community, wallStreet].flatMap(({ attempts }) => attempts.flatMap(({ invocations }) => invocations));
    assert.deepEqual(new Set(calls.map(({ status }) => status)), new Set(['succeeded']));
    assert.ok(calls.every(({ is_superseded }) => !is_superseded));
  });

  test('what all gave reaches the prompts of the next round by what the world holds', async () => {
    const stage = await open();
    const { world_slug } = await stage.play({ scenario: 'public-goods', turns: 2 });
    const given = await listGiven(stage, world_slug, 1);
    const pot = given.reduce((sum, one) => sum + one, 0);
    const prompts = stage.model.requests.filter(({ turn }) => turn === 2).map(({ body }) => JSON.stringify(body));
    assert.equal(prompts.length, 8);
    for (const prompt of prompts) {
      assert.ok(prompt.includes(`\\"pot\\":${pot}`));
      for (const gave of given) assert.ok(prompt.includes(`\\"gave\\":${gave},`));
    }
  });
});

test('a world of the same name and script is played the same again', async () => {
  const worlds = await Promise.all(
    ['first', 'second'].map(async () => {
      const stage = await openParkStage('PostgreSQL');
      try {
        const { after } = await stage.play({ scenario: 'prisoners-dilemma', turns: 3 });
        return after.entities.map(({ id, state, memory }) => ({ id, state, memory }));
      } finally {
        await stage.close();
      }
    }),
  );
  assert.deepEqual(worlds[0], worlds[1]);
});
