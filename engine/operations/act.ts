import { type Outcome, refuse, succeed } from '../contract/problem.js';
import type { Json, JsonObject } from '../contract/json.js';
import { present } from '../contract/present.js';
import { isObject } from '../core/content/json-pointer.js';
import type { ActionPlace, ActionSurface, OperatorActionKind } from '../ports/operator-actions.js';
import type { Engine } from './engine.js';
import { findNamed, type NamedScenario, placeRefusal } from './change-scenario.js';
import { describeFork, forkWorld } from './fork-world.js';
import type { WantedScenario } from './load-program.js';
import { findReasonProblem } from './reason.js';
import type { InvocationRecord } from '../ports/records.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import { showAttempt, showInvocation } from './records.js';
import { type Acknowledgement, askToStop, findMeantCall, type Made, reportByHand, type SaidReport } from './reports.js';
import type { QueueReport } from './queue.js';
import { deleteWorld } from './delete-world.js';
import { queueTurns } from './run-worker.js';
import { type SettleRequest, settleCall, type SettledCall } from './settle-call.js';
import { takeBackTurns } from './take-back-turns.js';
import { findSlugProblem, showWorld, unknownWorld } from './worlds.js';

export type OperatorAction =
  | { readonly kind: 'run_turns'; readonly world_slug: string; readonly turns: number }
  | { readonly kind: 'take_back_turns'; readonly world_slug: string }
  | { readonly kind: 'stop_attempt'; readonly attempt_id: string }
  | {
      readonly kind: 'fork_world';
      readonly world_slug: string;
      readonly at_turn: number;
      readonly as: string;
      readonly scenario?: WantedScenario;
    }
  | { readonly kind: 'delete_world'; readonly world_slug: string }
  /** Names the call, or its attempt where one call is in doubt. `answer` is absent where the call was never performed. */
  | ({ readonly kind: 'settle_call' } & Partial<Omit<SettleRequest, 'reason'>>)
  /** Names the call by its id, or by its service's. */
  | { readonly kind: 'report_call'; readonly correlation_id: string; readonly said: SaidReport };

export interface Actor {
  /** `token`, the name of a session, or that of the machine's user; `command` where no user is named. */
  readonly acted_by: string;
  readonly surface: ActionSurface;
  readonly address: string;
  readonly reason?: string;
}

/**
 * Performs an operator's action, with an entry in the audit: actor, time and reason are written before it, the outcome
 * after it.
 * @returns a refusal, without an entry, where the named thing does not exist, or a new name is taken; else what the
 * operation itself refuses
 */
export async function act(engine: Engine, action: OperatorAction, actor: Actor): Promise<Outcome<Acknowledgement>> {
  const rule = ruleOf(action);
  const place = await rule.locate(engine, action);
  if (!place.ok) return place;
  return audit(
    engine,
    { ...place.value, action: action.kind },
    actor,
    (reason) => rule.perform(engine, action, present({ surface: actor.surface, reason })),
    (acknowledgement) => acknowledgement,
  );
}

/** Performs an action, as `act` does, for a caller that needs what it has made. */
export async function make<Kind extends keyof Made>(
  engine: Engine,
  action: Extract<OperatorAction, { readonly kind: Kind }>,
  actor: Actor,
): Promise<Outcome<Made[Kind]>> {
  const done = await act(engine, action, actor);
  // The rule of its kind has made it.
  return done.ok ? succeed(done.value.made as Made[Kind]) : done;
}

/** Forks a world, as `act` does, by a scenario that is named by path or hash. @returns the fork, and a sentence on it */
export async function forkByHand(
  engine: Engine,
  {
    named,
    ...request
  }: { readonly world_slug: string; readonly at_turn: number; readonly as: string } & {
    readonly named?: NamedScenario;
  },
  actor: Actor,
): Promise<Outcome<{ readonly world: WorldSnapshot; readonly origin: string }>> {
  const scenario = named && (await findNamed(engine, named));
  if (scenario?.ok === false) return scenario;
  const forked = await act(
    engine,
    { kind: 'fork_world', ...request, ...present({ scenario: scenario?.value }) },
    actor,
  );
  if (!forked.ok) return named === undefined ? forked : placeRefusal(engine, named, forked);
  const { made, message: origin } = forked.value;
  return succeed({ world: made as WorldSnapshot, origin });
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

type Located = ActionPlace & { readonly details: JsonObject };

type Audited = Located & { readonly action: OperatorActionKind };

/** Performs what an operator wants, with an entry in the audit, as `act` does. */
export async function audit<Value>(
  engine: Engine,
  { details, ...action }: Audited,
  actor: Actor,
  perform: (reason: string | undefined) => Promise<Outcome<Value>>,
  describe: (value: Value) => Pick<Acknowledgement, 'accepted' | 'message'>,
): Promise<Outcome<Value>> {
  const too_long = findReasonProblem(actor.reason);
  if (too_long !== undefined) return refuse(too_long);
  const { world_slug } = action;
  const clean = await findReplacer(engine, world_slug);
  const reason = actor.reason === undefined ? undefined : clean(actor.reason);
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

function describeQueued({ queued, waiting }: QueueReport) {
  const said = queued === 1 ? 'A turn is' : `${queued} turns are`;
  return { accepted: true, message: `${said} queued; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} in all.` };
}

function describeSettled({ performed, left_in_doubt }: SettledCall) {
  const left = `${LEFT_IN_DOUBT[left_in_doubt] ?? `${left_in_doubt} other calls of its attempt are`} in doubt`;
  return { accepted: true, message: `The call ${performed ? 'took place' : 'did not take place'}; ${left}.` };
}

const LEFT_IN_DOUBT = ['no other call of its attempt is', 'one other call of its attempt is'];

interface ActionRule<Action> {
  /** The place of what it names, with the details that the audit keeps; no answers, which may be secret. */
  readonly locate: (engine: Engine, action: Action) => Promise<Outcome<Located>>;
  readonly perform: (
    engine: Engine,
    action: Action,
    by: Pick<Actor, 'surface' | 'reason'>,
  ) => Promise<Outcome<Acknowledgement>>;
}

type Rules = {
  readonly [Kind in OperatorAction['kind']]: ActionRule<Extract<OperatorAction, { readonly kind: Kind }>>;
};

const RULES: Rules = {
  run_turns: {
    locate: async (engine, { world_slug, turns }) => placeOf(await showWorld(engine, { world_slug }), { turns }),
    async perform(engine, { world_slug, turns }) {
      const queued = await queueTurns(engine, { world_slug, turns });
      if (!queued.ok) return queued;
      return succeed({ ...describeQueued(queued.value), world: world_slug, made: queued.value });
    },
  },
  take_back_turns: {
    locate: async (engine, { world_slug }) => placeOf(await showWorld(engine, { world_slug })),
    perform: (engine, { world_slug }, { surface }) => takeBackTurns(engine, world_slug, surface),
  },
  stop_attempt: {
    locate: async (engine, { attempt_id }) => placeOf(await showAttempt(engine, attempt_id)),
    perform: (engine, { attempt_id }, by) => askToStop(engine, attempt_id, by),
  },
  fork_world: {
    async locate(engine, { world_slug, at_turn, as }) {
      const unusable = findSlugProblem(as);
      if (unusable !== undefined) return refuse(unusable);
      return placeOf(await showWorld(engine, { world_slug }), { at_turn, as });
    },
    async perform(engine, { world_slug, at_turn, as, scenario }) {
      const request = present({ source_slug: world_slug, at_turn, world_slug: as, scenario });
      const forked = await forkWorld(engine, request);
      if (!forked.ok) return forked;
      const said = await describeFork(engine, request, forked.value);
      const message = `${said} It runs no turn until one is queued or run.`;
      return succeed({ accepted: true, message, world: as, made: forked.value });
    },
  },
  delete_world: {
    async locate({ store }, { world_slug }) {
      const world = await store.worlds.find(world_slug);
      if (world === undefined) return unknownWorld({ store }, world_slug);
      return placeOf(succeed(world), { world_slug, turn: world.turn });
    },
    async perform(engine, { world_slug }) {
      const deleted = await deleteWorld(engine, world_slug);
      if (!deleted.ok) return deleted;
      const message = `Deleted ${world_slug} with its ${deleted.value.rows} rows.`;
      return succeed({ accepted: true, message, made: deleted.value });
    },
  },
  settle_call: {
    locate: async (engine, { attempt_id, source_invocation_id = '', answer }) =>
      placeOf(
        attempt_id === undefined
          ? await showInvocation(engine, source_invocation_id)
          : await showAttempt(engine, attempt_id),
        { performed: answer !== undefined },
      ),
    async perform(engine, { kind: _kind, attempt_id, ...said }, { reason }) {
      const call = attempt_id === undefined ? await showInvocation(engine, said.source_invocation_id ?? '') : undefined;
      if (call?.ok === false) return call;
      const of = attempt_id ?? call?.value.attempt_id ?? '';
      const settled = await settleCall(engine, { attempt_id: of, ...said, ...present({ reason }) });
      if (!settled.ok) return settled;
      const { world, source_invocation_id } = settled.value;
      const about = { world, attempt_id: of, source_invocation_id, made: settled.value };
      return succeed({ ...describeSettled(settled.value), ...about });
    },
  },
  report_call: {
    locate: async (engine, { correlation_id, said }) =>
      placeOf(await findMeantCall(engine, correlation_id), { said: said.kind }),
    perform: (engine, { correlation_id, said }) => reportByHand(engine, correlation_id, said),
  },
};

/** The rule accepts exactly the kind of action that it is found by, which the type of a union cannot say. */
function ruleOf(action: OperatorAction): ActionRule<OperatorAction> {
  return RULES[action.kind] as ActionRule<OperatorAction>;
}

/** The place of what an action names, as far as there is one. */
function placeOf(
  found: Outcome<Pick<ActionPlace, 'world_slug'> & Partial<Pick<ActionPlace, 'attempt_id' | 'source_invocation_id'>>>,
  details: JsonObject = {},
): Outcome<Located> {
  if (!found.ok) return found;
  const { world_slug, attempt_id = null, source_invocation_id = null } = found.value;
  return succeed({ world_slug, attempt_id, source_invocation_id, details });
}
