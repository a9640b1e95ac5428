import type { NodeProgram, Program } from '../protocol/program.js';
import { changeNodes } from './narrow-tools.js';

const DAY_SECONDS = 86_400;

/**
 * The program with a day for each answer of a model, for a person who answers in its place. It asks the same, so that
 * records of both fit each other.
 */
export function atLeisure(program: Program): Program {
  return changeNodes(program, widen);
}

function widen(node: NodeProgram): NodeProgram {
  const { call, constraints } = node;
  if (call === undefined || constraints === undefined) return node;
  return {
    ...node,
    constraints: { ...constraints, timeout_seconds: DAY_SECONDS },
    call: { ...call, limits: { ...call.limits, max_runtime_ms: DAY_SECONDS * 1000 } },
  };
}
