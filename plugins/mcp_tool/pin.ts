import type { Json, JsonObject } from 'chukwa/plugin';

/** The members of a tool's definition that its pin is the hash of, each with its name in a message. */
const MEMBERS = {
  name: 'name',
  description: 'description',
  inputSchema: 'schema of its arguments',
  outputSchema: 'schema of its results',
} as const;

/** The part of a server's definition of a tool that a pin is about. */
export function toDefinition(tool: JsonObject): JsonObject {
  const members = Object.keys(MEMBERS).filter((member) => tool[member] !== undefined);
  return Object.fromEntries(members.map((member) => [member, tool[member] ?? null]));
}

/** The pin of a definition: SHA-256 of its canonical JSON, 64 hex digits. */
export async function toPin(definition: JsonObject): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(toCanonical(definition)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What of a served definition differs from the pinned one, in words. @param pinned as far as the source holds it */
export function describeDrift(served: JsonObject, pinned: JsonObject = {}): string {
  const of = (definition: JsonObject, member: string): string => toCanonical(definition[member] ?? null);
  const parts = Object.entries(MEMBERS).flatMap(([member, name]) =>
    of(served, member) === of(pinned, member) ? [] : [name],
  );
  return parts.length === 0 || Object.keys(pinned).length === 0 ? 'definition' : parts.join(', ');
}

/** Members in the order of their code units, numbers as JavaScript writes them (RFC 8785). */
function toCanonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(toCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${toCanonical(inner)}`).join(',')}}`;
}
