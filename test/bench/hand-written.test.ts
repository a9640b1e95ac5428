import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openInFolder } from '../../engine/store/embedded.js';
import type { CapturedCall } from '../../tools/bench/services.js';
import { openArm } from '../../tools/bench/turns/arms/hand-written.js';
import type { BareAnswer, BareClients } from '../../tools/bench/turns/bare-turn.js';
import { must } from '../../tools/must.js';

const READING: CapturedCall = { to: 'toy', url: '', client_request_id: 'bench/turn-1/turn/weather', body: {} };

const ANSWER: BareAnswer = {
  text: '{}',
  status: 200,
  headers: {},
  pieces: [],
  usage: { prompt_tokens: 0, completion_tokens: 0 },
  finish_reason: '',
};

const clients: BareClients = {
  ask: async () => ANSWER,
  close: async () => {},
};

test('the hand-written record writes a turn to the embedded database of a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-hand-'));
  try {
    const arm = await openArm(join(folder, 'arm'), clients);
    await arm.turn([READING]);
    await arm.close();
    const database = must(await openInFolder(join(folder, 'arm'), undefined));
    const { rows } = await database.query<{ status: string }>('SELECT status FROM floor_calls');
    await database.close();
    assert.deepEqual(rows, [{ status: 'succeeded' }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
