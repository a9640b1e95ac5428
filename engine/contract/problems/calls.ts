import { content, environment, type Texts, unknown, usage } from './entry.js';
import { type KnownNames, suggested } from './phrases.js';

function notFound(noun: string, see: string) {
  return unknown({
    meaning: 'Nothing has this id.',
    message: ({ id }) => `There is no ${noun} ${JSON.stringify(id)}.`,
    repair: ({ is_whole }) => `${is_whole ? '' : 'Write the whole id. '}See chukwa ${see}.`,
    example: { id: 'ID', is_whole: false },
  });
}

const FIND_CALL = 'chukwa attempts SLUG, then chukwa attempt ID.';

/** Problems of attempts and of the calls of their turns. */
export const CALL_PROBLEMS = {
  ATTEMPT_UNKNOWN: notFound('attempt', 'attempts SLUG'),
  AGENT_TURN_UNKNOWN: notFound('agent turn', 'attempt ID'),
  EVENT_UNKNOWN: notFound('event', 'attempt ID --json'),
  UNKNOWN_SOURCE_INVOCATION: notFound('source invocation', 'attempt ID'),
  LLM_CALL_UNKNOWN: notFound('LLM call', 'attempt ID'),
  NO_SUBJECT: unknown<KnownNames & Texts<'world_slug' | 'name'>>({
    message: ({ world_slug, name }) =>
      `${name} is no subject of the scenario of ${world_slug}: no workflow runs for it.`,
    repair: (facts) => suggested(facts),
    example: { world_slug: 'park', name: 'crumb', nearest: undefined, known: ['bob', 'ant'] },
  }),
  NO_SUCH_CALL: unknown<KnownNames & Texts<'subject' | 'name'>>({
    message: ({ subject, name }) => `The workflow of ${subject} has no tool and no other call named ${name}.`,
    repair: (facts) => suggested(facts),
    example: { subject: 'bob', name: 'buy_cnady', nearest: 'buy_candy', known: ['buy_candy'] },
  }),
  POLICY_ARGUMENTS_NO_JSON: usage(
    'The arguments of the call are no JSON.',
    'Give them as the JSON object that the model would write.',
  ),
  CALL_UNKNOWN: unknown({
    message: ({ correlation }) => `There is no call with the id or the alias ${JSON.stringify(correlation)}.`,
    repair: `Find its id: ${FIND_CALL}`,
    example: { correlation: 'job-17' },
  }),
  CALL_AMBIGUOUS: content({
    message: ({ correlation }) => `Several pending calls have the alias ${JSON.stringify(correlation)}.`,
    repair: `Use the id of the one that is meant: ${FIND_CALL}`,
    example: { correlation: 'job-17' },
  }),
  CALL_ENDING: environment(
    'The call is ending at this moment, or its driver has just died: the report was not stored.',
    'Send the report again in a few seconds.',
  ),
  CALL_NOT_AWAITED: content(
    'The call is answered at once or not at all: its binding has no pending_deadline_ms.',
    'See which calls are awaited: chukwa attempt ID',
  ),
  CALL_IN_DOUBT: content({
    meaning: 'It is unknown whether a side effect took place; another turn would repeat it.',
    message: ({ world_slug, attempt_id, command_key }) =>
      `Whether the call ${command_key} of attempt ${attempt_id} took place is unknown, and another turn of ${world_slug} would repeat it.`,
    repair: ({ attempt_id, rerun }) => {
      const settle = `chukwa attempt settle ${attempt_id}`;
      return `Find out, and settle it. If it did: ${settle} --result FILE, with its answer. If not: ${settle} --not-performed. Then: ${rerun}. To start over without finding out: ${rerun} --anew, which makes the side effect twice if it took place.`;
    },
    example: { world_slug: 'park', attempt_id: 'ID', command_key: 'bob/turn/post', rerun: 'chukwa run park' },
  }),
  CALL_NOT_IN_DOUBT: content<{ readonly attempt_id: string; readonly call?: string }>({
    message: ({ attempt_id, call }) =>
      call === undefined
        ? `No call of attempt ${attempt_id} is in doubt: each outcome is known, or the call may be repeated.`
        : `The call ${JSON.stringify(call)} of attempt ${attempt_id} is not in doubt.`,
    repair: ({ attempt_id }) => `See its calls: chukwa attempt ${attempt_id}`,
    example: { attempt_id: 'ID' },
  }),
  CALL_ALREADY_SETTLED: content({
    message: ({ source_invocation_id }) => `The call ${source_invocation_id} has been settled already.`,
    repair: ({ world_slug }) => `Continue: chukwa run ${world_slug}`,
    example: { source_invocation_id: 'ID', world_slug: 'park' },
  }),
  APPROVAL_UNKNOWN: content({
    message: ({ approval_id }) => `There is no approval ${approval_id}.`,
    repair: () => 'List them: chukwa approvals',
    example: { approval_id: 'ID' },
  }),
  APPROVAL_DECIDED: content({
    meaning: 'A person or a grant has decided otherwise, which is final.',
    message: ({ approval_id, decision }) => `The approval ${approval_id} was decided before, and is not ${decision}.`,
    repair: ({ approval_id }) => `See who decided, and when: chukwa approval ${approval_id}`,
    example: { approval_id: 'ID', decision: 'approved' },
  }),
  APPROVAL_ALTERED: content({
    meaning: 'The row was changed while it waited, or comes from an earlier version.',
    message: ({ approval_id }) =>
      `The approval ${approval_id} does not show the call that waits: its row was changed, or an earlier version asked.`,
    repair: ({ approval_id, world_slug }) =>
      `Deny it: chukwa deny ${approval_id}, and where an earlier version asked, chukwa run ${world_slug} asks you anew. Or run the turn anew: chukwa run ${world_slug} --anew`,
    example: { approval_id: 'ID', world_slug: 'park' },
  }),
  GRANT_UNKNOWN: content({
    message: ({ grant_id }) => `There is no grant ${grant_id}.`,
    repair: () => 'List them: chukwa grants',
    example: { grant_id: 'ID' },
  }),
  GRANT_MISSES_CALL: content({
    meaning: 'The arguments that the grant names are not those of its call.',
    message: ({ tool_name }) => `This call of ${tool_name} does not have the arguments of the grant.`,
    repair: () => 'Name arguments by their pointers, each with the value that the call has.',
    example: { tool_name: 'pay_bill' },
  }),
  APPROVAL_LATE: content({
    meaning: 'Nobody waits for the decision any more.',
    message: ({ approval_id }) => `It is too late to decide on ${approval_id}: nothing waits for it any more.`,
    repair: ({ world_slug }) => `See what came of it: chukwa attempts ${world_slug}. What waits now: chukwa approvals`,
    example: { approval_id: 'ID', world_slug: 'park' },
  }),
  SETTLED_TOO_LATE: content({
    meaning: 'The world has continued since, or began anew.',
    message: ({ world_slug, attempt_id }) =>
      `The world ${world_slug} has continued since attempt ${attempt_id}, or began anew, so the call no longer matters.`,
    repair: ({ world_slug }) => `See what came after: chukwa attempts ${world_slug}`,
    example: { world_slug: 'park', attempt_id: 'ID' },
  }),
  ATTEMPT_NOT_ENDED: content({
    message: ({ attempt_id, status }) =>
      `The attempt ${attempt_id} is ${status}: its driver may still receive the outcome of the call.`,
    repair: ({ world_slug }) => `Resume it: chukwa run ${world_slug}. Then settle what is in doubt.`,
    example: { attempt_id: 'ID', status: 'running', world_slug: 'park' },
  }),
  RECORD_NOT_ADOPTABLE: content({
    meaning: 'The record of a side effect no longer fits: documents or requests have changed.',
    message: ({ world_slug, attempt_id, attempted_turn, reason }) =>
      `Turn ${attempted_turn} of ${world_slug} cannot continue from attempt ${attempt_id}: ${reason}. Nothing was begun.`,
    repair: ({ attempt_id, rerun }) =>
      `See what it did: chukwa attempt ${attempt_id}. To start over, and repeat its side effects: ${rerun} --anew`,
    example: {
      world_slug: 'park',
      attempt_id: 'ID',
      attempted_turn: 3,
      reason: 'bob/turn/post would send another request',
      rerun: 'chukwa run park',
    },
  }),
};
