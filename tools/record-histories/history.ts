import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Recorded } from '../../engine/core/turn/refold.js';
import type { ComponentKind } from '../../engine/core/protocol/component.js';
import { composeWorld, type Entity, type World, type WorldEvent } from '../../engine/core/world/world.js';
import type { AttemptResult, FoldStep } from './fold.js';

/** Where recorded attempts are kept: a folder for each version of the renderer. */
const HISTORIES = fileURLToPath(new URL('../../fixtures/histories', import.meta.url));

/** The file of a set that holds the documents of all its histories. */
const DOCUMENTS_FILE = 'documents.json';

/** A document that a history was recorded with. */
export interface RecordedDocument {
  readonly kind: ComponentKind;
  readonly hash: string;
  readonly content: JsonObject;
}

/** A world as JSON: lists keep the order of its maps. */
interface RecordedWorld {
  readonly slug: string;
  readonly turn: number;
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly Entity[];
  readonly events: readonly WorldEvent[];
}

/** One attempt at a turn from the database, and the results of the engine that recorded it. */
export interface History {
  readonly shows: string;
  readonly scenario_hash: string;
  /** RFC 3339, of the attempted turn. */
  readonly simulation_time: string;
  /** As the turn began. */
  readonly world: RecordedWorld;
  /** In an order in which they can be answered. Durations and deadlines are set to fixed values. */
  readonly calls: readonly Recorded[];
  readonly result: AttemptResult;
  /** The results of the code that recorded the calls. */
  readonly steps: readonly FoldStep[];
}

/** The histories of one version of the renderer. */
export interface HistorySet {
  readonly renderer_version: string;
  readonly documents: readonly RecordedDocument[];
  /** By the name of their file. */
  readonly histories: ReadonlyMap<string, History>;
}

function setFolder(renderer_version: string, histories = HISTORIES): string {
  return join(histories, `renderer-${renderer_version}`);
}

/**
 * Records a set and writes it beside the others, unless there is one of that version.
 * @param place the folder of all sets and the version that `record` records
 * @returns the folder that was written; undefined where it existed, and then nothing is recorded
 */
export async function writeHistorySet(
  place: { readonly histories?: string; readonly renderer_version: string },
  record: () => Promise<HistorySet>,
): Promise<string | undefined> {
  const folder = setFolder(place.renderer_version, place.histories);
  if (existsSync(folder)) return undefined;
  const { documents, histories } = await record();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  write(DOCUMENTS_FILE, documents);
  for (const [name, history] of histories) write(`${name}.json`, history);
  return folder;
}

/** Reads every set of histories, the earliest version first. */
export function readHistorySets(): readonly HistorySet[] {
  return readdirSync(HISTORIES)
    .flatMap((name) => /^renderer-(\d+)$/.exec(name)?.[1] ?? [])
    .toSorted((left, right) => Number(left) - Number(right))
    .map((version) => readHistorySet(version));
}

function readHistorySet(renderer_version: string): HistorySet {
  const folder = setFolder(renderer_version);
  const names = readdirSync(folder).filter((name) => name !== DOCUMENTS_FILE);
  return {
    renderer_version,
    documents: readJson(join(folder, DOCUMENTS_FILE)) as readonly RecordedDocument[],
    histories: new Map(names.map((name) => [name.replace(/\.json$/, ''), readJson(join(folder, name)) as History])),
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function toRecordedWorld({ slug, turn, environments, entities, events }: World): RecordedWorld {
  return {
    slug,
    turn,
    environments: [...environments].map(([label, { content }]) => ({ label, content })),
    entities: [...entities.values()],
    events,
  };
}

export function fromRecordedWorld({ environments, entities, events, ...world }: RecordedWorld): World {
  return composeWorld({
    ...world,
    environments: environments.map(({ label, content }) => [label, { content }]),
    entities,
    // Earlier recordings have none.
    events: events.map((event) => ({ ...event, origins: event.origins ?? [] })),
  });
}

/** A value as it is read from a file: undefined members are gone. */
export function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
