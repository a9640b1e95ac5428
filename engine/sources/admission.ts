import type { Clock } from '../ports/clock.js';
import { AdmissionTable, type Applicant, type FlightLimits, type Sign } from './admission-table.js';

/** Lets the calls of all worlds of this process be made within the limits; further ones wait. */
export interface Admission {
  /**
   * Waits until a call may be made. One that is aborted meanwhile waits no longer.
   * @returns to be called when it is over
   */
  enter(applicant: Applicant, signal: AbortSignal): Promise<(sign: Sign) => void>;
}

interface Waiting extends Applicant {
  readonly go: () => void;
}

/** An admission for all worlds of this process. */
export function openAdmission(limits: FlightLimits, clock: Pick<Clock, 'now'>): Admission {
  const table = new AdmissionTable<Waiting>(limits);
  let timer: NodeJS.Timeout | undefined;
  const admit = (): void => {
    const now = clock.now();
    for (const { go } of table.admit(now)) go();
    clearTimeout(timer);
    const opens_at = table.opensAt(now);
    if (opens_at !== undefined) timer = setTimeout(admit, opens_at - now);
  };
  return {
    enter: (applicant, signal) =>
      new Promise((resolve) => {
        const giveUp = (): void => {
          table.remove(call);
          resolve(() => {});
        };
        const go = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve((sign) => {
            table.end(call, sign, clock.now());
            admit();
          });
        };
        const call: Waiting = { ...applicant, go };
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp);
        table.add(call);
        admit();
      }),
  };
}
