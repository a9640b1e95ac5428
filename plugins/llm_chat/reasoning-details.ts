import type { Json, JsonObject } from 'chukwa/plugin';
import { isFields } from './chunk.js';

/** Members of a detail that stream in pieces. */
const STREAMED: readonly string[] = ['text', 'summary', 'data'];

/** Assembles `reasoning_details` from the pieces of a stream: those of one index and type are one detail. */
export class ReasoningDetails {
  readonly #details: JsonObject[] = [];
  /** Characters of all that is held. */
  length = 0;

  get list(): readonly JsonObject[] {
    return this.#details;
  }

  append(piece: Json): void {
    if (!isFields(piece)) return;
    const detail = piece;
    this.length += JSON.stringify(detail).length;
    const { index, type } = detail;
    const at = this.#details.findIndex(
      (known) => index !== undefined && known['index'] === index && known['type'] === type,
    );
    const known = this.#details[at];
    if (known === undefined) this.#details.push(detail);
    else this.#details[at] = join(known, detail);
  }
}

function join(known: JsonObject, piece: JsonObject): JsonObject {
  const joined = Object.entries(piece).map(([member, value]): [string, Json] => {
    const before = known[member];
    const isStreamed = STREAMED.includes(member) && typeof before === 'string' && typeof value === 'string';
    return [member, isStreamed ? before + value : (value ?? before ?? null)];
  });
  return { ...known, ...Object.fromEntries(joined) };
}
