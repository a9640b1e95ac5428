import { present } from '../../contract/present.js';
import type { UnaskedKey } from '../../contract/problems/tests.js';

/** Whose call it is: the subject that acts, and the node. */
export interface NodePlace {
  readonly subject: string;
  readonly node: string;
}

/** The key of a node's call. @param rest what distinguishes it from the other calls of the node */
export function nodeKey({ subject, node }: NodePlace, rest: string): string {
  return `${subject}/${node}/${rest}`;
}

/** The part after `<subject>/<node>/` in the key of a generation; both numbers begin at 1. */
export function generationSuffix(round: number, generationTry: number): string {
  return `round-${round}/try-${generationTry}`;
}

/** The last part of the key by which a fallback is asked: before it is the key of the generation that has failed. */
const FALLBACK_SUFFIX = 'fallback';

/** The key by which the fallback is asked after a generation of this key has failed. */
export function fallbackKey(key: string): string {
  return `${key}/${FALLBACK_SUFFIX}`;
}

/** The last part of a tool call's key: before it is the key of the generation that elected the tool. */
export const TOOL_SUFFIX = 'tool';

/** The conversation with the gate that judges a generation: the beginning of the keys of its calls. */
export function gateConversation(judged: string): string {
  return `${judged}/gate`;
}

/** The part after that: a verdict that cannot be used is corrected in another try. */
export function verdictSuffix(verdictTry: number): string {
  return `try-${verdictTry}`;
}

/** Reads what follows `<subject>/<node>/` in the key of a generation, of a tool that one elected, or of its gate. */
export function parseGenerationSuffix(rest: string) {
  const [, round, generationTry, fallback, tool, verdictTry] =
    /^round-([1-9][0-9]*)\/try-([1-9][0-9]*)(\/fallback)?(?:(\/tool)|\/gate\/try-([1-9][0-9]*))?$/.exec(rest) ?? [];
  if (round === undefined || generationTry === undefined) return undefined;
  return {
    round: Number(round),
    generation_try: Number(generationTry),
    is_fallback: fallback !== undefined,
    is_tool: tool !== undefined,
    ...present({ verdict_try: verdictTry === undefined ? undefined : Number(verdictTry) }),
  };
}

/** Whether a key, without the mark of its run, is that of a generation. */
export function isGenerationKey(key: string): boolean {
  const read = parseGenerationSuffix(key.split('/').slice(2).join('/'));
  return read?.is_tool === false && read.verdict_try === undefined;
}

/** Names a generation in words, for people. */
export function describeGeneration({ subject, node }: NodePlace, rest: string): string | undefined {
  const read = parseGenerationSuffix(rest);
  if (read === undefined || read.is_tool) return undefined;
  const model = `the ${read.is_fallback ? 'fallback of the ' : ''}model of ${subject}, in round ${read.round} of node ${node}, try ${read.generation_try}`;
  return read.verdict_try === undefined ? model : `the gate that judges ${model}`;
}

/** Why a node whose rounds are generations never makes a call of this key, if so. */
export function findUnaskedGeneration(
  {
    max_generation_attempts: most,
    fallback,
    gate,
  }: { readonly max_generation_attempts: number; readonly fallback?: object; readonly gate?: object },
  { subject, node }: NodePlace,
  rest: string,
  { calls, permitted }: { readonly calls: number; readonly permitted: boolean } = { calls: 0, permitted: false },
): UnaskedKey | undefined {
  const read = parseGenerationSuffix(rest);
  if (read === undefined) {
    const asks_tools = calls > 0;
    const end = asks_tools && rest.endsWith(`/${TOOL_SUFFIX}`) ? `/${TOOL_SUFFIX}` : '';
    const round = findRound(rest, end === '' ? calls + 1 : calls);
    const write = nodeKey({ subject, node }, `${generationSuffix(round, 1)}${end}`);
    return { kind: 'generation', node, rest, asks_tools, write };
  }
  if (read.round > calls + 1) return { kind: 'round', node, most: calls + 1, write: `round-${calls + 1}` };
  if (read.verdict_try !== undefined && gate === undefined) return { kind: 'gate', node };
  if (Math.max(read.generation_try, read.verdict_try ?? 1) > most)
    return { kind: 'try', node, most, write: `try-${most}` };
  if (read.is_fallback && fallback === undefined) return { kind: 'fallback', node };
  if (!read.is_tool) return undefined;
  if (read.round > calls) return { kind: 'round_without_tool', node, round: read.round };
  return permitted ? undefined : { kind: 'denied_tools', node };
}

/** The round that a key of another shape names; the first where it names none up to the last. */
function findRound(rest: string, last: number): number {
  const round = Number(/^round[-_ ]?([1-9][0-9]*)/i.exec(rest)?.[1] ?? 1);
  return round <= last ? round : 1;
}
