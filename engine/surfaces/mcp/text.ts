import type { Block, Marked, Phrase, RecordView } from '../../catalogue/view.js';
import { toDuration } from '../../catalogue/words.js';

/**
 * A declared view as text, in Markdown: what a model or a person reads beside the structured value.
 * @param isOpen whether the reader may read what a link leads to; other links are left out
 */
export function viewText(
  { eyebrow, title, lede = null, status = null, sections }: RecordView,
  isOpen: (path: string) => boolean,
): string {
  const inText = (block: Block): string => blockText(block, isOpen);
  const shown = sections
    .map((one) => ({ ...one, texts: one.blocks.map(inText).filter((text) => text !== '') }))
    .filter(({ texts }) => texts.length > 0);
  return [
    `# ${title} (${eyebrow.toLowerCase()})`,
    toText(lede),
    toText(status),
    ...shown.flatMap(({ title: heading, texts }) => [`## ${heading}`, ...texts]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockText(block: Block, isOpen: (path: string) => boolean): string {
  const inText = (inner: Block): string => blockText(inner, isOpen);
  switch (block.block) {
    case 'facts':
      return Object.entries(block.facts)
        .filter(([, said]) => said !== null)
        .map(([name, said]) => `${name}: ${toText(said)}`)
        .join('\n');
    case 'prose':
    case 'code':
    case 'prompt':
      return block.text;
    case 'note':
      return toText(block.said);
    case 'list':
      return block.items.map((item) => `- ${item.map(inText).join('\n').replaceAll('\n', '\n  ')}`).join('\n');
    case 'table': {
      if (block.rows.length === 0) return toText(block.empty);
      const rows = block.rows.map((row) => row.map((cell) => toText(cell).replaceAll(/\s*[\n|]\s*/g, ' ')));
      const ruled = [block.columns, block.columns.map(() => '---'), ...rows];
      return ruled.map((row) => `| ${row.join(' | ')} |`).join('\n');
    }
    case 'json':
      return JSON.stringify(block.value);
    case 'quote':
      return `${block.of}: ${block.text}`;
    case 'value':
      return `${block.of}: ${typeof block.value === 'string' ? block.value : JSON.stringify(block.value)}`;
    case 'conversation':
      return JSON.stringify(block.messages);
    case 'folded':
      return [block.summary, ...block.blocks.map(inText)].join('\n');
    case 'picture':
      return block.alternative.map(inText).join('\n');
    case 'commands':
      // They are for a terminal: a caller has tools.
      return block.says;
    case 'change':
      return `${block.of ?? ''}\nbefore: ${block.before ?? 'nothing'}\nafter: ${block.after ?? 'nothing'}`.trim();
    case 'links':
      return block.links
        .filter(({ path }) => isOpen(path))
        .map(({ path, text }) => `${text}: chukwa:/${path}`)
        .join('\n');
    case 'question':
      return '';
    case 'more':
      return block.next === null ? '' : `More: after=${block.next}`;
  }
}

function toText(said: Phrase): string {
  if (said === null) return '';
  if (typeof said !== 'object') return String(said);
  if (Array.isArray(said)) return (said as readonly Phrase[]).map(toText).join('');
  const { as, text } = said as Marked;
  return as === 'so_far' ? toDuration(Number(text)) : text;
}
