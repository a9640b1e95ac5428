import { Argument, Option } from 'commander';
import { act } from '../../../catalogue/act.js';
import { decideCall } from '../../../catalogue/actions/approvals.js';
import { actHereOrThere } from '../../../catalogue/here-or-there.js';
import { personHere } from '../../../operations/person-here.js';
import { acknowledgementLines } from '../render/acknowledgement.js';
import { answer, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

// A person's decision on a call that waits for one.

export const approve = decisionCommand(
  'approve',
  'approved',
  'Let a call be made that waits for a person, once, with the arguments that were shown.',
);

export const deny = decisionCommand(
  'deny',
  'denied',
  'Deny a call that waits for a person; the model is told the reason, and goes on without it.',
);

function decisionCommand(name: string, decision: 'approved' | 'denied', says: string): CommandEntry {
  return {
    name,
    says,
    takes: [
      new Argument('<approval_id>', 'the id of the approval, which the run has printed: chukwa approvals lists them'),
      new Option('--reason <text>', 'why; the record keeps it'),
    ],
    async run(session: Session, approval_id: string, { reason }: { readonly reason?: string }) {
      const input = { approval_id, decision };
      const decided = await actHereOrThere(session.composition, decideCall, input, reason, (engine) =>
        act(engine, decideCall, input, personHere(reason)),
      );
      return answer(session, decided, { lines: acknowledgementLines });
    },
  };
}
