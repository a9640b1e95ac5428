import type { WriteLog } from './operations/composition.js';
import type { Log, Remark } from './sources/index.js';

const MESSAGE_LENGTH_MAX = 1_000;
const DETAILS_LENGTH_MAX = 1_000;
/** Of one plugin, in a minute. */
const REMARKS_MAX = 200;
const MINUTE_MS = 60_000;

/**
 * Writes what plugins log. Warnings and errors are always written, remarks of level debug on request only. Remarks are
 * bounded in length and, for each plugin, in number a minute. Secrets have been replaced before.
 * @param write takes a sentence, which may hold control characters
 * @param now milliseconds
 */
export function openPluginLog(level: 'debug' | 'warn', write: WriteLog, now: () => number): Log {
  const counts = new Map<string, { readonly since: number; readonly written: number }>();
  return (remark) => {
    if (remark.level === 'debug' && level !== 'debug') return;
    const { plugin } = remark;
    const before = counts.get(plugin);
    const current = before !== undefined && now() - before.since < MINUTE_MS ? before : { since: now(), written: 0 };
    counts.set(plugin, { ...current, written: current.written + 1 });
    if (current.written < REMARKS_MAX) write(remark.level, toSentence(remark), { plugin });
    if (current.written === REMARKS_MAX)
      write('warn', `plugin ${plugin}: more is left out until a minute is over`, { plugin });
  };
}

function toSentence({ plugin, level, message, details }: Remark): string {
  const mark = level === 'debug' ? '' : `${level}: `;
  const more = details === undefined ? '' : ` ${JSON.stringify(details).slice(0, DETAILS_LENGTH_MAX)}`;
  return `plugin ${plugin}: ${mark}${message.slice(0, MESSAGE_LENGTH_MAX)}${more}`;
}
