import type { Acknowledgement } from '../../../operations/settling/reports.js';
import { advice, command, faint, hanging, line, type Lines, verbatim } from './line.js';
import { waysToRun } from './ways-to-run.js';

/** The outcome of a report to an attempt. */
export function acknowledgementLines({ accepted, reason, message, attempt_id }: Acknowledgement): Lines {
  return [
    hanging(2, ...advice({ text: accepted ? message : `Nothing changes (${reason ?? 'no reason'}): ${message}` })),
    attempt_id !== undefined && verbatim(faint('look     '), command('attempt', attempt_id)),
  ];
}

export function reportedLines(acknowledgement: Acknowledgement): Lines {
  const { accepted, world } = acknowledgement;
  return [
    acknowledgementLines(acknowledgement),
    accepted && world !== undefined && [line(faint('If neither a worker nor serve runs, continue:')), waysToRun(world)],
  ];
}
