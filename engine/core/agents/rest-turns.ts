import type { Suspend } from '../turn/command.js';
import type { TurnState } from '../turn/state.js';
import type { Program } from '../workflow/program.js';
import type { Suspended } from './transition.js';

/** What it means for its agents that an attempt rests: the one whose nodes wait does so too. */
export function restTurns(program: Program, state: TurnState, { resume_deadline }: Suspend): readonly Suspended[] {
  const subject = program.subjects[state.subject_index];
  const call_keys = [...state.awaited].flatMap(([key, asker]) => (asker.kind === 'node' ? [key] : []));
  if (subject === undefined || state.stage !== 'nodes' || call_keys.length === 0) return [];
  return [{ kind: 'suspended', subject_id: subject.subject_id, call_keys, resume_deadline }];
}
