import type { AnswerCall } from '../../ports/answers.js';
import type { AttemptStore } from '../../ports/attempts.js';

/** Decides in place of a person in a dry run: it approves a call, unless the written answer denies it or lets it expire. */
export function decideByAnswers(answerCall: AnswerCall): AttemptStore['askApproval'] {
  return async ({ world_slug, attempted_turn: turn }, { approval_id, command_key: key, tool_name, request }) => {
    const answer = answerCall({ world_slug, turn, key, source_label: tool_name, speaks: 'json', request });
    const said = answer !== undefined && 'failure' in answer ? answer : undefined;
    const status = STATUSES.get(said?.failure) ?? 'approved';
    return { approval_id, status, reason: said?.message ?? null, deadline: 0, grants: [], facts: [] };
  };
}

const STATUSES = new Map([
  ['approval_denied', 'denied'],
  ['approval_expired', 'expired'],
] as const) as ReadonlyMap<string | undefined, 'denied' | 'expired'>;
