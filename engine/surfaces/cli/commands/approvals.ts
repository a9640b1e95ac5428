import { Argument, Option } from 'commander';
import { parseSource } from '../../../core/content/source-text.js';
import type { JsonObject } from '../../../contract/json.js';
import { present } from '../../../contract/present.js';
import { act } from '../../../catalogue/act.js';
import type { Action } from '../../../catalogue/action.js';
import { decideCall, grantCalls, revokeGrant } from '../../../catalogue/actions/approvals.js';
import { actHereOrThere } from '../../../catalogue/here-or-there.js';
import { readInput } from '../../../catalogue/read-input.js';
import { personHere } from '../../../operations/person-here.js';
import { wholeOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { acknowledgementLines } from '../render/acknowledgement.js';
import { answer, printRefused, refuseUsage, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

// A person's decision on a call that waits for one, and on calls like it.

const APPROVAL = new Argument(
  '<approval_id>',
  'the id of the approval, which the run has printed: chukwa approvals lists them',
);
const REASON = new Option('--reason <text>', 'why; the record keeps it');

interface ApproveOptions {
  readonly reason?: string;
  readonly uses?: number;
  readonly hours?: number;
  readonly arguments?: string;
}

export const approve: CommandEntry = {
  name: 'approve',
  says: 'Let a call be made that waits for a person, once, with the arguments that were shown; or calls like it, too.',
  takes: [
    APPROVAL,
    REASON,
    wholeOption('--uses <n>', 'grant calls like this one too: so many in all', [1]),
    wholeOption('--hours <n>', 'how long the grant lasts; a week by default', [1]),
    new Option('--arguments <json>', 'the arguments of granted calls, by pointer; those of this call by default'),
  ],
  async run(session, approval_id: string, { reason, uses, hours, arguments: written }: ApproveOptions) {
    if (uses === undefined) {
      if (hours === undefined && written === undefined)
        return perform(session, decideCall, { approval_id, decision: 'approved' }, reason);
      return refuseUsage(session, '--hours and --arguments are for a grant.', 'Add --uses N, or leave them out.');
    }
    const parsed = written === undefined ? undefined : parseSource('--arguments', written);
    if (parsed?.ok === false) return printRefused(session, parsed);
    const said = present({ uses, hours: hours ?? WEEK_HOURS, arguments: parsed?.value.value });
    return perform(session, grantCalls, { approval_id, ...said }, reason);
  },
};

const WEEK_HOURS = 168;

export const deny: CommandEntry = {
  name: 'deny',
  says: 'Deny a call that waits for a person; the model is told the reason, and goes on without it.',
  takes: [APPROVAL, REASON],
  run: (session, approval_id: string, { reason }: Pick<ApproveOptions, 'reason'>) =>
    perform(session, decideCall, { approval_id, decision: 'denied' }, reason),
};

export const revoke: CommandEntry = {
  name: 'grants revoke',
  says: 'Take a grant back: it approves no further call.',
  takes: [new Argument('<grant_id>', 'the id of the grant: chukwa grants lists them'), REASON],
  run: (session, grant_id: string, { reason }: Pick<ApproveOptions, 'reason'>) =>
    perform(session, revokeGrant, { grant_id }, reason),
};

/** Performs an action here, or through the server that holds the database. */
async function perform<Input>(
  session: Session,
  declared: Action<Input>,
  said: JsonObject,
  reason: string | undefined,
): Promise<ExitCode> {
  const input = readInput(declared, said);
  if (!input.ok) return printRefused(session, input);
  const done = await actHereOrThere(session.composition, declared, said, reason, (engine) =>
    act(engine, declared, input.value, personHere(reason)),
  );
  return answer(session, done, { lines: acknowledgementLines });
}
