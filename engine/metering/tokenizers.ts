import { ESTIMATE, type Tokenizer, type TokenizerOf } from '../core/cost/tokenizer.js';

/** The encodings of the models whose tokenizer is published, by the beginnings of their names after a provider's. */
const ENCODINGS = [
  { encoding: 'o200k_base', models: /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|gpt-oss|o1|o3|o4)/ },
  { encoding: 'cl100k_base', models: /^(gpt-4|gpt-3\.5)/ },
] as const;

type Encoding = (typeof ENCODINGS)[number]['encoding'];

/** The tokenizers of these models; an encoding of 2 MB is loaded once, where a model needs it. */
export async function openTokenizers(models: readonly (string | null)[]): Promise<TokenizerOf> {
  const wanted = new Set(models.map(findEncoding).filter((encoding) => encoding !== undefined));
  const opened = new Map(await Promise.all([...wanted].map(async (name) => [name, await openEncoding(name)] as const)));
  return (model) => {
    const encoding = findEncoding(model);
    return (encoding && opened.get(encoding)) ?? ESTIMATE;
  };
}

function findEncoding(model: string | null): Encoding | undefined {
  const name = model?.split('/').at(-1) ?? '';
  return ENCODINGS.find(({ models }) => models.test(name))?.encoding;
}

/** The tokenizer takes quadratic time on a text without breaks; it is given pieces, cut before white space where there is any. */
const PIECES = /[^]{1,1000}(?!\S)|[^]{1,1000}/gu;

async function openEncoding(name: Encoding): Promise<Tokenizer> {
  const { countTokens } = await (name === 'o200k_base'
    ? import('gpt-tokenizer/encoding/o200k_base')
    : import('gpt-tokenizer/encoding/cl100k_base'));
  // A marker of the provider's in a text of the world is a text.
  const asText = { disallowedSpecial: new Set<string>() };
  const count = (text: string): number =>
    (text.match(PIECES) ?? []).reduce((sum, piece) => sum + countTokens(piece, asText), 0);
  return { name, is_estimate: false, count };
}
