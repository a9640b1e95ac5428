import type { Json, JsonObject } from '../../engine/contract/json.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke, Suspend, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, CallPended } from '../../engine/core/protocol/event.js';
import { UNBEGUN, type TurnState } from '../../engine/core/turn/state.js';
import type { Verdict } from '../../engine/core/protocol/verdict.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { World } from '../../engine/core/world/world.js';

/** The outside's events for one command; first perhaps that the answer comes later. */
export type Says = (command: Invoke) => CallEvent | CallPended;

export interface Played {
  readonly state: TurnState;
  readonly invokes: readonly Invoke[];
  readonly verdicts: readonly Verdict[];
  readonly end: Exclude<TurnCommand, Invoke | Suspend> | undefined;
  /** One line for each thing that happened. */
  readonly story: readonly string[];
}

/** Plays one turn as plain values, answering calls in the order in which `pick` chooses them. */
export function playTurn(
  program: Program,
  world: World,
  says: Says,
  pick: (waiting: number) => number = () => 0,
): Played {
  const invokes: Invoke[] = [];
  const verdicts: Verdict[] = [];
  const story: string[] = [];
  const waiting: Invoke[] = [];
  let end: Played['end'];
  let state = UNBEGUN;
  const take = (commands: readonly TurnCommand[]) => {
    for (const command of commands) {
      if (command.kind === 'invoke') {
        invokes.push(command);
        waiting.push(command);
        story.push(`ask ${command.key}`);
      } else {
        if (command.kind !== 'suspend') end = command;
        story.push(describeEnd(command));
      }
    }
  };
  const begun = advance(program, state, { kind: 'turn_began', world, simulation_time: '2026-05-01T09:01:00.000Z' });
  state = begun.state;
  take(begun.commands);
  while (waiting.length > 0) {
    const [command] = waiting.splice(pick(waiting.length) % waiting.length, 1);
    if (command === undefined) break;
    const event = says(command);
    if (event.kind === 'call_pended') waiting.push(command);
    const step = advance(program, state, event);
    state = step.state;
    if (step.verdict) {
      verdicts.push(step.verdict);
      if (step.verdict.failure)
        story.push(`reject ${step.verdict.failure.detail ?? step.verdict.failure.failure_class}`);
    }
    take(step.commands);
  }
  return { state, invokes, verdicts, end, story };
}

function describeEnd(command: Exclude<TurnCommand, Invoke>): string {
  switch (command.kind) {
    case 'commit':
      return `commit ${command.patches.map((patch) => patch.subject_id).join(' ')}`.trim();
    case 'fail':
      return `fail ${command.failure_class}`;
    case 'suspend':
      return `suspend until ${command.resume_deadline}`;
  }
}

/** An answer of a model. */
export function modelSays(command: Invoke, output: Json, tokens = 10): CallEvent {
  return answered(
    command,
    { text: typeof output === 'string' ? output : JSON.stringify(output), finish_reason: 'stop' },
    tokens,
  );
}

export function answered(command: Invoke, value: Json, tokens = 0): CallEvent {
  const usage = { input_tokens: Math.ceil(tokens / 2), output_tokens: Math.floor(tokens / 2) };
  return { kind: 'call_answered', key: command.key, value, usage, duration_ms: 1 };
}

export const finalPatch = (effects: readonly JsonObject[] = [], narration = 'It happens.'): JsonObject => ({
  kind: 'final_patch',
  patch: { narration, effects },
});
export const toolCall = (name: string, args: JsonObject = { button: 'C' }): JsonObject => ({
  kind: 'tool_call',
  tool_call: { name, arguments: args },
});
export const setState = (entity_id: string, state: string): JsonObject => ({
  op: 'set_entity_state',
  entity_id,
  state,
});

/** Models give these outputs one after the other, in any node; every other source answers the same JSON. */
export function inTurn(outputs: readonly Json[], other: Json = { status: 'ok' }): Says {
  const left = [...outputs];
  return (command) => {
    if (command.invocation_kind !== 'llm_generation') return answered(command, other);
    const output = left.shift();
    if (output === undefined) throw new Error(`nothing is left to say to ${command.key}`);
    return modelSays(command, output);
  };
}

export function textOf(command: Invoke): string {
  return (command.generation?.messages ?? [])
    .map((message) => `${message.role}: ${message.segments.map((segment) => segment.text).join('')}`)
    .join('\n');
}
