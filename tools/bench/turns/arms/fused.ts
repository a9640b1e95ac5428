import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { OpenArm } from '../arm.js';
import { type BareAnswer, makeCalls } from '../bare-turn.js';

/** Where a record that has no state of its own commits a turn. */
export const COMMITTED = `CREATE TABLE committed (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, patches json NOT NULL, at timestamptz NOT NULL DEFAULT now())`;

const TABLES = `
  CREATE TABLE starts (
    id uuid PRIMARY KEY, turn_id uuid NOT NULL, key text NOT NULL, request json NOT NULL, at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE ends (
    id uuid PRIMARY KEY REFERENCES starts, status int NOT NULL, answer text NOT NULL, pieces json NOT NULL, usage json NOT NULL,
    finish_reason text NOT NULL, at timestamptz NOT NULL DEFAULT now());
  ${COMMITTED}`;

const ENDED = `ended AS (
  INSERT INTO ends (id, status, answer, pieces, usage, finish_reason)
  SELECT id, status, answer, pieces, usage, finish_reason
  FROM json_to_recordset($1) AS e(id uuid, status int, answer text, pieces json, usage json, finish_reason text))`;
const GO_ON = `WITH ${ENDED} INSERT INTO starts (id, turn_id, key, request)
  SELECT id, turn_id, key, request FROM json_to_recordset($2) AS s(id uuid, turn_id uuid, key text, request json)`;
const END = `WITH ${ENDED} INSERT INTO committed (patches) VALUES ($2)`;

/**
 * A record written by hand in as few statements as can be: the ends of calls go with the starts of those that follow. It makes
 * its tables in an empty database.
 */
export const openArm: OpenArm = async (url, clients) => {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(TABLES);
  return {
    turn: async (calls) => {
      const turn_id = randomUUID();
      const answers: BareAnswer[] = [];
      let ended: object[] = [];
      let starting: object[] = [];
      let writing: Promise<unknown> | undefined;
      const write = async (): Promise<void> => {
        // Calls that begin at once are written by one statement.
        await new Promise((resolve) => setImmediate(resolve));
        const values = [JSON.stringify(ended), JSON.stringify(starting)];
        [ended, starting, writing] = [[], [], undefined];
        await pool.query({ name: 'go on', text: GO_ON, values });
      };
      await makeCalls(calls, async (call) => {
        const id = randomUUID();
        starting.push({ id, turn_id, key: call.client_request_id, request: call.body });
        await (writing ??= write());
        const answer = await clients.ask(call);
        const { status, text, pieces, usage, finish_reason } = answer;
        ended.push({ id, status, answer: text, pieces, usage, finish_reason });
        answers.push(answer);
      });
      await pool.query({ name: 'end', text: END, values: [JSON.stringify(ended), toPatches(answers)] });
    },
    close: () => pool.end(),
  };
};

/** The patches that models said. */
export function toPatches(answers: readonly BareAnswer[]): string {
  const said = answers.map(({ text }) => JSON.parse(text) as { readonly kind?: string; readonly patch?: unknown });
  return JSON.stringify(said.flatMap(({ kind, patch }) => (kind === 'final_patch' ? [patch] : [])));
}
