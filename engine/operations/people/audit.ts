import { isObject } from '../../core/content/json-pointer.js';
import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { ActionPlace, ActionSurface } from '../../ports/operator-actions.js';
import type { InvocationRecord } from '../../ports/records.js';
import type { Engine } from '../engine.js';
import { findReasonProblem } from './reason.js';
import { showInvocation } from '../browse/records.js';
import type { Acknowledgement } from '../settling/reports.js';

export interface Actor {
  /** `token`, the name of a session, or that of the machine's user; `command` where no user is named. */
  readonly acted_by: string;
  readonly surface: ActionSurface;
  readonly address: string;
  readonly reason?: string;
}

/** A call with the parts that redaction hides: for the operator at the database's own machine. */
export async function showUnredacted(engine: Engine, id: string, actor: Actor): Promise<Outcome<InvocationRecord>> {
  const place = placeOf(await showInvocation(engine, id));
  if (!place.ok) return place;
  return auditLook(engine, place.value, actor, () => showInvocation(engine, id, 'unredacted'));
}

/** Reads what redaction hides, with an entry in the audit. */
export function auditLook<Value>(
  engine: Engine,
  place: ActionPlace,
  actor: Actor,
  look: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const seen = () => ({ accepted: true, message: 'The hidden parts were shown.' });
  return audit(engine, { ...place, action: 'see_unredacted', details: {} }, actor, look, seen);
}

/** The place of what an action names, with the details that the audit keeps. */
export type Located = ActionPlace & { readonly details: JsonObject };

type Audited = Located & { readonly action: string };

/**
 * Performs what an operator wants, with an entry in the audit: actor, time and reason are written before it, the outcome
 * after it.
 */
export async function audit<Value>(
  engine: Engine,
  { details, ...action }: Audited,
  actor: Actor,
  perform: (reason: string | undefined) => Promise<Outcome<Value>>,
  describe: (value: Value) => Pick<Acknowledgement, 'accepted' | 'message'>,
): Promise<Outcome<Value>> {
  // A blank reason is none.
  const given = actor.reason?.trim() || undefined;
  const too_long = findReasonProblem(given);
  if (too_long !== undefined) return refuse(too_long);
  const { world_slug } = action;
  const clean = await findReplacer(engine, world_slug);
  const reason = given === undefined ? undefined : clean(given);
  const action_id = engine.runtime.clock.uuid();
  await engine.store.actions.begin({
    ...actor,
    ...action,
    // Its entry outlives the world, and names it in its details.
    world_slug: action.action === 'delete_world' ? null : world_slug,
    action_id,
    reason: reason ?? null,
    details: clean(details),
    acted_at: engine.runtime.clock.now(),
  });
  const done = await perform(reason);
  const { accepted, message } = done.ok
    ? describe(done.value)
    : { accepted: false, message: messagesOf(done.problems) };
  await engine.store.actions.end({ action_id, accepted, outcome: clean(message) });
  return done;
}

/** A reason may hold a secret of any source of the world. */
async function findReplacer(
  { store, replaceSecrets }: Engine,
  world_slug: string,
): Promise<<Said extends Json>(said: Said) => Said> {
  const world = await store.worlds.find(world_slug);
  const closure = world === undefined ? [] : await store.components.closure('scenario', world.scenario_hash);
  const sources = closure.filter(({ kind, content }) => kind === 'response_source' && isObject(content['interface']));
  return (said) =>
    sources.reduce((left, { hash, content }) => {
      const definition = content['interface'] as JsonObject & { readonly name: string };
      const source = { plugin: definition.name, interface: definition };
      // The replacement keeps the type: text stays text, an object an object.
      return replaceSecrets({ source, correlation_id: hash }, left) as typeof left;
    }, said);
}

function messagesOf(problems: readonly { readonly message: string }[]): string {
  return problems.map(({ message }) => message).join(' ');
}

/** The place of what an action names, as far as there is one. */
export function placeOf(
  found: Outcome<Pick<ActionPlace, 'world_slug'> & Partial<Pick<ActionPlace, 'attempt_id' | 'source_invocation_id'>>>,
  details: JsonObject = {},
): Outcome<Located> {
  if (!found.ok) return found;
  const { world_slug, attempt_id = null, source_invocation_id = null } = found.value;
  return succeed({ world_slug, attempt_id, source_invocation_id, details });
}
