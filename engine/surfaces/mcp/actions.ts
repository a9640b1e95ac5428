import type { ServerContext } from '@modelcontextprotocol/server';
import { ask } from '../../catalogue/act.js';
import { readInput } from '../../catalogue/read-input.js';
import type { Action } from '../../catalogue/action.js';
import { keysOf } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, refuse } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { HttpDesk } from '../../operations/composition.js';
import type { Acknowledgement } from '../../operations/reports.js';
import { mayUse } from './asked.js';
import type { Caller, OfferedTool } from './offer.js';
import { toActionSchema, toAnswerSchema } from './schemas.js';
import { toBegunTask } from './tasks.js';
import { answer, refusal } from './tools.js';

/** What an action needs: the desk that performs it, and who knows the tokens that no record may keep. */
export interface ActionDesk extends Pick<HttpDesk, 'act' | 'use'> {
  readonly holdsToken: (text: string) => boolean;
}

/** The tools of the actions that a caller may do; those of commands are no tools. */
export function actionTools(declared: readonly Action[], desk: ActionDesk, caller: Caller): readonly OfferedTool[] {
  return declared.flatMap((action) => {
    const { name, by, says, hints } = action;
    if (name === undefined || by === 'command' || !mayUse(caller.reader, by)) return [];
    const tool = {
      name,
      description: says,
      inputSchema: toActionSchema(action),
      outputSchema: toAnswerSchema('Acknowledgement'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: hints.is_destructive,
        idempotentHint: hints.is_idempotent,
        // Turns call models and services; the other actions change the record alone.
        openWorldHint: action.kind === 'run_turns',
      },
    };
    const call: OfferedTool['call'] = async (said, { takes_task, context }) => {
      await sayProgress(context, 0);
      const done = await perform(action, desk, caller, said);
      if (!done.ok) return refusal(done.problems);
      await sayProgress(context, 1);
      const begun = takes_task ? await toBegunTask(desk, caller, done.value) : undefined;
      return begun ?? answer(done.value, done.value.message);
    };
    return [{ tool, call }];
  });
}

/** Performs an action as it was asked for. */
export async function perform(
  action: Action,
  desk: ActionDesk,
  { actor }: Caller,
  said: JsonObject,
): Promise<Outcome<Acknowledgement>> {
  // The record is read by others.
  if (desk.holdsToken(JSON.stringify(said))) return refuse(problem('FIELD_INVALID', { kind: 'token' }));
  const { reason, ...given } = said;
  const missing = keysOf(action.path).find((name) => typeof given[name] !== 'string');
  if (missing !== undefined)
    return refuse(
      problem('FIELD_INVALID', { kind: 'invalid', name: missing, wanted: 'a text' }, { pointer: `/${missing}` }),
    );
  const why = typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : undefined;
  if (why === undefined && action.is_reason_optional !== true) return refuse(problem('REASON_MISSING'));
  const input = readInput(action, given);
  if (!input.ok) return refuse(...placed(input.problems));
  return desk.act(ask(action, input.value), present({ ...actor, reason: why }));
}

/** A field that is invalid is named in the details of its problem, and is a member of the arguments. */
export function placed(problems: readonly Problem[]): readonly Problem[] {
  return problems.map((found) => {
    const field = found.details?.['field'];
    return typeof field === 'string' ? { ...found, pointer: `/${field}` } : found;
  });
}

/** Tells a caller who asks how far a request is. Turns go on after their request: the handle says how far they are. */
async function sayProgress({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 1 } });
}
