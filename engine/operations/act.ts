import type { Json, JsonObject } from '../contract/json.js';
import { present } from '../contract/present.js';
import type { ActionPlace, OperatorActionKind } from '../ports/operator-actions.js';
import { type Done, type Engine, refuse, succeed } from './engine.js';
import { forkWorld } from './fork-world.js';
import { showAttempt, showInvocation } from './records.js';
import { type Acknowledgement, askToStop, findMeantCall, reportByHand, type SaidReport } from './reports.js';
import { queueTurns } from './run-worker.js';
import { settleCall } from './settle-call.js';
import { takeBackTurns } from './take-back-turns.js';
import { findSlugProblem, showWorld } from './worlds.js';

export type OperatorAction =
  | { readonly kind: 'run_turns'; readonly world_slug: string; readonly turns: number }
  | { readonly kind: 'take_back_turns'; readonly world_slug: string }
  | { readonly kind: 'stop_attempt'; readonly attempt_id: string }
  | { readonly kind: 'fork_world'; readonly world_slug: string; readonly at_turn: number; readonly as: string }
  /** `answer` is absent where the call was never performed. */
  | { readonly kind: 'settle_call'; readonly source_invocation_id: string; readonly answer?: Json }
  /** Names the call by its id, or by its service's. */
  | { readonly kind: 'report_call'; readonly correlation_id: string; readonly said: SaidReport };

export interface Actor {
  /** `token`, `command`, or the name of a session. */
  readonly acted_by: string;
  readonly address: string;
  readonly reason?: string;
}

/**
 * Performs an operator's action, with an entry in the audit: actor, time and reason are written before it, the outcome
 * after it.
 * @returns a refusal, without an entry, where the named thing does not exist, or a new name is taken; else what the
 * operation itself refuses
 */
export async function act(engine: Engine, action: OperatorAction, actor: Actor): Promise<Done<Acknowledgement>> {
  const rule = ruleOf(action);
  const place = await rule.locate(engine, action);
  if (!place.ok) return place;
  const { world_slug } = place.value;
  const { acted_by, address } = actor;
  const clean = await findReplacer(engine, world_slug);
  const reason = actor.reason === undefined ? undefined : clean(actor.reason);
  const action_id = engine.runtime.clock.uuid();
  await engine.store.actions.begin({
    ...place.value,
    action_id,
    action: action.kind,
    acted_by,
    address,
    reason: reason ?? null,
    details: clean(rule.describe(action)),
    acted_at: engine.runtime.clock.now(),
  });
  const done = await rule.perform(engine, action, reason);
  const { accepted, message } = done.ok ? done.value : { accepted: false, message: messagesOf(done.problems) };
  await engine.store.actions.end({ world_slug, action_id, accepted, outcome: clean(message) });
  return done;
}

/** A reason may hold a secret of any source of the world. */
async function findReplacer(
  { store, replaceSecrets }: Engine,
  world_slug: string,
): Promise<<Said extends Json>(said: Said) => Said> {
  const world = await store.worlds.find(world_slug);
  const closure = world === undefined ? [] : await store.components.closure('scenario', world.scenario_hash);
  const sources = closure.filter(({ kind }) => kind === 'response_source');
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

const LEFT_IN_DOUBT = ['no other call of its attempt is', 'one other call of its attempt is'];

interface ActionRule<Action> {
  readonly locate: (engine: Engine, action: Action) => Promise<Done<ActionPlace>>;
  /** The details that the audit keeps; no answers, which may be secret. */
  readonly describe: (action: Action) => JsonObject;
  readonly perform: (engine: Engine, action: Action, reason?: string) => Promise<Done<Acknowledgement>>;
}

type Rules = { readonly [Kind in OperatorActionKind]: ActionRule<Extract<OperatorAction, { readonly kind: Kind }>> };

const RULES: Rules = {
  run_turns: {
    locate: async (engine, { world_slug }) => placeOf(await showWorld(engine, { world_slug })),
    describe: ({ turns }) => ({ turns }),
    async perform(engine, { world_slug, turns }) {
      const queued = await queueTurns(engine, { world_slug, turns });
      if (!queued.ok) return queued;
      const { waiting } = queued.value;
      return accepted(
        `${turns === 1 ? 'A turn is' : `${turns} turns are`} queued; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} in all.`,
        world_slug,
      );
    },
  },
  take_back_turns: {
    locate: async (engine, { world_slug }) => placeOf(await showWorld(engine, { world_slug })),
    describe: () => ({}),
    perform: (engine, { world_slug }) => takeBackTurns(engine, world_slug),
  },
  stop_attempt: {
    locate: async (engine, { attempt_id }) => placeOf(await showAttempt(engine, attempt_id)),
    describe: () => ({}),
    perform: (engine, { attempt_id }, reason) => askToStop(engine, attempt_id, reason),
  },
  fork_world: {
    async locate(engine, { world_slug, as }) {
      const unusable = findSlugProblem(as);
      return unusable === undefined ? placeOf(await showWorld(engine, { world_slug })) : refuse(unusable);
    },
    describe: ({ at_turn, as }) => ({ at_turn, as }),
    async perform(engine, { world_slug, at_turn, as }) {
      const forked = await forkWorld(engine, { source_slug: world_slug, at_turn, world_slug: as });
      const message = `The world ${as} is a fork of ${world_slug} at turn ${at_turn}. It runs no turn until one is queued or run.`;
      return forked.ok ? accepted(message, as) : forked;
    },
  },
  settle_call: {
    locate: async (engine, { source_invocation_id: id }) => placeOf(await showInvocation(engine, id)),
    describe: ({ answer }) => ({ performed: answer !== undefined }),
    async perform(engine, { source_invocation_id, answer }, reason) {
      const call = await showInvocation(engine, source_invocation_id);
      if (!call.ok) return call;
      const { attempt_id } = call.value;
      const settled = await settleCall(engine, present({ attempt_id, source_invocation_id, answer, reason }));
      if (!settled.ok) return settled;
      const { performed, left_in_doubt, world } = settled.value;
      const left = `${LEFT_IN_DOUBT[left_in_doubt] ?? `${left_in_doubt} other calls of its attempt are`} in doubt`;
      const message = `The call ${performed ? 'took place' : 'did not take place'}; ${left}.`;
      return succeed({ accepted: true, message, world, attempt_id, source_invocation_id });
    },
  },
  report_call: {
    locate: async (engine, { correlation_id }) => placeOf(await findMeantCall(engine, correlation_id)),
    describe: ({ said }) => ({ said: said.kind }),
    perform: (engine, { correlation_id, said }) => reportByHand(engine, correlation_id, said),
  },
};

/** The rule accepts exactly the kind of action that it is found by, which the type of a union cannot say. */
function ruleOf(action: OperatorAction): ActionRule<OperatorAction> {
  return RULES[action.kind] as ActionRule<OperatorAction>;
}

function accepted(message: string, world: string): Done<Acknowledgement> {
  return succeed({ accepted: true, message, world });
}

/** The place of what an action names, as far as there is one. */
function placeOf(
  found: Done<Pick<ActionPlace, 'world_slug'> & Partial<Pick<ActionPlace, 'attempt_id' | 'source_invocation_id'>>>,
): Done<ActionPlace> {
  if (!found.ok) return found;
  const { world_slug, attempt_id = null, source_invocation_id = null } = found.value;
  return succeed({ world_slug, attempt_id, source_invocation_id });
}
