import type { Json } from '../contract/json.js';
import type { Json as StoredJson } from './tables.js';

/** The generated type of a json column allows undefined members; a value from the database has none. */
export function toJson(stored: StoredJson): Json {
  return stored as Json;
}
