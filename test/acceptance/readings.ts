import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Answer, Answers } from '../../engine/generated/answers.js';
import type { AttemptRecord, InvocationSummary } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { ModelRequest, ScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { copyFolder, type Play, ROOT } from '../support/park-stage.js';

/** A script of answers that hold on every turn, by command key. */
export function script(answers: Readonly<Record<string, Answer>>): Answers {
  return { version: 1, label: 'told-by-a-test', turns: { '*': answers } };
}

/** The only attempt of a play. */
export function onlyAttempt(play: Play): AttemptRecord {
  const [attempt, ...others] = play.attempts;
  assert.ok(attempt && others.length === 0, `${play.attempts.length} attempts`);
  return attempt;
}

/** The call of an attempt that stands at a command key. */
export function callAt(attempt: AttemptRecord, key: string): InvocationSummary {
  const call = attempt.invocations.find(({ command_key }) => command_key === key);
  assert.ok(call, `${key} is not among ${keysOf(attempt).join(', ')}`);
  return call;
}

/** Command keys in the order of issue. */
export function keysOf(attempt: AttemptRecord): readonly string[] {
  return attempt.invocations.map(({ command_key }) => command_key);
}

/** The calls of one kind. */
export function callsOf(
  attempt: AttemptRecord,
  kind: InvocationSummary['invocation_kind'],
): readonly InvocationSummary[] {
  return attempt.invocations.filter(({ invocation_kind }) => invocation_kind === kind);
}

export interface SentMessage {
  readonly role: string;
  readonly content: string;
}

/** The request that the model really received at a place. */
export function requestAt(model: ScriptedModel, turn: number, key: string): ModelRequest {
  const [request, ...others] = model.requests.filter((received) => received.turn === turn && received.key === key);
  assert.ok(request && others.length === 0, `${key} of turn ${turn} was not asked exactly once`);
  return request;
}

/** The messages of a request as they came over the wire. */
export function messagesOf(request: ModelRequest): readonly SentMessage[] {
  return memberOf(request.body, 'messages') as unknown as readonly SentMessage[];
}

/** The text of a request's messages. */
export function promptOf(request: ModelRequest): string {
  return messagesOf(request)
    .map(({ content }) => content)
    .join('\n\n');
}

/** A member of a JSON object. */
export function memberOf(value: Json, name: string): Json | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, Json>>)[name] : undefined;
}

/** The state of an entity. */
export function stateOf(world: WorldSnapshot, id: string): string {
  const entity = world.entities.find((candidate) => candidate.id === id);
  assert.ok(entity, `${id} is not in the world`);
  return entity.state;
}

/** The contents of a world, without its turn. */
export function contentsOf({ environments, entities }: WorldSnapshot): unknown {
  return { environments, entities };
}

/** Asserts that the world is what it was before, changed by the effects of the recorded patches and by nothing else. */
export function assertOnlyPatchesChanged({ before, after, attempts }: Play): void {
  const entities = new Map(before.entities.map((entity) => [entity.id, entity]));
  const environments = new Map(before.environments.map((environment) => [environment.label, environment]));
  for (const { attempted_turn, patches } of attempts) {
    for (const effect of patches.flatMap(({ effects }) => effects)) {
      const { op, state_after } = effect;
      const environment = environments.get(effect.environment_label ?? '');
      const entity = entities.get(effect.entity_id ?? '');
      if (environment) environments.set(environment.label, { ...environment, content: state_after });
      if (entity && op === 'set_entity_state') entities.set(entity.id, { ...entity, state: state_after });
      if (entity && op === 'append_entity_memory') {
        const place = entity.memory.filter(({ turn }) => turn === attempted_turn).length + 1;
        const appended = { memory_id: `${attempted_turn}.${place}`, content: state_after, turn: attempted_turn };
        const memory = [...entity.memory, appended];
        entities.set(entity.id, { ...entity, memory });
      }
    }
  }
  const left = { environments: [...environments.values()], entities: [...entities.values()] };
  assert.deepEqual(withoutOrigins(contentsOf(after)), withoutOrigins(left));
}

/** What a world holds, without where it comes from. */
function withoutOrigins(contents: unknown): unknown {
  return JSON.parse(JSON.stringify(contents, (name, value: unknown) => (name === 'origins' ? undefined : value)));
}

/** The shipped workflow `simple`, which also reads a source of the plugin `own_reading` once a turn. */
export async function writeOwnReading(folder: string): Promise<string> {
  for (const part of ['simple', 'sources', 'prompts']) copyFolder(join(ROOT, 'workflows', part), join(folder, part));
  const file = join(folder, 'simple', 'workflow.json');
  const workflow = JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  const reading = {
    id: 'reading',
    source_ref: { path: './reading.json' },
    effect: 'read_only',
    redaction: { allow: 'all' },
    run: 'once_per_turn',
    scope: 'world',
    visible_to: 'all_subjects',
    request_template: {},
    inject_as: '/ambient/reading',
  };
  await writeFile(file, JSON.stringify({ ...workflow, ambient_sources: [reading] }));
  const source = { version: 1, label: 'reading', interface: { name: 'own_reading' } };
  await writeFile(join(folder, 'simple', 'reading.json'), JSON.stringify(source));
  return join(folder, 'simple', 'scenario.json');
}
