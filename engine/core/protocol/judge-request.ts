import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { isError } from './document-problem.js';
import type { CallProgram } from './program.js';

/** Complaints that stop a request, by its binding's schema and by its source's; each complaint once. */
export function judgeRequest(
  { input, source }: Pick<CallProgram, 'input' | 'source'>,
  request: Json,
): readonly Problem[] {
  const schemas = input?.hash === source.request?.hash ? [input] : [input, source.request];
  const problems = schemas.flatMap((schema) => schema?.validate(request) ?? []).filter(isError);
  return [...new Map(problems.map((problem) => [`${problem.pointer}\n${problem.message}`, problem])).values()];
}
