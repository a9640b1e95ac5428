import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { Call } from '../../core/facts/call.js';
import type { Chain, PerformedOrder, Session } from '../../core/orders/fold-orders.js';
import type { WorkOrder } from '../../core/orders/work-order.js';
import type { ListPart } from '../../ports/browse.js';
import type { Archive } from '../engine.js';
import { readSession } from './read-ledger.js';

/** A work order, and the attempt that is its session. */
export interface ListedOrder extends WorkOrder {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
}

/** A work order with its contract and its calls. */
export interface OrderRecord extends ListedOrder {
  /** What its model was asked by; null of a `tool_call`. */
  readonly prompt_contract: JsonObject | null;
  readonly prompt_pack_id: string | null;
  /** In the order of their issue. */
  readonly calls: readonly OrderedCall[];
}

/** A call of an order. */
export interface OrderedCall {
  readonly source_invocation_id: string;
  readonly command_key: string;
  readonly invocation_kind: string;
  /** Null while it is under way. */
  readonly status: string | null;
  readonly is_superseded: boolean;
  readonly adopted_from: string | null;
}

/** The work orders of an attempt, by their numbers. */
export async function listOrders(
  archive: Archive,
  attempt_id: string,
  { after, limit }: ListPart,
): Promise<Outcome<readonly ListedOrder[]>> {
  const session = await readSession(archive, attempt_id);
  if (!session.ok) return session;
  const orders = performedIn(session.value).map(({ order }) => place(session.value, order));
  const rest = after === undefined ? orders : orders.slice(orders.findIndex(({ wo_id }) => wo_id === after) + 1);
  return succeed(rest.slice(0, limit));
}

/** One work order: its session's name leads to the attempt. */
export async function showOrder(archive: Archive, named: string): Promise<Outcome<OrderRecord>> {
  const id = named.toUpperCase();
  const session_id = /^WO-(SES-[0-9A-F]{8})-\d{3,}$/.exec(id)?.[1];
  const attempts = session_id === undefined ? [] : await archive.store.ledger.sessions(session_id);
  for (const { attempt_id } of attempts) {
    const session = await readSession(archive, attempt_id);
    if (!session.ok) return session;
    const found = performedIn(session.value).find(({ order }) => order.wo_id === id);
    if (found !== undefined) return succeed(toRecord(session.value, found));
  }
  return refuse(problem('ORDER_UNKNOWN', { id: named, is_whole: session_id !== undefined }));
}

function performedIn({ chains }: Session): readonly PerformedOrder[] {
  return chains.flatMap(({ orders }: Chain) => orders);
}

function place({ began }: Session, order: WorkOrder): ListedOrder {
  const { world_slug, attempt_id, attempted_turn } = began;
  return { ...order, world_slug, attempt_id, attempted_turn };
}

function toRecord(session: Session, { order, planned, calls }: PerformedOrder): OrderRecord {
  return {
    ...place(session, order),
    prompt_contract: planned.contract?.content ?? null,
    prompt_pack_id: planned.contract?.prompt_pack_id ?? null,
    calls: calls.map(toCall),
  };
}

function toCall({ start, end, is_superseded }: Call): OrderedCall {
  const { source_invocation_id, command_key, invocation_kind, adopted_from } = start;
  return {
    source_invocation_id,
    command_key,
    invocation_kind,
    status: end?.status ?? null,
    is_superseded,
    adopted_from,
  };
}
