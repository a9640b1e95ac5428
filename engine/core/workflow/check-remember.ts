import { type Problem, problem } from '../../contract/problem.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { checkRead } from '../binding/check-reads.js';
import { pointerTokens } from '../content/json-pointer.js';
import { nodeTypeOf } from '../nodes/index.js';
import { complainIf } from '../protocol/document-problem.js';
import type { RememberedText } from '../protocol/program.js';
import { type Reader, readAsAll } from '../typing/join-readings.js';
import type { Shape } from '../typing/shape.js';
import { possibleCases } from '../typing/step.js';
import { typeOf, typesOf, type ValueType } from '../typing/value-types.js';

/** The texts that a workflow has its subjects remember. */
export function listRemembered({ apply }: CognitionWorkflow): readonly RememberedText[] {
  return (apply?.remember ?? []).map(({ from, pointer }) => ({
    node_id: from.slice(0, -'.output'.length),
    tokens: pointerTokens(pointer),
  }));
}

/** Checks `apply.remember`: each entry names a text, in the output of a node that gives no patch. The text may be absent. */
export function checkRemember(workflow: CognitionWorkflow, readers: readonly Reader[]): readonly Problem[] {
  return listRemembered(workflow).flatMap(({ node_id, tokens }, index) => {
    const pointer = `/apply/remember/${index}`;
    const node = workflow.nodes.find(({ id }) => id === node_id);
    if (node !== undefined && nodeTypeOf(node).ends_in_patch)
      return [problem('REMEMBER_FROM_PATCH', { id: node_id }, { pointer: `${pointer}/from` })];
    const text = `/nodes/${node_id}/output${workflow.apply?.remember?.[index]?.pointer ?? ''}`;
    const path = ['nodes', node_id, 'output', ...tokens];
    const place = `${pointer}/${node === undefined ? 'from' : 'pointer'}`;
    const unread = checkRead({ pointer: place, text, tokens: path, by: 'template', has_default: true }, readers);
    if (unread.length > 0) return unread;
    const reading = readAsAll(readers, path);
    const others = reading === undefined ? [] : typesIn(reading.shape).filter((type) => !REMEMBERED.has(type));
    const types = [...new Set(others)];
    return complainIf(types.length > 0, problem('REMEMBER_NOT_TEXT', { text, types }, { pointer: place }));
  });
}

/** Of null nothing is remembered. */
const REMEMBERED: ReadonlySet<ValueType> = new Set(['string', 'null']);

function typesIn(shape: Shape): readonly ValueType[] {
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'literal':
      return [typeOf(shape.value)];
    case 'schema':
      return possibleCases(shape).flatMap(({ schemas }) => typesOf(schemas));
    case 'record':
      return ['object'];
    case 'list':
      return ['array'];
    case 'either':
      return shape.shapes.flatMap(typesIn);
  }
}
