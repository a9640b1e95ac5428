import type { JsonObject } from './contract/json.js';
import type { Log, Remark } from './sources/index.js';

const MESSAGE_LENGTH_MAX = 1_000;
const DETAILS_LENGTH_MAX = 1_000;
/** Of one plugin, in a minute. */
const REMARKS_MAX = 200;
const MINUTE_MS = 60_000;

/**
 * Writes what plugins log, a line each. Warnings and errors are always written, remarks of level debug on request only.
 * Lines are bounded in length and, for each plugin, in number a minute. Secrets have been replaced before.
 * @param write takes a line without its end, in which control characters may stand
 * @param now milliseconds
 */
export function openPluginLog(level: 'debug' | 'warn', write: (text: string) => void, now: () => number): Log {
  const counts = new Map<string, { readonly since: number; readonly written: number }>();
  return (remark) => {
    if (remark.level === 'debug' && level !== 'debug') return;
    const before = counts.get(remark.plugin);
    const current = before !== undefined && now() - before.since < MINUTE_MS ? before : { since: now(), written: 0 };
    counts.set(remark.plugin, { ...current, written: current.written + 1 });
    if (current.written < REMARKS_MAX) write(toText(remark));
    if (current.written === REMARKS_MAX) write(`plugin ${remark.plugin}: more is left out until a minute is over`);
  };
}

function toText({ plugin, level, message, details }: Remark): string {
  const mark = level === 'debug' ? '' : `${level}: `;
  return `plugin ${plugin}: ${mark}${message.slice(0, MESSAGE_LENGTH_MAX)}${toDetails(details)}`;
}

function toDetails(details: JsonObject | undefined): string {
  return details === undefined ? '' : ` ${JSON.stringify(details).slice(0, DETAILS_LENGTH_MAX)}`;
}
