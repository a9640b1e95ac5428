import type { ComponentKind } from '../core/protocol/component.js';
import { LIMIT } from '../operations/browse/list-part.js';

/** A kind of resource: where it is, and which members of stored values hold its key. */
interface Place {
  /** Its name in sentences. */
  readonly noun: string;
  readonly nouns: string;
  /** The path of one, with the key at its end. */
  readonly path: string;
  /** The command that shows one, without its key. */
  readonly command: string;
  readonly members: readonly string[];
}

/** A kind of resource, whose list is named after it. */
function place<const Members extends readonly string[]>(
  noun: string,
  nouns: string,
  command: string,
  ...members: Members
): Place & { readonly members: Members } {
  return { noun, nouns, path: `/${nouns.toLowerCase().replaceAll(' ', '-')}/`, command, members };
}

/** A kind of document, which is found by its hash. */
function component(noun: string, nouns: string, ...members: readonly string[]): Place {
  const { path, ...kind } = place(noun, nouns, `get ${noun.toLowerCase().replaceAll(' ', '_')}`, ...members);
  return { ...kind, path: `${path}hash/` };
}

/** Where the resources of each kind are. Routes and links both follow from this table. */
export const PLACES = {
  world: place('world', 'worlds', 'world show', 'world_slug', 'worlds'),
  study: place('study', 'studies', 'study show', 'study_label'),
  attempt: place('attempt', 'attempts', 'attempt', 'attempt_id', 'adopts', 'adopted_from'),
  agent_turn: place('agent turn', 'agent turns', 'agent-turn', 'agent_turn_id', 'active_agent_turn_id'),
  event: place('event', 'events', 'event', 'event_id', 'event_before', 'event_after'),
  source_invocation: place(
    'source invocation',
    'source invocations',
    'invocation',
    'source_invocation_id',
    'parent_source_invocation_id',
    'failed_source_invocation_id',
  ),
  work_order: place('work order', 'work orders', 'order', 'wo_id', 'parent_wo_id'),
  approval: place('approval', 'approvals', 'approval', 'approval_id'),
  grant: place('grant', 'grants', 'grants show', 'grant_id'),
  llm_call: place('LLM call', 'LLM calls', 'llm-call', 'llm_call_id'),
  scenario: component('scenario', 'scenarios', 'scenario_hash'),
  cognition_profile: component('cognition profile', 'cognition profiles'),
  cognition_workflow: component(
    'cognition workflow',
    'cognition workflows',
    'workflow_hash',
    'cognition_workflow_hash',
  ),
  tool_policy: component('tool policy', 'tool policies', 'tool_policy_hash'),
  response_source: component('response source', 'response sources', 'source_hash', 'response_source_hash'),
  json_schema: component('JSON Schema', 'JSON Schemas', 'input_schema_hash'),
  prompt_text: component('prompt text', 'prompt texts'),
} as const satisfies Readonly<Record<string, Place>>;

export type PlaceKind = keyof typeof PLACES;

/** The kind of resource whose key a member holds, by the name of the member. */
export const KIND_OF_MEMBER: ReadonlyMap<string, PlaceKind> = new Map(
  (Object.keys(PLACES) as readonly PlaceKind[]).flatMap((kind) =>
    PLACES[kind].members.map((member) => [member, kind] as const),
  ),
);

/** The path of one resource. */
export function pathOf(kind: PlaceKind, key: string): string {
  return `${PLACES[kind].path}${encodeURIComponent(key)}`;
}

export function eventsOf(kind: 'attempt' | 'world', key: string): string {
  return `${pathOf(kind, key)}/events?since=now`;
}

/** The list of a kind of document. */
export function pathOfList(kind: ComponentKind): string {
  return PLACES[kind].path.replace(/\/hash\/$/, '');
}

/** The words of the command that shows one resource. */
export function commandOf(kind: PlaceKind, key: string): readonly string[] {
  return [...PLACES[kind].command.split(' '), key];
}

export function pathOfTurn(world_slug: string, turn: number): string {
  return `${pathOf('world', world_slug)}/turns/${turn}`;
}

export function pathOfEntity(world_slug: string, entity_id: string): string {
  return `${pathOf('world', world_slug)}/entities/${encodeURIComponent(entity_id)}`;
}

/** How many patches the page of a turn shows; those after them are in the list of its patches. */
export const PATCHES_ON_TURN = 25;

/** The path of a patch: on the page of its turn, or in the part of the list after that page. */
export function pathOfPatch(world_slug: string, turn: number, patch_seq: number): string {
  const parts = Math.floor((patch_seq - PATCHES_ON_TURN - 1) / LIMIT);
  const part = parts < 0 ? '' : `/patches?after=${PATCHES_ON_TURN + parts * LIMIT}`;
  return `${pathOfTurn(world_slug, turn)}${part}#patch-${patch_seq}`;
}

/** The path that a member of a stored value leads to, by the name of the member. */
export function pathOfMember(member: string, value: string): string | undefined {
  const kind = KIND_OF_MEMBER.get(member);
  return kind === undefined || value === '' ? undefined : pathOf(kind, value);
}
