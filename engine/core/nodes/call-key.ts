import { present } from '../../contract/present.js';

/** Whose call it is: the subject that acts, and the node. */
export interface NodePlace {
  readonly subject: string;
  readonly node: string;
}

/** Why no turn of a program makes a call of this key, if so. */
export interface UnaskedKey {
  readonly message: string;
  readonly repair: string;
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

/** A key of another shape than the calls of its node have. */
export function misshapen(message: string, place: NodePlace, rest: string): UnaskedKey {
  return { message, repair: `Write ${JSON.stringify(nodeKey(place, rest))}.` };
}

/** Why a node whose rounds are generations never makes a call of this key, if so. */
export function findUnaskedGeneration(
  {
    max_generation_attempts,
    fallback,
    gate,
  }: { readonly max_generation_attempts: number; readonly fallback?: object; readonly gate?: object },
  { subject, node }: NodePlace,
  rest: string,
  { calls, permitted }: { readonly calls: number; readonly permitted: boolean } = { calls: 0, permitted: false },
): UnaskedKey | undefined {
  const read = parseGenerationSuffix(rest);
  if (read === undefined) {
    const end = calls > 0 && rest.endsWith(`/${TOOL_SUFFIX}`) ? `/${TOOL_SUFFIX}` : '';
    const asks = `node ${node} asks a model${calls > 0 ? ', and then its tools' : ''}`;
    const message = `${asks}, and no call of it is ${JSON.stringify(rest)}`;
    const round = findRound(rest, end === '' ? calls + 1 : calls);
    return misshapen(message, { subject, node }, `${generationSuffix(round, 1)}${end}`);
  }
  if (read.round > calls + 1)
    return {
      message: `node ${node} has ${count(calls + 1, 'round', 'rounds')} at most`,
      repair: `Write round-${calls + 1} or an earlier one.`,
    };
  if (read.verdict_try !== undefined && gate === undefined)
    return { message: `node ${node} has no gate`, repair: 'Remove "/gate/...", or write "gate" in the node.' };
  if (Math.max(read.generation_try, read.verdict_try ?? 1) > max_generation_attempts)
    return {
      message: `node ${node} has ${count(max_generation_attempts, 'try', 'tries')} at one answer (max_generation_attempts)`,
      repair: `Write try-${max_generation_attempts} or an earlier one.`,
    };
  if (read.is_fallback && fallback === undefined)
    return { message: `node ${node} has no fallback`, repair: 'Remove "/fallback", or write "fallback" in the node.' };
  if (!read.is_tool) return undefined;
  if (read.round > calls)
    return { message: `node ${node} calls no tool in round ${read.round}`, repair: 'Remove "/tool".' };
  if (permitted) return undefined;
  return {
    message: `node ${node} has no tool that its tool policy allows`,
    repair: 'Allow the tool in the policy, or remove "/tool".',
  };
}

/** The round that a key of another shape names; the first where it names none up to the last. */
function findRound(rest: string, last: number): number {
  const round = Number(/^round[-_ ]?([1-9][0-9]*)/i.exec(rest)?.[1] ?? 1);
  return round <= last ? round : 1;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
