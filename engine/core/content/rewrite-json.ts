import type { Json } from '../../contract/json.js';
import { canonicalText } from './canonical.js';
import { isList, isObject } from './json-pointer.js';

/** A value as its author wrote it. */
interface Written {
  readonly value: Json;
  readonly text: string;
  /** What it holds, by the name or the place of each. */
  readonly held: ReadonlyMap<string, Written>;
  /** The white space before the first of them, and after the last. */
  readonly before: string;
  readonly after: string;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/y;

/**
 * Writes another value in place of the one that a JSON text holds. Whatever is the same stays as its author wrote it, also
 * under another name, and new parts take the layout of what is around them.
 */
export function rewriteJson(text: string, value: Json): string {
  const [unit = '  '] = /(?<=\n)[ \t]+(?=\S)/.exec(text) ?? [];
  const old = readWritten(text);
  const start = text.length - text.trimStart().length;
  return text.slice(0, start) + write(old, value, '') + text.slice(start + old.text.length);

  function write(written: Written | undefined, wanted: Json, indentation: string): string {
    if (written !== undefined && isSame(written.value, wanted)) return written.text;
    const isAlike = isList(wanted) ? isList(written?.value) : isObject(wanted) && isObject(written?.value);
    const items = isList(wanted) || isObject(wanted) ? Object.entries(wanted) : [];
    if (written === undefined || !isAlike || items.length === 0 || written.held.size === 0)
      return JSON.stringify(wanted, null, unit).replaceAll('\n', `\n${indentation}`);
    const left = [...written.held].filter(([name]) => !items.some(([kept]) => kept === name));
    const inner = written.before.includes('\n') ? (written.before.split('\n').at(-1) ?? '') : indentation;
    const parts = items.map(([name, item]) => {
      const moved = left.find(([, one]) => isSame(one.value, item))?.[1];
      const part = write(written.held.get(name) ?? moved, item, inner);
      return isList(wanted) ? part : `${JSON.stringify(name)}: ${part}`;
    });
    const between = written.before.includes('\n') ? `,${written.before}` : ', ';
    const [open, close] = isList(wanted) ? '[]' : '{}';
    return `${open}${written.before}${parts.join(between)}${written.after}${close}`;
  }
}

function isSame(one: Json, other: Json): boolean {
  return canonicalText(one) === canonicalText(other);
}

/** @param text valid JSON */
function readWritten(text: string): Written {
  TOKEN.lastIndex = 0;
  return readValue(next());

  function next(): string {
    return TOKEN.exec(text)?.[1] ?? '';
  }

  function readValue(token: string): Written {
    const start = TOKEN.lastIndex - token.length;
    const held = new Map<string, Written>();
    let [before, last] = ['', TOKEN.lastIndex];
    if (token === '{' || token === '[')
      for (let count = 0, inner = next(); inner !== '}' && inner !== ']'; inner = next()) {
        if (inner === ',') inner = next();
        if (count === 0) before = text.slice(last, TOKEN.lastIndex - inner.length);
        let name = String(count);
        if (token === '{') {
          name = JSON.parse(inner) as string;
          next();
          inner = next();
        }
        held.set(name, readValue(inner));
        last = TOKEN.lastIndex;
        count += 1;
      }
    const whole = text.slice(start, TOKEN.lastIndex);
    return {
      value: JSON.parse(whole) as Json,
      text: whole,
      held,
      before,
      after: text.slice(last, TOKEN.lastIndex - 1),
    };
  }
}
