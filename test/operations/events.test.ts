import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { showEvent, toEventId } from '../../engine/operations/browse/event.js';
import { must, sharedStage } from '../support/park-stage.js';

describe('an event of an attempt', () => {
  const open = sharedStage('PostgreSQL');

  test('is found by its id, with the call, the source, the workflow and the prompt that it is about', async () => {
    const { engine, ...stage } = await open();
    const { attempts } = await stage.play({ scenario: 'park', turns: 1 });
    const attempt = attempts[0];
    assert.ok(attempt);
    const { attempt_id, timeline, invocations } = attempt;
    let prompts = 0;
    for (const { event_seq, ...told } of timeline) {
      const event = must(await showEvent(engine, toEventId(attempt_id, event_seq)));
      const call = invocations.find(({ source_invocation_id: id }) => id === told.source_invocation_id);
      assert.equal(event.event_kind, told.event_kind);
      assert.equal(event.call?.llm_call_id, call?.llm_call_id);
      assert.equal(event.call?.command_key, call?.command_key);
      assert.equal(event.event_before, event_seq === 1 ? null : toEventId(attempt_id, event_seq - 1));
      assert.equal(event.event_after, event_seq === timeline.length ? null : toEventId(attempt_id, event_seq + 1));
      prompts += typeof event.call?.llm_call_id === 'string' ? 1 : 0;
    }
    assert.ok(prompts > 0);
    for (const id of ['', '7', `${attempt_id}.0`, `${attempt_id}.99999`, attempt_id, 'x.1']) {
      const found = await showEvent(engine, id);
      assert.equal(!found.ok && found.problems[0]?.code, 'EVENT_UNKNOWN', id);
    }
  });
});
