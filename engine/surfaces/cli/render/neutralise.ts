/** Controls, invisible formatting, line separators, lone surrogates: everything that a terminal may obey or hide. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Joiners that write words and pictures; they steer nothing. */
const JOINERS = new Set(['\u200c', '\u200d']);

/** Makes outside text safe on one line: control sequences are written out, and white space becomes a space. */
export function neutralise(text: string): string {
  return toVisible(text.replaceAll(/[\n\t\r]/g, ' '));
}

/** Makes an outside name safe and unambiguous: nothing in it becomes a space. */
export function toVisible(name: string): string {
  return name.replaceAll(UNSEEN, (character) =>
    JOINERS.has(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function toSafeLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).map((part) => neutralise(part.replaceAll('\t', '  ')));
}

/** JSON text in which nothing can steer a terminal. It means the same value. */
export function toSafeJson(value: unknown, indent = 2): string {
  return escapeUnseen(JSON.stringify(value, null, indent));
}

/** The same of JSON text that is there already. */
export function escapeUnseen(json: string): string {
  return json.replaceAll(UNSEEN, (character) => {
    if (character === '\n') return character;
    return Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join('');
  });
}
