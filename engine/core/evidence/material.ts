import type { Json } from '../../contract/json.js';
import { findAt, isList } from '../content/json-pointer.js';
import { sha256 } from '../content/sha256.js';
import { EMPTY_PREFIX, listPrefixes } from '../prompt/message.js';

// What entries of a ledger name by its hash: prompts, answers and patches. Whoever has the text can compare it.

/** The hash of a message that is not shown. */
interface HiddenMessage {
  readonly role: string;
  readonly content_hash: string;
}

export type PromptMessage = { readonly role: string; readonly content: string } | HiddenMessage;

/** The hash of a prompt, from its messages: each is chained to those before it. */
export function promptHash(messages: readonly PromptMessage[]): string {
  return listPrefixes(hideMessages(messages)).at(-1) ?? EMPTY_PREFIX;
}

/** A prompt that shows only how many messages it had, of whom. */
export function hideMessages(messages: readonly PromptMessage[]): readonly HiddenMessage[] {
  return messages.map((message) =>
    'content' in message ? { role: message.role, content_hash: sha256(message.content) } : message,
  );
}

/** The hashes of material that entries name. */
export interface NamedMaterial {
  readonly prompts: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
  readonly patches: ReadonlySet<string>;
}

/** Lists what entries name. @param entries as they were sealed */
export function listMaterial(entries: readonly Json[]): NamedMaterial {
  return {
    prompts: hashesOf(
      entries.flatMap((entry) => (findAt(entry, ['event_type']) === 'LLM_CALL' ? [findAt(entry, CONTEXT_HASH)] : [])),
    ),
    answers: hashesOf(
      entries.flatMap((entry) => [findAt(entry, ANSWER_HASH), findAt(entry, ['details', 'answer_hash'])]),
    ),
    patches: hashesOf(entries.flatMap(listPatches).map((patch) => findAt(patch, ['patch_hash']))),
  };
}

export const CONTEXT_HASH = ['metadata', 'context_fingerprint', 'context_hash'];
export const ANSWER_HASH = ['details', 'result_summary', 'answer_hash'];

/** The patches of the turn that an entry says was committed. */
export function listPatches(entry: Json): readonly Json[] {
  const patches = findAt(entry, ['event_type']) === 'SESSION_ENDED' ? findAt(entry, ['details', 'patches']) : undefined;
  return isList(patches) ? patches : [];
}

function hashesOf(found: readonly (Json | undefined)[]): ReadonlySet<string> {
  return new Set(found.filter((hash) => typeof hash === 'string'));
}
