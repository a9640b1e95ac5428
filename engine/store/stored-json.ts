import type { Json } from '../contract/json.js';
import type { Json as StoredJson } from './tables.js';

/** The generated type of a json column allows members that are undefined; what a database gave back has none. */
export function toJson(stored: StoredJson): Json {
  return stored as Json;
}
