import { DEPTH_MAX, findIJsonProblem } from './i-json.js';
import { isExactNumber } from './exact-number.js';
import { readParts, textOf } from './json-parts.js';
import { toPointer } from './json-pointer.js';
import { PROBLEMS_MAX } from './listed-problems.js';

/** Why a text is not taken as JSON. `at` counts the characters before the fault. */
export type SourceFault = { readonly at: number } & (
  | { readonly kind: 'no_json' | 'too_deep' | 'too_many_values' }
  | KeptOtherwise
);

/** A part that would be kept as something else than is written. */
type KeptOtherwise = { readonly pointer: string } & (
  | { readonly kind: 'repeated_name'; readonly name: string; readonly first_at: number }
  | { readonly kind: 'number_changes'; readonly written: string; readonly kept: number }
  /** `reason` is a noun, such as `text with a lone surrogate`. */
  | { readonly kind: 'text_not_storable'; readonly reason: string }
);

/**
 * What keeps a text from being taken as JSON, in the order of the text: repeated names, numbers that no double holds, text
 * that cannot be stored, up to one more than are listed. What is no JSON at all, nested too deeply or too large has that
 * one fault.
 * @param values_max how many values it may hold, those in objects and lists included
 */
export function listFaults(text: string, values_max = Number.POSITIVE_INFINITY): readonly SourceFault[] {
  const faults: SourceFault[] = [];
  const names: Map<string, number>[] = [];
  let values = 0;
  for (const part of readParts(text)) {
    if (part.kind === 'fault') return [{ kind: 'no_json', at: part.at }];
    const { kind, at, written, path } = part;
    const isFull = faults.length > PROBLEMS_MAX;
    if (kind === 'value') {
      values += 1;
      if (values > values_max) return [{ kind: 'too_many_values', at: 0 }];
      if ('{['.includes(written) && path.length >= DEPTH_MAX) return [{ kind: 'too_deep', at }];
      if (written === '{') names[path.length] = new Map();
    } else {
      const name = String(path.at(-1));
      const known = names[path.length - 1];
      const first_at = known?.get(name);
      if (first_at === undefined) known?.set(name, at);
      else if (!isFull) faults.push({ kind: 'repeated_name', name, first_at, at, pointer: toPointer(path) });
    }
    const changed = isFull ? undefined : findChange(written);
    if (changed !== undefined) faults.push({ ...changed, at, pointer: toPointer(path) });
  }
  return faults;
}

/** Finds how storing would change a text or a number. */
function findChange(written: string) {
  if (written.startsWith('"')) {
    const problem = findIJsonProblem(textOf(written));
    return problem && ({ kind: 'text_not_storable', reason: problem.reason } as const);
  }
  if (!/^[-\d]/.test(written) || isExactNumber(written)) return undefined;
  return { kind: 'number_changes', written, kept: Number(written) } as const;
}
