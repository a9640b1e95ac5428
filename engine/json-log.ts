import pino from 'pino';
import { toTraceId } from './core/content/trace-id.js';
import type { WriteLog } from './operations/composition.js';

/**
 * A log for programs: one JSON object a line, with the time, the level, the sentence for people, and all ids that it
 * concerns. An entry about an attempt names its trace, too.
 * @param write takes a line without its end
 */
export function openJsonLog(write: (line: string) => void): WriteLog {
  const logger = pino(
    {
      level: 'debug',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(line.trimEnd()) },
  );
  return (level, sentence, facts) => logger[level]({ ...facts, ...toTrace(facts) }, sentence);
}

function toTrace(facts: object): { readonly trace_id?: string } {
  const { attempt_id } = facts as { readonly attempt_id?: unknown };
  return typeof attempt_id === 'string' ? { trace_id: toTraceId(attempt_id) } : {};
}
