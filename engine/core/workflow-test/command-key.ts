import { present } from '../../contract/present.js';
import { among, nearestName } from '../content/nearest-name.js';
import { withoutMark, withoutRun } from '../../contract/scripted.js';
import type { UnaskedKey } from '../../contract/problems/tests.js';
import { NODE_TYPES, nodeTypeOf } from '../nodes/index.js';
import type { NodeProgram, Program, SubjectProgram } from '../protocol/program.js';

/** The parts of a command key. */
interface DescribedKey {
  /** In words, for people. */
  readonly what: string;
  readonly subject?: string;
  readonly node?: string;
  readonly binding?: string;
}

export function describeKey(key: string): DescribedKey {
  const parts = key.split('/');
  const [first = '', second = '', third = ''] = parts;
  if (first === 'turn' && parts.length === 2) {
    const binding = withoutMark(second);
    return { what: `the ambient source ${binding} of the turn`, binding };
  }
  if (second === 'ambient' && parts.length === 3)
    return { what: `the ambient source ${third} of ${first}`, subject: first, binding: third };
  const place = { subject: first, node: second };
  const rest = parts.slice(2).join('/');
  const [what = `the call ${key}`] = Object.values(NODE_TYPES).flatMap((type) => type.describeCall(place, rest) ?? []);
  return { what, ...place };
}

/** The name under which an answer is written: without its mark, unless another reading of the turn has the same name then. */
export function writtenKey({ turn_ambients }: Pick<Program, 'turn_ambients'>, key: string): string {
  const short = withoutMark(key);
  return turn_ambients.filter((binding) => withoutMark(binding.key) === short).length > 1 ? withoutRun(key) : short;
}

/** The node that makes the call of a key, and what distinguishes that from its other calls. */
export function findCaller(
  program: Program,
  key: string,
): { readonly node: NodeProgram; readonly rest: string } | undefined {
  const [subject, id, ...rest] = key.split('/');
  const { workflow } = program.subjects.find(({ subject_id }) => subject_id === subject) ?? {};
  const node = workflow?.nodes.find((candidate) => candidate.id === id);
  return node && { node, rest: rest.join('/') };
}

/** Says why a key is none that a program's turns can ask for; keys of the turn's sources may leave their hash out. */
export function findUnasked(program: Program, key: string): UnaskedKey | undefined {
  const parts = key.split('/');
  const [first = ''] = parts;
  if (first === 'turn') return findUnaskedTurn(program, key);
  const subject = program.subjects.find(({ subject_id }) => subject_id === first);
  const unasked =
    subject === undefined
      ? toUnknown(
          'subject',
          first,
          program.subjects.map(({ subject_id }) => subject_id),
        )
      : findUnaskedOfSubject(subject, parts.slice(1));
  return unasked && { ...unasked, ...present({ meant: findSource(program, parts) }) };
}

/** The key that was meant by one that ends in the name of an ambient source, below something else than what asks it. */
function findSource({ turn_ambients, subjects }: Program, parts: readonly string[]): string | undefined {
  const [first = '', ...rest] = parts;
  if (rest.length > 1) return undefined;
  const own = subjects.flatMap(({ subject_id, workflow }) =>
    workflow.subject_ambients.map(({ id }) => `${subject_id}/ambient/${id}`),
  );
  const keys = [
    ...own.filter((key) => key.startsWith(`${first}/`)),
    ...turn_ambients.map(({ key }) => withoutMark(key)),
    ...own,
  ];
  return keys.find((key) => key.split('/').at(-1) === withoutMark(parts.at(-1) ?? ''));
}

function findUnaskedTurn(program: Program, key: string): UnaskedKey | undefined {
  const keys = program.turn_ambients.map((binding) => binding.key);
  if (keys.some((known) => known === key || withoutMark(known) === key)) return undefined;
  const known = keys.map(withoutMark);
  const write = withoutMark(key);
  if (known.includes(write)) return { kind: 'other_binding', key, write };
  const meant = findSource(program, key.split('/'));
  return { ...toUnknown('source_of_turn', key, known), ...present({ meant }) };
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
    return {
      subject: subject_id,
      ...toUnknown('source_of_subject', more.join('/'), ids),
      nearest: nearestName(id, ids),
    };
  }
  const node = workflow.nodes.find(({ id }) => id === name);
  if (node !== undefined)
    return nodeTypeOf(node).findUnasked(node, { subject: subject_id, node: node.id }, more.join('/'));
  const ids = workflow.nodes.map(({ id }) => id);
  return { subject: subject_id, ...toUnknown('node', name, ids) };
}

function toUnknown<Kind extends string>(kind: Kind, name: string, known: readonly string[]) {
  return { kind, name, ...among(name, known) };
}
