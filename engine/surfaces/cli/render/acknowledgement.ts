import type { Acknowledgement } from '../../../operations/settling/reports.js';
import { advice, command, faint, hanging, type Lines, verbatim } from './line.js';
import { AS_BEFORE } from './open-call.js';

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
    accepted &&
      world !== undefined &&
      verbatim(faint('continue '), command('run', world), faint(`  if neither a worker nor serve runs; ${AS_BEFORE}`)),
  ];
}
