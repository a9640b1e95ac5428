import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import { type SettledCall, settleCall } from '../../engine/operations/settle-call.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { must } from '../support/park-stage.js';
import { type Arena, openArena } from './arena.js';

const TOOL = 'bob/act/round-1/try-1/tool';

for (const kind of ['embedded', 'PostgreSQL'] as const) {
  describe(`a side effect that nobody saw end (${kind})`, () => {
    let arena: Arena;
    let folder: string;
    before(async () => {
      arena = await openArena(kind);
      folder = await mkdtemp(join(tmpdir(), 'chukwa-settle-'));
    });
    after(async () => {
      await rm(folder, { recursive: true, force: true });
      await arena.close();
    });

    /** A world whose turn failed because its driver died between the sale and its record. */
    async function makeDoubt(): Promise<{ readonly world_slug: string; readonly failed: AttemptRecord }> {
      for (let life = 1; ; life += 1) {
        const world_slug = await arena.makeWorld('tools');
        const { report: undisturbed } = await arena.play(world_slug, life);
        assert.equal(undisturbed, undefined, 'the driver never died with a sale under way');
        if (arena.stage.toys.vending.served.length === 0) continue;
        const { report } = await arena.play(world_slug, Infinity);
        const failed = await arena.freshStore().records.attempt(report?.turns[0]?.attempt_id ?? '');
        assert.deepEqual([failed?.status, failed?.failure_class], ['failed', 'interrupted']);
        assert.ok(failed);
        return { world_slug, failed };
      }
    }

    async function settle(failed: AttemptRecord, answer?: Json) {
      const result_file = join(folder, 'result.json');
      if (answer !== undefined) await writeFile(result_file, JSON.stringify(answer));
      return settleCall(arena.freshEngine(), {
        attempt_id: failed.attempt_id,
        ...(answer === undefined ? {} : { result_file }),
      });
    }

    async function goOn(world_slug: string): Promise<AttemptRecord> {
      const { report } = await arena.play(world_slug, Infinity);
      const attempt = await arena.freshStore().records.attempt(report?.turns[0]?.attempt_id ?? '');
      return attempt ?? assert.fail('nothing was tried');
    }

    const keysOf = ({ invocations }: AttemptRecord): readonly string[] =>
      invocations.map(({ command_key }) => command_key);

    test('and took place: the next attempt goes on with its answer, and asks nothing again', async () => {
      const { world_slug, failed } = await makeDoubt();
      const expected: SettledCall = {
        world: world_slug,
        attempt_id: failed.attempt_id,
        source_invocation_id: failed.failed_source_invocation_id ?? '',
        command_key: TOOL,
        performed: true,
        left_in_doubt: 0,
      };
      const bought = { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' };
      assert.deepEqual(must(await settle(failed, bought)), expected);
      const attempt = await goOn(world_slug);
      assert.deepEqual([attempt.status, attempt.continues_attempt_id], ['committed', failed.attempt_id]);
      assert.ok(!keysOf(attempt).includes(TOOL), 'the tool was asked again');
      assert.deepEqual(
        keysOf(attempt).filter((key) => keysOf(failed).includes(key)),
        [],
        'a finished call was repeated',
      );
      assert.equal(arena.stage.toys.vending.served.length, 1);
    });

    test('and did not take place: the next attempt asks it, and only that, again', async () => {
      const { world_slug, failed } = await makeDoubt();
      assert.equal(must(await settle(failed)).performed, false);
      const attempt = await goOn(world_slug);
      assert.equal(attempt.status, 'committed');
      assert.deepEqual(
        keysOf(attempt).filter((key) => keysOf(failed).includes(key)),
        [TOOL],
      );
    });

    test('is settled once, and only with an answer that the source could have given', async () => {
      const { failed } = await makeDoubt();
      const misfit = await settle(failed, { status: 7 });
      assert.ok(!misfit.ok && misfit.problems.length > 0, 'a misfit was taken');
      assert.ok(misfit.problems.every(({ location }) => location?.file.endsWith('result.json')));
      must(await settle(failed));
      const again = await settle(failed);
      assert.deepEqual(!again.ok && again.problems.map(({ code }) => code), ['CALL_ALREADY_SETTLED']);
    });

    test('cannot be settled any more once the world has gone on without it', async () => {
      const { world_slug, failed } = await makeDoubt();
      assert.equal((await goOn(world_slug)).continues_attempt_id, null);
      const late = await settle(failed);
      assert.deepEqual(!late.ok && late.problems.map(({ code }) => code), ['SETTLED_TOO_LATE']);
    });

    test('an attempt without one has nothing to settle', async () => {
      const world_slug = await arena.makeWorld('simple');
      const done = await settle(await goOn(world_slug));
      assert.deepEqual(!done.ok && done.problems.map(({ code }) => code), ['CALL_NOT_IN_DOUBT']);
    });
  });
}
