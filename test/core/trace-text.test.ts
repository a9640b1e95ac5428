import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Segment } from '../../engine/core/prompt/message.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { Program } from '../../engine/core/protocol/program.js';
import {
  type AnsweredText,
  type LearntText,
  type ShownText,
  type TextRecord,
  traceText,
  type WrittenText,
} from '../../engine/core/world/trace-text.js';
import { partsOf } from '../../engine/core/world/patch-operations.js';
import { composeWorld, type World } from '../../engine/core/world/world.js';
import { extent } from '../support/extent.js';
import { smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, playTurn } from '../support/turn-player.js';

/** How many scenes are played. */
const SCENES = extent(1_000, 10_000);
const FACT = 'the key is under the stone';
const PLACES = ['barn', 'mill'];
const AGENTS = ['ada', 'ben', 'cleo', 'dan'];

/** Only Ada is told the fact, by a reading of her own. */
const READING: JsonObject = {
  id: 'whisper',
  run: 'before_subject_workflow',
  scope: 'world',
  visible_to: { entity_id: 'ada' },
  inject_as: '/ambient/whisper',
  request_template: {},
};

const SCOPES = ['world', 'subject_environment'] as const;

/** One program for each scope: the worlds differ, and what is said in them. */
const PROGRAMS = new Map(SCOPES.map((scope) => [scope, programOf(scope)]));

function programOf(scope: (typeof SCOPES)[number]): Program {
  return smallPark({
    subjects: AGENTS,
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: [...AGENTS, 'bell'].map((id) => ({
      id,
      name: id,
      kind: AGENTS.includes(id) ? 'agent' : 'prop',
      state: 'still',
      environment: 'barn',
    })),
    ambients: [READING],
    prompt: '{{subject.rendered}}\n{{world.projection}}\n{{world.recent_events}}\n{{ambient.visible}}',
    projection: { scope, memory: { recent: 2 }, events: { turns: 1 } },
  });
}

/** Where a patch puts a text, and whether it is the fact, if its agent was shown it. */
const effectArbitrary = fc.record({
  on: fc.oneof(
    fc.record({ op: fc.constant('set_entity_state' as const), target: fc.constantFrom(...AGENTS, 'bell') }),
    fc.record({ op: fc.constant('append_entity_memory' as const), target: fc.constantFrom(...AGENTS) }),
    fc.record({ op: fc.constant('set_environment_content' as const), target: fc.constantFrom(...PLACES) }),
  ),
  tells: fc.boolean(),
});
const patchArbitrary = fc.record({
  narrates: fc.boolean(),
  effects: fc.array(effectArbitrary, { maxLength: 2 }),
});
const sceneArbitrary = fc.record({
  scope: fc.constantFrom(...SCOPES),
  where: fc.array(fc.constantFrom(undefined, ...PLACES), { minLength: 5, maxLength: 5 }),
  turns: fc.array(fc.array(patchArbitrary, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
});
type Scene = typeof sceneArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function worldOf({ where }: Scene): World {
  const entities = [...AGENTS, 'bell'].map((id, index) => {
    const environment = where[index];
    const kind = AGENTS.includes(id) ? ('agent' as const) : ('prop' as const);
    return { id, name: id, kind, state: 'still', memory: [], ...(environment === undefined ? {} : { environment }) };
  });
  return composeWorld({
    slug: 'scene',
    turn: 0,
    environments: PLACES.map((label) => [label, { content: 'Quiet.' }]),
    entities,
    events: [],
  });
}

/** What each placeholder shows; it is in several segments where parts of it come from elsewhere. */
function segmentsOf(command: Invoke): readonly Pick<Segment, 'origin' | 'text'>[] {
  const whole: { origin: Segment['origin']; text: string }[] = [];
  for (const { origin, text } of (command.generation?.messages ?? []).flatMap(({ segments }) => segments)) {
    const last = whole.at(-1);
    if (last?.origin === origin) last.text += text;
    else whole.push({ origin, text });
  }
  return whole;
}

function knowsFact(command: Invoke): boolean {
  return segmentsOf(command).some(({ text }) => text.includes(FACT));
}

/** Plays a scene: who is shown the fact may put it wherever a patch can. */
function play(scene: Scene): TextRecord {
  const shown: ShownText[] = [];
  const written: WrittenText[] = [];
  const heard: AnsweredText[] = [];
  const program = PROGRAMS.get(scene.scope) ?? assert.fail();
  let world = worldOf(scene);
  for (const [index, patches] of scene.turns.entries()) {
    const turn = index + 1;
    let invocation_seq = 0;
    const moments = new Map<string, number>();
    const { state } = playTurn(program, world, (command) => {
      const agent_id = command.subject_id ?? '';
      const moment = { turn, invocation_seq: (invocation_seq += 1), agent_id };
      if (command.generation === undefined) {
        heard.push({ ...moment, source_invocation_id: command.key, source_label: command.call.source.label });
        return answered(command, { said: FACT });
      }
      moments.set(command.key, invocation_seq);
      const holding = segmentsOf(command).filter(({ text }) => text.includes(FACT));
      for (const { origin, text } of holding)
        shown.push({ ...moment, llm_call_id: command.key, origin, segment: text });
      const { narrates = false, effects = [] } = patches[AGENTS.indexOf(agent_id)] ?? {};
      const say = (tells: boolean): string => (tells && knowsFact(command) ? `He says: ${FACT}.` : 'Nothing new.');
      return modelSays(
        command,
        finalPatch(
          effects.map(({ on: { op, target }, tells }) => ({
            op,
            [op === 'set_environment_content' ? 'environment_label' : 'entity_id']: target,
            [op === 'set_entity_state' ? 'state' : 'content']: say(tells),
          })),
          say(narrates),
        ),
      );
    });
    for (const { subject_id: agent_id, call_key, patch_seq, applied } of state.patches) {
      const place = { turn, invocation_seq: moments.get(call_key) ?? 0, agent_id, patch_seq };
      if (applied.patch.narration.includes(FACT)) written.push({ ...place, op: 'narration', target: agent_id });
      for (const effect of applied.patch.effects) {
        const { target, text } = partsOf(effect);
        if (text.includes(FACT)) written.push({ ...place, op: effect.op, target });
      }
    }
    world = { ...state.world, turn };
  }
  return { text: FACT, shown, written, answered: heard };
}

/** Whether an agent can perceive what a patch has left, by the places of both alone. */
function couldPerceive({ scope, where }: Scene, agent: string, { op, target }: WrittenText): boolean {
  if (op === 'append_entity_memory') return target === agent;
  if (scope === 'world' || target === agent) return true;
  const placeOf = (id: string): string | undefined => where[[...AGENTS, 'bell'].indexOf(id)];
  const place = op === 'set_environment_content' ? target : placeOf(target);
  return place !== undefined && place === placeOf(agent);
}

test('a fact that one agent is told reaches another by a recorded path of patches that each can perceive, or not at all', () => {
  const reached = { far: 0, never: 0 };
  fc.assert(
    fc.property(sceneArbitrary, (scene) => {
      const record = play(scene);
      for (const agent of AGENTS) {
        const path = traceText(record, agent);
        const isShown = record.shown.some(({ agent_id }) => agent_id === agent);
        assert.equal(path.length > 0, isShown, agent);
        if (!isShown) reached.never += 1;
        if (path.length > 2) reached.far += 1;
        for (const [index, { agent_id, came_by }] of path.entries()) {
          const next: LearntText | undefined = path[index + 1];
          if (came_by.kind !== 'patch') {
            assert.deepEqual([agent_id, came_by.kind, next], ['ada', 'answer', undefined]);
            continue;
          }
          const { patch } = came_by;
          assert.ok(couldPerceive(scene, agent_id, patch), `${agent_id} cannot perceive what ${patch.agent_id} did`);
          assert.equal(next?.agent_id, patch.agent_id);
          assert.ok(next.shown !== null && next.turn <= patch.turn);
        }
      }
    }),
    { numRuns: SCENES, seed: 20_261_127 },
  );
  assert.ok(reached.far > SCENES / 20 && reached.never > SCENES / 2, JSON.stringify(reached));
});

test('who says a text first that no prompt had is the end of its path', () => {
  const segment = '- [turn 1] ben (id: ben): He says: so it is.';
  const shown = {
    turn: 2,
    invocation_seq: 1,
    agent_id: 'ada',
    llm_call_id: 'a',
    origin: 'world.recent_events',
    segment,
  } as const;
  const written = {
    turn: 1,
    invocation_seq: 1,
    patch_seq: 1,
    agent_id: 'ben',
    op: 'narration',
    target: 'ben',
  } as const;
  const record: TextRecord = { text: 'so it is', shown: [shown], written: [written], answered: [] };
  assert.deepEqual(traceText(record, 'ada'), [
    { turn: 2, agent_id: 'ada', shown, came_by: { kind: 'patch', patch: written } },
    { turn: 1, agent_id: 'ben', shown: null, came_by: { kind: 'own_words' } },
  ]);
  assert.deepEqual(traceText(record, 'dan'), []);
});
