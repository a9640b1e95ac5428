import type { Json } from '../../contract/json.js';
import type { Done } from '../../operations/engine.js';
import type { SaidReport } from '../../operations/reports.js';
import { readJson } from './body.js';

/** The media types of an answer, and of a report that there will be none. */
export const ANSWER_TYPE = 'application/json';
export const FAILURE_TYPE = 'application/problem+json';

/** What was POSTed to a callback: JSON is the answer; a problem document says that there is none. */
export function readReport(type: string, body: Uint8Array): Done<SaidReport> {
  const said = readJson(body);
  if (!said.ok) return said;
  if (!type.startsWith(FAILURE_TYPE)) return { ok: true, value: { kind: 'answered', value: said.value } };
  return { ok: true, value: { kind: 'failed', message: describe(said.value) } };
}

function describe(value: Json): string {
  const { detail, title } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const said = [detail, title].find((text) => typeof text === 'string' && text !== '');
  return typeof said === 'string' ? said : 'the service reported a failure, and did not say which';
}
