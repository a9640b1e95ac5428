import { hanging, type Line } from './line.js';

/** Told text, paragraph by paragraph. */
export function proseLines(text: string, indent: number): readonly Line[] {
  const paragraphs = text.split(/\s*\n\s*/).filter((paragraph) => paragraph !== '');
  return paragraphs.map((paragraph) => hanging(indent, ' '.repeat(indent), paragraph));
}
