/** The grammar: parts of `[a-z0-9_-]`, joined by dots. The dot means nothing to the engine. */
const CANONICAL = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** A canonical id, or why a text cannot become one. */
type NormalisedId = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly reason: string };

/** Whether a text is a canonical entity id as it is. */
export function isCanonicalEntityId(text: string): boolean {
  return CANONICAL.test(text);
}

/**
 * The canonical id that a text means: trimmed, lower-cased, each run of white space one underscore.
 * Nothing else is repaired: repeated separators stay, and any other character is refused.
 */
export function normaliseEntityId(text: string): NormalisedId {
  const id = text.trim().toLowerCase().replace(/\s+/g, '_');
  if (id === '') return { ok: false, reason: 'it is empty' };
  if (id.split('.').includes('')) return { ok: false, reason: 'a part between dots is empty' };
  const stranger = /[^a-z0-9_.-]/u.exec(id);
  if (stranger) return { ok: false, reason: `it contains ${JSON.stringify(stranger[0])}` };
  return { ok: true, id };
}
