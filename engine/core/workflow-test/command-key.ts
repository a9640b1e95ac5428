import { nearestName } from '../content/nearest-name.js';
import { withoutHash } from '../../contract/scripted.js';
import type { NodeProgram, Program, SubjectProgram } from '../protocol/program.js';

/** What a command key says of its call. */
export interface DescribedKey {
  /** In words, for people. */
  readonly what: string;
  readonly subject?: string;
  readonly node?: string;
  readonly binding?: string;
}

/** Reads a command key. */
export function describeKey(key: string): DescribedKey {
  const parts = key.split('/');
  const [first = '', second = '', third = '', fourth = ''] = parts;
  if (first === 'turn' && parts.length === 2) {
    const binding = withoutHash(second);
    return { what: `the ambient source ${binding} of the turn`, binding };
  }
  if (second === 'ambient' && parts.length === 3)
    return { what: `the ambient source ${third} of ${first}`, subject: first, binding: third };
  const place = { subject: first, node: second };
  if (third === 'call') return { what: `the call of node ${second} of ${first}`, ...place };
  const [round, tried] = [third.replace('round-', ''), fourth.replace('try-', '')];
  if (parts.at(-1) === 'tool')
    return { what: `the tool that the model of ${first} called in round ${round} of node ${second}`, ...place };
  return { what: `the model of ${first}, in round ${round} of node ${second}, try ${tried}`, ...place };
}

/** Why no turn of a program can make a call of this key, if so. */
export interface UnaskedKey {
  readonly message: string;
  readonly repair?: string;
}

/** Says why a key is none that a program's turns can ask for; keys of the turn's sources may leave their hash out. */
export function findUnasked(program: Program, key: string): UnaskedKey | undefined {
  const parts = key.split('/');
  const [first = ''] = parts;
  if (first === 'turn') return findUnaskedTurn(program, key);
  const subject = program.subjects.find(({ subject_id }) => subject_id === first);
  if (subject === undefined) {
    const subjects = program.subjects.map(({ subject_id }) => subject_id);
    return unasked(`no subject of this scenario is called ${JSON.stringify(first)}`, first, subjects);
  }
  return findUnaskedOfSubject(subject, parts.slice(1));
}

function findUnaskedTurn(program: Program, key: string): UnaskedKey | undefined {
  const keys = program.turn_ambients.map((binding) => binding.key);
  if (keys.some((known) => known === key || withoutHash(known) === key)) return undefined;
  const known = keys.map(withoutHash);
  const isOlder = known.includes(withoutHash(key));
  if (isOlder)
    return {
      message: `the binding ${withoutHash(key).slice('turn/'.length)} is another now than the one that ${key} names`,
      repair: `Write ${withoutHash(key)}, which means it however it is written.`,
    };
  return unasked(`no workflow of this scenario has the ambient source of the turn ${key}`, key, known);
}

function findUnaskedOfSubject(
  { subject_id, workflow }: SubjectProgram,
  rest: readonly string[],
): UnaskedKey | undefined {
  const [name = '', ...more] = rest;
  if (name === 'ambient') {
    const ids = workflow.subject_ambients.map(({ id }) => id);
    const [id = ''] = more;
    if (ids.includes(id) && more.length === 1) return undefined;
    return unasked(`${subject_id} has no ambient source ${JSON.stringify(more.join('/'))} of its own`, id, ids);
  }
  const node = workflow.nodes.find(({ id }) => id === name);
  if (node !== undefined) return findUnaskedOfNode(node, `${subject_id}/${node.id}`, more);
  const ids = workflow.nodes.map(({ id }) => id);
  return unasked(`the workflow of ${subject_id} has no node ${JSON.stringify(name)}`, name, ids);
}

function findUnaskedOfNode(node: NodeProgram, place: string, rest: readonly string[]): UnaskedKey | undefined {
  if (node.type === 'source_call')
    return rest.join('/') === 'call' ? undefined : shaped(`node ${node.id} makes one call`, `${place}/call`);
  const [, round, tried, tool] = /^round-([1-9][0-9]*)\/try-([1-9][0-9]*)(\/tool)?$/.exec(rest.join('/')) ?? [];
  const tools = node.type === 'llm_tool_loop' ? node.max_tool_calls : 0;
  if (round === undefined || tried === undefined) {
    const call = tools > 0 && rest.at(-1) === 'tool' ? 'try-1/tool' : 'try-1';
    return shaped(`node ${node.id} asks a model${tools > 0 ? ', and then its tools' : ''}`, `${place}/round-1/${call}`);
  }
  if (Number(round) > tools + 1)
    return {
      message: `node ${node.id} has ${count(tools + 1, 'round', 'rounds')} at most`,
      repair: `Write round-${tools + 1} or an earlier one.`,
    };
  if (Number(tried) > node.max_generation_attempts)
    return {
      message: `node ${node.id} has ${count(node.max_generation_attempts, 'try', 'tries')} at one answer (max_generation_attempts)`,
      repair: `Write try-${node.max_generation_attempts} or an earlier one.`,
    };
  const hasTool = node.type === 'llm_tool_loop' && node.tools.some(({ permitted }) => permitted);
  if (tool !== undefined && (!hasTool || Number(round) > tools))
    return { message: `node ${node.id} calls no tool in round ${round}`, repair: 'Take "/tool" away.' };
  return undefined;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function shaped(message: string, key: string): UnaskedKey {
  return { message, repair: `Write ${JSON.stringify(key)}.` };
}

function unasked(message: string, written: string, known: readonly string[]): UnaskedKey {
  const nearest = nearestName(written, known);
  if (nearest !== undefined) return { message, repair: `Did you mean ${JSON.stringify(nearest)}?` };
  return known.length === 0 ? { message } : { message, repair: `There is: ${known.join(', ')}.` };
}
