import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { ListedAttempt, ListedInvocation } from '../../ports/browse.js';
import type { ProblemCode } from '../../contract/problems/index.js';
import { nearestName } from '../../core/content/nearest-name.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../core/protocol/component.js';
import type { ComponentRecord, ComponentSummary, ComponentUses, StoredComponent } from '../../ports/components.js';
import type { Archive } from '../engine.js';

export const HASH_DIGITS_MIN = 8;

export const HASH_LENGTH = 64;
const HEX = /^[0-9a-f]+$/;
const HASH = /^[0-9a-f]{64}$/;

/** A document by its kind and its hash, or the first digits of it. */
interface ComponentName {
  readonly kind: ComponentKind;
  readonly hash: string;
}

/** Parses a kind. @returns a refusal that lists all kinds */
export function toComponentKind(text: string): Outcome<ComponentKind> {
  const kind = COMPONENT_KINDS.find((name) => name === text);
  if (kind !== undefined) return succeed(kind);
  const nearest = nearestName(text, COMPONENT_KINDS);
  return refuse(problem('COMPONENT_KIND_UNKNOWN', { kind: text, nearest, known: COMPONENT_KINDS }));
}

export async function getComponent(archive: Archive, name: ComponentName): Promise<Outcome<ComponentRecord>> {
  const whole = HASH.test(name.hash) ? await archive.store.components.find(name.kind, name.hash) : undefined;
  if (whole !== undefined) return succeed(whole);
  const found = await findComponent(archive, name);
  if (!found.ok) return found;
  const { kind, hash } = found.value;
  const component = await archive.store.components.find(kind, hash);
  if (component === undefined) throw new Error(`the ${kind} ${hash} is registered and not stored`);
  return succeed(component);
}

export async function listComponents(
  archive: Archive,
  kind: ComponentKind,
): Promise<Outcome<readonly StoredComponent[]>> {
  return succeed(await archive.store.components.list(kind));
}

export interface KindCount {
  readonly kind: ComponentKind;
  readonly count: number;
}

/** How many documents there are of each kind, those without any included. */
export async function countComponents(archive: Archive): Promise<Outcome<readonly KindCount[]>> {
  const counts = await archive.store.components.count();
  return succeed(COMPONENT_KINDS.map((kind) => ({ kind, count: counts.get(kind) ?? 0 })));
}

export interface UsesOfComponent extends ComponentSummary, ComponentUses {
  /** The latest calls of a source, by a workflow, or with a schema; none for other kinds. */
  readonly calls: readonly ListedInvocation[];
  /** The latest attempts that made such calls. */
  readonly attempts: readonly ListedAttempt[];
}

/** The references of a document in both directions, one step each. */
export async function showUses(archive: Archive, name: ComponentName): Promise<Outcome<UsesOfComponent>> {
  const found = await findComponent(archive, name);
  if (!found.ok) return found;
  const { kind, hash } = found.value;
  const { components, browse } = archive.store;
  const isCalled = kind === 'response_source' || kind === 'cognition_workflow' || kind === 'json_schema';
  const use = isCalled ? await browse.useOf({ kind, hash }) : { calls: [], attempts: [] };
  return succeed({ ...found.value, ...(await components.uses(kind, hash)), ...use });
}

/** The one document of a kind whose hash has these first digits. */
async function findComponent(archive: Archive, { kind, hash }: ComponentName): Promise<Outcome<ComponentSummary>> {
  const digits = hash.toLowerCase();
  if (!HEX.test(digits) || digits.length < HASH_DIGITS_MIN || digits.length > HASH_LENGTH)
    return refuse(problem('COMPONENT_HASH_INVALID', { hash, length: HASH_LENGTH, length_min: HASH_DIGITS_MIN }));
  const all = await archive.store.components.startingWith(digits);
  const [only, ...others] = all.filter((component) => component.kind === kind);
  if (only === undefined) return refuse(problem(UNKNOWN[kind], { digits, other: all[0] }));
  if (others.length === 0) return succeed(only);
  const candidates = [only, ...others].map((candidate) => candidate.hash);
  return refuse(problem('COMPONENT_AMBIGUOUS', { kind, digits, candidates }, { details: { candidates } }));
}

const UNKNOWN = {
  json_schema: 'UNKNOWN_JSON_SCHEMA',
  prompt_text: 'UNKNOWN_PROMPT_TEXT',
  response_source: 'UNKNOWN_RESPONSE_SOURCE',
  cognition_workflow: 'UNKNOWN_COGNITION_WORKFLOW',
  cognition_profile: 'UNKNOWN_COGNITION_PROFILE',
  tool_policy: 'UNKNOWN_TOOL_POLICY',
  scenario: 'UNKNOWN_SCENARIO',
} as const satisfies Readonly<Record<ComponentKind, ProblemCode>>;
