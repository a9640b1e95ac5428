import type { Json, JsonObject } from '../../contract/json.js';
import { appendToken, findAt, isList, pointerTokens } from '../content/json-pointer.js';

/** One `{"$from": pointer, "default"?: value}` of a template, and its place. */
interface TemplateRead {
  readonly pointer: string;
  /** The pointer that it reads. */
  readonly from: string;
  readonly has_default: boolean;
}

/** A request, or the pointer for which the context has nothing. */
type ResolvedRequest =
  | { readonly ok: true; readonly request: Json }
  | { readonly ok: false; readonly missing: TemplateRead };

/**
 * Fills a request template from its context. A present null is present; a default serves absence only.
 * @param template any JSON in which `{"$from": ...}` objects may occur
 */
export function resolveTemplate(template: Json, context: Json): ResolvedRequest {
  const missing = listReads(template).find(
    (read) => !read.has_default && findAt(context, pointerTokens(read.from)) === undefined,
  );
  return missing ? { ok: false, missing } : { ok: true, request: fillTemplate(template, context) };
}

/** Every place of a template that reads the context, in document order. */
export function listReads(template: Json, pointer = ''): readonly TemplateRead[] {
  if (typeof template !== 'object' || template === null) return [];
  if (isRead(template)) return [{ pointer, from: template.$from, has_default: Object.hasOwn(template, 'default') }];
  return Object.entries(template).flatMap(([member, inner]) => listReads(inner, appendToken(pointer, member)));
}

/** Whether an object says `$from` but not as a template may: other members beside it, or no pointer. */
export function listMalformedReads(template: Json, pointer = ''): readonly string[] {
  if (typeof template !== 'object' || template === null || isRead(template)) return [];
  const here = !isList(template) && Object.hasOwn(template, '$from') ? [pointer] : [];
  return [
    ...here,
    ...Object.entries(template).flatMap(([member, inner]) => listMalformedReads(inner, appendToken(pointer, member))),
  ];
}

function fillTemplate(template: Json, context: Json): Json {
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) return template.map((item) => fillTemplate(item, context));
  if (isRead(template)) {
    const found = findAt(context, pointerTokens(template.$from));
    return found === undefined ? (template['default'] ?? null) : found;
  }
  return Object.fromEntries(Object.entries(template).map(([member, inner]) => [member, fillTemplate(inner, context)]));
}

/** Whether a part of a template is replaced by a value of the context. */
export function isRead(value: Json): value is JsonObject & { readonly $from: string } {
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  const from = value['$from'];
  return (
    typeof from === 'string' &&
    /^(\/([^~/]|~[01])*)+$/.test(from) &&
    Object.keys(value).every((member) => member === '$from' || member === 'default')
  );
}
