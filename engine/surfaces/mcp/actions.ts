import { ask } from '../../catalogue/act.js';
import { readInput } from '../../catalogue/read-input.js';
import type { Action } from '../../catalogue/action.js';
import { keysOf } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, refuse } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { Acknowledgement } from '../../operations/settling/reports.js';
import { mayUse } from './asked.js';
import type { Caller } from './offer.js';
import { toActionSchema } from './schemas.js';
import { followTurns, toBegunTask } from './tasks.js';
import { answer, type CatalogueTool, refusal, type ToolDesk } from './tools.js';

/** The tools of the actions that a reader may do; those of commands are no tools. */
export function actionTools(declared: readonly Action[], reader: Caller['reader']): readonly CatalogueTool[] {
  return declared.flatMap((action) => {
    const { name, by, says, hints } = action;
    if (name === undefined || by === 'command' || !mayUse(reader, by)) return [];
    const tool = {
      name,
      description: says,
      inputSchema: toActionSchema(action),
      annotations: {
        readOnlyHint: false,
        destructiveHint: hints.is_destructive,
        idempotentHint: hints.is_idempotent,
        // Turns call models and services; the other actions change the record alone.
        openWorldHint: action.kind === 'run_turns',
      },
    };
    const call: CatalogueTool['call'] = async (desk, caller, said, { takes_task, context }) => {
      const done = await perform(action, desk, caller, said);
      if (!done.ok) return refusal(done.problems);
      const { value } = done;
      const followed = takes_task
        ? await toBegunTask(desk, caller, value)
        : await followTurns(desk, caller, value, context);
      return followed ?? answer(value, value.message);
    };
    return [{ tool, gives: 'Acknowledgement', call }];
  });
}

/** Performs an action as it was asked for. */
export async function perform(
  action: Action,
  desk: ToolDesk,
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
