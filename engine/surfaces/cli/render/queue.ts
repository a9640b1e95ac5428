import type { QueuedTurns, QueueReport } from '../../../operations/running/queue.js';
import type { Acknowledgement } from '../../../operations/settling/reports.js';
import type { RunReport } from '../../../operations/running/run-turns.js';
import { acknowledgementLines } from './acknowledgement.js';
import { advice, command, commandLines, hanging, type Line, line, type Lines, verbatim } from './line.js';
import { count, toMoment } from '../../../catalogue/words.js';

/** Queued turns, of the world's own scenario or of one that it has adopted with them. */
type QueuedRun = QueueReport & Pick<RunReport, 'scenario_adopted_from_turn'>;

export function adoptedLine(from_turn: number): Line {
  return line(`The new scenario is adopted from turn ${from_turn} on.`);
}

export function queuedLines({ world, queued, waiting, scenario_adopted_from_turn: from }: QueuedRun): Lines {
  const others = waiting > queued ? `; with earlier ones, ${waiting} are queued` : '';
  return [
    from !== undefined && adoptedLine(from),
    line(`Queued ${count(queued, 'turn')} of ${world}${others}.`),
    commandLines('  ', [
      [command('worker'), 'runs them'],
      [command('attempts', world), 'shows how they end'],
    ]),
  ];
}

/** Turns that `chukwa serve` has queued in its database. */
export function queuedThereLines(acknowledgement: Acknowledgement): Lines {
  return [acknowledgementLines(acknowledgement), line(command('serve'), ', which has the database, runs them.')];
}

/** The turns of a world that wait for a worker, and how to take them back; nothing where there are none. */
export function queueLines(world: string, { queued_turns, put_off }: QueuedTurns): Lines {
  if (queued_turns === 0) return false;
  return [
    line(`${count(queued_turns, 'turn is', 'turns are')} queued, for a worker to run: `, command('worker'), '.'),
    put_off !== null &&
      hanging(2, ...advice({ text: `The first is deferred until ${toMoment(put_off.until)}: ${put_off.reason}` })),
    verbatim('Take back:  ', command('stop', world, '--queued')),
  ];
}
