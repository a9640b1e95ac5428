import type { Pool } from 'pg';
import { v7 as uuid } from 'uuid';
import type { CapturedCall } from '../stage/captured-call.js';
import type { BareClients } from './bare-turn.js';

// What one would write by hand who wants each call on record before and after, and the turn at once: no traces of
// streams, no fence, no audit, no provenance.

const TABLES = `
  CREATE TABLE floor_worlds (slug text PRIMARY KEY, turn bigint NOT NULL);
  CREATE TABLE floor_calls (id uuid PRIMARY KEY, slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL,
    command_key text NOT NULL, status text NOT NULL, request json NOT NULL, response text, http_status int,
    started_at timestamptz NOT NULL, ended_at timestamptz);
  CREATE TABLE floor_patches (slug text NOT NULL REFERENCES floor_worlds, turn bigint NOT NULL, patch_seq int NOT NULL,
    call_id uuid NOT NULL REFERENCES floor_calls, patch json NOT NULL, PRIMARY KEY (slug, turn, patch_seq));
  INSERT INTO floor_worlds VALUES ('bench', 0);`;

const START = {
  name: 'floor_start',
  text: `INSERT INTO floor_calls (id, slug, turn, command_key, status, request, started_at)
         VALUES ($1, 'bench', $2, $3, 'running', $4, now())`,
};
const FINISH = {
  name: 'floor_finish',
  text: `UPDATE floor_calls SET status = 'succeeded', response = $2, http_status = $3, ended_at = now() WHERE id = $1`,
};
const PATCH = { name: 'floor_patch', text: `INSERT INTO floor_patches VALUES ('bench', $1, $2, $3, $4)` };
const TURN = { name: 'floor_turn', text: `UPDATE floor_worlds SET turn = $1 WHERE slug = 'bench'` };

/** A turn written by hand. */
export interface HandWritten {
  turn(calls: readonly CapturedCall[]): Promise<void>;
}

/** Makes the tables in a database that has none of them. */
export async function openHandWritten(pool: Pool, clients: BareClients): Promise<HandWritten> {
  await pool.query(TABLES);
  let turn = 0;
  return {
    turn: async (calls) => {
      turn += 1;
      const patches: (readonly [string, string])[] = [];
      await clients.turn(calls, async (call, ask) => {
        const id = uuid();
        await pool.query({ ...START, values: [id, turn, call.client_request_id, JSON.stringify(call.body)] });
        const answer = await ask();
        await pool.query({ ...FINISH, values: [id, answer.text, answer.status] });
        if (answer.text.includes('"final_patch"')) patches.push([id, answer.text]);
        return answer;
      });
      await commit(pool, turn, patches);
    },
  };
}

async function commit(pool: Pool, turn: number, patches: readonly (readonly [string, string])[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const [index, [id, patch]] of patches.entries())
      await client.query({ ...PATCH, values: [turn, index + 1, id, patch] });
    await client.query({ ...TURN, values: [turn] });
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
