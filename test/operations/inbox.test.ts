import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v7 } from 'uuid';
import { inbox } from '../../engine/catalogue/resources/inbox.js';
import { asOperator } from '../../engine/surfaces/cli/resource-command.js';
import { paint } from '../../engine/surfaces/cli/render/paint.js';
import { misbehave } from '../support/faults.js';
import { must, sharedStage } from '../support/park-stage.js';
import { viewLines } from '../../engine/surfaces/cli/render/view.js';

describe('the inbox', () => {
  const open = sharedStage('PostgreSQL');

  test('counts what waits in each world, and lists alike messages once', async () => {
    const { engine, ...stage } = await open();
    const { world_slug: queued } = await stage.makeWorld({ scenario: 'simple' });
    await engine.store.inbox.enqueueTurns({ world_slug: queued, inbox_ids: [v7(), v7(), v7()] });
    misbehave(stage.toys.vending, 'reset_connection');
    const { world_slug: doubted } = await stage.play({ scenario: 'tools' });
    misbehave(stage.toys.vending);
    const shown = must(await inbox.read(engine, asOperator()));
    assert.deepEqual(shown.worlds, [
      { world_slug: queued, queued_turns: 3, put_off: null, waiting_attempts: 0, waited_calls: 0 },
      { world_slug: doubted, queued_turns: 0, put_off: null, waiting_attempts: 1, waited_calls: 1 },
    ]);
    assert.equal(shown.rows.length, 3);
    const lines = viewLines(inbox.view(shown, asOperator()));
    const text = paint(lines, { width: 1_000, has_colours: false, program: 'npx chukwa' });
    assert.match(text, new RegExp(`${doubted} +settle its calls in doubt +\\w*vending\\w* +[0-9a-f-]{36} `));
    assert.match(text, new RegExp(`\\n  2 × turn +${queued} +queued `));
  });
});
