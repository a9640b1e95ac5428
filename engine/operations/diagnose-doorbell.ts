import type { Outcome } from '../contract/problem.js';
import type { Doorbell } from '../ports/doorbell.js';
import type { Diagnosis } from './composition.js';

const PATIENCE_MS = 3_000;
const LOOK_MS = 50;

/** Whether the doorbell of workers works. Without it they poll every second. */
export async function diagnoseDoorbell(chosen: Outcome<Doorbell>): Promise<Diagnosis> {
  const subject = 'doorbell';
  if (!chosen.ok) {
    const { code = '', message = 'none', repair = '' } = chosen.problems[0] ?? {};
    return { subject, state: 'broken', code, message, repair };
  }
  const doorbell = chosen.value;
  try {
    const fault = await findLastingFault(doorbell);
    if (fault === undefined) return { subject, state: 'good', message: doorbell.description };
    const repair = 'See that it is started and reachable; until then workers look by themselves, every second.';
    return { subject, state: 'broken', message: `${doorbell.description} does not work: ${fault}`, repair };
  } finally {
    await doorbell.close();
  }
}

async function findLastingFault(doorbell: Doorbell): Promise<string | undefined> {
  const stop = doorbell.listen(() => {});
  try {
    for (let waited = 0; waited < PATIENCE_MS && doorbell.findFault() !== undefined; waited += LOOK_MS)
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    return doorbell.findFault();
  } finally {
    stop();
  }
}
