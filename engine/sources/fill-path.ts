import { isObject } from '../core/content/json-pointer.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { FilledPath } from '../contract/source.js';
import { listPathParameters, replacePathParameters } from '../core/content/path-parameters.js';
import { refuseRequest } from './source-failure.js';

const VALUE_LENGTH_MAX = 256;

/**
 * Puts members of a request in the place of the parameters of a path. A value stays within its segment: a character
 * that could end the segment, lead out of it, or be read otherwise once it is decoded is refused.
 * @param encode makes each value fit for the path
 * @returns the path, and the request without the members that are in the path
 * @throws SourceFailure of class `schema_invalid`, with the pointer of the value
 */
export function fillPath(path: string, request: Json, encode: (value: string) => string): FilledPath {
  const names = listPathParameters(path);
  if (names.length === 0) return { path, rest: request };
  if (!isObject(request))
    throw refuseRequest(`it is not an object, and the path takes ${names.join(', ')} from its members`);
  const values = new Map(names.map((name) => [name, encode(toValue(request, name))]));
  const rest = Object.fromEntries(Object.entries(request).filter(([name]) => !values.has(name)));
  return { path: replacePathParameters(path, (name) => values.get(name) ?? ''), rest };
}

function toValue(request: JsonObject, name: string): string {
  const value = Object.hasOwn(request, name) ? request[name] : undefined;
  if (value === undefined) throw refuseRequest(`/${name} is missing, and the path has it as a parameter`);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw refuseRequest(`/${name} is no text, number or boolean, and the path has it as a parameter`);
  const text = String(value);
  const fault = findFault(text);
  if (fault !== undefined) throw refuseRequest(`/${name} ${fault}, and may not stand in a path`);
  return text;
}

/** Texts that a service or a file system may take for something else than one name. */
function findFault(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > VALUE_LENGTH_MAX) return `has more than ${VALUE_LENGTH_MAX} characters`;
  if (/[/\\]/.test(text)) return 'holds a slash or a backslash';
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'holds a control character, or half a character';
  if (/%[0-9A-Fa-f]{2}/.test(text)) return 'holds an escape such as %2e';
  // Some servers drop what follows a semicolon, and spaces and dots at the end of a name.
  if (/^[.\s]+(?:;|$)/.test(text)) return 'is made of dots and spaces';
  return undefined;
}
