import type { Json } from '../../contract/json.js';
import { isObject } from '../content/json-pointer.js';

/** The reader of the record: requests, reasoning and the machines of drivers are for operators. */
export type StreamReader = 'consumer' | 'operator';

/**
 * The details of an event as a reader may see them. Host and process of a driver tell of the operator's machines, and
 * nothing of the world.
 */
export function seenDetails(details: Json, reader: StreamReader): Json {
  if (reader === 'operator' || !isObject(details)) return details;
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'host' && name !== 'pid'));
}
