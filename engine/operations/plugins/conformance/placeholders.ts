import { randomUUID } from 'node:crypto';
import type { Json } from '../../../contract/json.js';
import { findAt, isList, pointerTokens } from '../../../core/content/json-pointer.js';
import type { SeenRequest } from './server.js';

const PLACEHOLDER = '{{call}}';
const TOKEN = /call-[0-9a-f]{12}/;

/** A text that no other call has. */
export function makeToken(): string {
  return `call-${randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

/** The token of a request's call; empty where the request holds none. */
export function findToken({ method, path, query, headers, text }: SeenRequest): string {
  const all = [method, path, JSON.stringify(query), JSON.stringify(headers), text].join('\n');
  return TOKEN.exec(all)?.[0] ?? '';
}

/** Replaces each `{{call}}` by a call's token. */
export function fillToken<Value extends Json>(value: Value, token: string): Value {
  return mapTexts(value, (text) => text.replaceAll(PLACEHOLDER, token)) as Value;
}

/** Whether a value contains `{{call}}`. */
export function hasPlaceholder(value: Json): boolean {
  return JSON.stringify(value).includes(PLACEHOLDER);
}

/** Replaces each `{"$from": pointer}` by the request's value at the pointer; by null where there is none. */
export function fillReferences(value: Json, request: SeenRequest): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => fillReferences(item, request));
  const from = value['$from'];
  if (typeof from === 'string' && Object.keys(value).length === 1) return valueAt(request, from);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillReferences(inner, request)]));
}

function valueAt({ method, path, query, headers, body }: SeenRequest, pointer: string): Json {
  return findAt({ method, path, query, headers, body }, pointerTokens(pointer)) ?? null;
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)] as const),
  );
}
