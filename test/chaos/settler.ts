import type { Json } from '../../engine/contract/json.js';
import type { Engine } from '../../engine/operations/engine.js';
import { settleCall } from '../../engine/operations/settling/settle-call.js';
import type { Toys } from '../../fixtures/toys/index.js';
import { must } from '../support/park-stage.js';

/** The services' answers about a deed, by its tool. */
const ANSWERS: Readonly<Record<string, Json>> = {
  buy_candy: { status: 'empty', remaining: 0, message: 'No candy bars remain. Your coin was returned.' },
  use_drinking_fountain: { status: 'running', message: 'Cold, clear water runs for a few seconds.' },
  send_text: { status: 'sent', message_id: 'message-1' },
};

interface Doubt {
  readonly attempt_id: string;
  readonly call: string;
  readonly tool_name: string;
}

interface World {
  readonly engine: Engine;
  readonly toys: Toys;
  query<Row extends object>(text: string): Promise<readonly Row[]>;
}

/** Decides about every call that is in doubt, as a person does who asks the services whether it took place. */
export async function settleDoubts({ engine, toys, query }: World): Promise<void> {
  const doubts = await query<Doubt>(
    `SELECT attempt_id, source_invocation_id AS call, tool_name
     FROM worlds JOIN source_invocations AS calls
       ON calls.world_slug = worlds.world_slug AND calls.attempt_id = worlds.adoptable_attempt_id
     WHERE effect_class <> 'read_only' AND (calls.status = 'interrupted' OR outcome_unknown) AND NOT EXISTS (
         SELECT FROM call_settlements AS settled WHERE settled.source_invocation_id = calls.source_invocation_id)`,
  );
  for (const { attempt_id, call, tool_name } of doubts) {
    const requests = [toys.vending, toys.fountain, toys.phone].flatMap(({ served }) => served);
    const has_taken_place = requests.some(({ headers }) => headers['x-chukwa-correlation-id'] === call);
    const answer = has_taken_place ? { answer: ANSWERS[tool_name] ?? null } : {};
    must(await settleCall(engine, { attempt_id, source_invocation_id: call, ...answer }));
  }
}
