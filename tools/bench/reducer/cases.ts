import { advance } from '../../../engine/core/turn/advance.js';
import type { Invoke } from '../../../engine/core/protocol/command.js';
import type { TurnEvent } from '../../../engine/core/protocol/event.js';
import { type TurnState, UNBEGUN } from '../../../engine/core/turn/state.js';
import type { Scene } from './scene.js';

/** One event at one place of a turn. */
export interface ReducerCase {
  readonly name: string;
  readonly state: TurnState;
  readonly event: TurnEvent;
  /** Whether a model request follows, whose messages have to be rendered. */
  readonly renders: boolean;
}

/** Every kind of event of an ordinary turn, each at its place, and a few that go wrong. */
export function listCases({ program, world }: Scene): readonly ReducerCase[] {
  const cases: ReducerCase[] = [];
  let state: TurnState = UNBEGUN;
  const look = (name: string, event: TurnEvent): ReducerCase => {
    const { commands } = advance(program, state, event);
    const looked = { name, state, event, renders: commands.some(isGeneration) };
    cases.push(looked);
    return looked;
  };
  const go = (name: string, event: TurnEvent): void => {
    const { event: taken } = look(name, event);
    state = advance(program, state, taken).state;
  };
  go('the turn begins', { kind: 'turn_began', world, simulation_time: '2026-05-01T09:01:00Z' });
  const [weather = '', loudspeaker = ''] = [...state.awaited.keys()];
  look('an event that nobody awaits', answer('nobody', READING));
  go('one reading of several', answer(weather, READING));
  go('the last reading: a first prompt', answer(loudspeaker, READING));
  look('a stop', { kind: 'stopped', reason: 'enough' });
  look('an answer that is not JSON: a correction', say('bob/act/round-1/try-1', 'I would rather not.'));
  go('a tool call', say('bob/act/round-1/try-1', TOOL_CALL));
  look('a tool that failed', fail('bob/act/round-1/try-1/tool'));
  go("a tool's result: the next round", answer('bob/act/round-1/try-1/tool', READING));
  go('a patch, and the next subject: a first prompt', say('bob/act/round-2/try-1', patchOf('bob')));
  go('the last patch', say('ann/act/round-1/try-1', patchOf('ann')));
  look('an event after the end', answer(weather, READING));
  return cases;
}

const READING = { temperature_f: 55, condition: 'cold', message: 'The cold front has settled over the park.' };

const TOOL_CALL = JSON.stringify({
  kind: 'tool_call',
  tool_call: { name: 'press_button', arguments: { button: 'C' } },
});

function patchOf(subject: string): string {
  const effects = [
    { op: 'set_entity_state', entity_id: subject, state: 'holding a candy bar; standing on the gravel path' },
    { op: 'set_entity_state', entity_id: 'stone_7', state: 'turned over; its moss is on the south side now' },
    { op: 'append_entity_memory', entity_id: subject, content: 'I turned a stone over and found nothing.' },
  ];
  return JSON.stringify({ kind: 'final_patch', patch: { narration: 'A stone is turned over.', effects } });
}

function answer(key: string, value: Extract<TurnEvent, { kind: 'call_answered' }>['value']): TurnEvent {
  return { kind: 'call_answered', key, value, usage: { input_tokens: 80, output_tokens: 20 }, duration_ms: 10 };
}

function say(key: string, text: string): TurnEvent {
  return answer(key, { text, finish_reason: 'stop' });
}

function fail(key: string): TurnEvent {
  return { kind: 'call_failed', key, failure_class: 'http_status', message: 'the service answered with status 500' };
}

function isGeneration(command: { readonly kind: string } | Invoke): boolean {
  return 'generation' in command && command.generation !== undefined;
}
