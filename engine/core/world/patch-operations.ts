import type { PatchReach } from '../../generated/workflow.js';
import type { FixedMap } from '../content/fixed-map.js';
import type { Origins } from '../prompt/origins.js';
import { agentNames, entityNames, type Names, placeNames, renderRoster } from './roster.js';
import type { Projected } from './projection.js';
import type { Content, Entity } from './world.js';
import type { EffectOperation, WorldEffect } from './world-patch.js';

/** The kinds of value that effects change: the member that names the place, and whether a change is added to what is there. */
export const WORLD_VALUES = {
  entity_state: { target: 'entity_id', is_appended: false },
  entity_memory: { target: 'entity_id', is_appended: true },
  environment_content: { target: 'environment_label', is_appended: false },
} as const;

export type WorldValue = keyof typeof WORLD_VALUES;

export type { PatchReach };

/** The exact fault of a patch, by the live world. */
export type PatchFault =
  | 'disallowed_effect'
  | 'unknown_entity'
  | 'near_miss_entity'
  | 'memory_on_prop'
  | 'unknown_environment';

/** One thing that the live world finds wrong with a patch, in words for a model. */
export interface PatchComplaint {
  readonly detail: PatchFault;
  readonly message: string;
}

/** A part of a world while a patch changes it. */
export interface Draft<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
}

/** The parts of a world that a patch changes. */
export interface WorldDraft {
  readonly entities: Draft<Entity>;
  readonly environments: Draft<Content>;
  /** The turn that the patch belongs to. */
  readonly turn: number;
  /** Of what the patch writes. */
  readonly origins: Origins;
}

/** The target of an effect, and the text that it writes there. */
export interface EffectParts {
  readonly target: string;
  readonly text: string;
}

export interface JudgedPlace {
  /** All that there is. */
  readonly world: {
    readonly entities: Pick<FixedMap<Entity>, 'has' | 'get'>;
    readonly environments: Pick<FixedMap<unknown>, 'has'>;
  };
  /** The subject's perceptions: rosters name nothing else. */
  readonly projected: Projected;
  /** Such as `effects[0]`. */
  readonly place: string;
}

/** Everything that the engine knows of one operation of patches; its shape is in `world-patch.schema.json`. */
export interface PatchOperation {
  /** The value that it changes: how the change is stored, compared and blamed. */
  readonly changes: WorldValue;
  /** The member that holds its text. Tests of workflows observe there what the effect left. */
  readonly text: 'state' | 'content';
  /** The member of a node's `may` that limits it, and how each limit is described to a model. */
  readonly limit: { readonly member: keyof PatchReach; readonly self: string; readonly perceived: string };
  /** The targets that a subject perceives. */
  readonly targets: (projected: Projected) => Names;
  /** The fault of an effect whose target exists. */
  readonly judge?: (judged: JudgedPlace, parts: EffectParts) => PatchComplaint | undefined;
  /** Changes the draft. The target exists. */
  readonly apply: (draft: WorldDraft, parts: EffectParts) => Left;
  /** A prompt's words between target and text for those who perceive the target; left out where nobody does. */
  readonly perceived_as?: string;
  /** A terminal's words between target and text. */
  readonly shown_as: string;
}

/** The values before and after an effect. */
export interface Left {
  /** Absent for what is appended. */
  readonly state_before?: string;
  readonly state_after: string;
}

export const PATCH_OPERATIONS: Readonly<Record<EffectOperation, PatchOperation>> = {
  set_entity_state: {
    changes: 'entity_state',
    text: 'state',
    limit: { member: 'state', self: 'yourself', perceived: 'entities that you are shown' },
    targets: ({ entities }) => entityNames(entities),
    apply({ entities, origins }, { target, text }) {
      const entity = present(entities, target);
      if (entity.state !== text) entities.set(target, { ...entity, state: text, origins });
      return { state_before: entity.state, state_after: text };
    },
    perceived_as: 'became',
    shown_as: 'state ->',
  },
  append_entity_memory: {
    changes: 'entity_memory',
    text: 'content',
    limit: { member: 'memory', self: 'yourself', perceived: 'agents that you are shown' },
    targets: agentNames,
    judge({ world, projected, place }, { target }) {
      if (world.entities.get(target)?.kind === 'agent') return undefined;
      const roster = renderRoster(target, agentNames(projected));
      const message = `${place} appends a memory to ${JSON.stringify(target)}, which is a prop; only agents remember. Agents that exist here:\n${roster}`;
      return { detail: 'memory_on_prop', message };
    },
    apply({ entities, turn, origins }, { target, text }) {
      const entity = present(entities, target);
      // Those of this turn are all there, however few of the earlier ones a turn is given.
      const memory_id = `${turn}.${entity.memory.filter((memory) => memory.turn === turn).length + 1}`;
      entities.set(target, { ...entity, memory: [...entity.memory, { memory_id, content: text, turn, origins }] });
      return { state_after: text };
    },
    shown_as: 'memory +',
  },
  set_environment_content: {
    changes: 'environment_content',
    text: 'content',
    limit: { member: 'environment', self: 'your own environment', perceived: 'environments that you are shown' },
    targets: placeNames,
    apply({ environments, origins }, { target, text }) {
      const { content } = present(environments, target);
      if (content !== text) environments.set(target, { content: text, origins });
      return { state_before: content, state_after: text };
    },
    perceived_as: 'became',
    shown_as: 'content ->',
  },
};

/** The names of all operations. */
export const EFFECT_OPERATIONS = Object.keys(PATCH_OPERATIONS) as readonly EffectOperation[];

/** The target and the text of an effect, whatever its members are called. */
export function partsOf(effect: WorldEffect): EffectParts {
  const { changes, text } = PATCH_OPERATIONS[effect.op];
  const members: Readonly<Record<string, string>> = { ...effect };
  return { target: members[WORLD_VALUES[changes].target] ?? '', text: members[text] ?? '' };
}

/** The effect that names and writes this: the other way round. */
export function effectOf(op: EffectOperation, { target, text }: EffectParts): WorldEffect {
  const members: Readonly<Record<string, string>> = { op, [targetOf(op)]: target, [PATCH_OPERATIONS[op].text]: text };
  return members as unknown as WorldEffect;
}

/** The effect that gives an agent a memory. */
export function rememberText(agent_id: string, text: string): WorldEffect {
  return effectOf('append_entity_memory', { target: agent_id, text });
}

/** The member that names the target of an operation. */
export function targetOf(op: EffectOperation): 'entity_id' | 'environment_label' {
  return WORLD_VALUES[PATCH_OPERATIONS[op].changes].target;
}

function present<Value>(values: Draft<Value>, name: string): Value {
  const value = values.get(name);
  if (value === undefined) throw new Error(`a patch that was not judged names ${name}`);
  return value;
}
