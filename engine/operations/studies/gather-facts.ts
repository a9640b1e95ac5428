import type { Json } from '../../contract/json.js';
import { groupBy } from '../../core/content/group-by.js';
import { parseJson } from '../../core/content/parse-json.js';
import type { RunFacts } from '../../core/study/observation.js';
import type { Probe } from '../../generated/probe.js';
import type { Study } from '../../generated/study.js';
import type { PlayedWorld, StudyFacts, StudyRecord } from '../../ports/studies.js';
import type { Archive } from '../engine.js';

/** What the measures of a study read of its runs, by the names of their worlds. */
export async function gatherFacts(
  { store }: Archive,
  { study_label, document, probes }: StudyRecord,
  worlds: readonly PlayedWorld[],
): Promise<(run: PlayedWorld) => RunFacts> {
  const readings = (document as unknown as Study).measures.map(({ read }) => read);
  const facts = await store.studies.facts(study_label, {
    tools: readings.flatMap((read) => ('tool' in read ? [read.tool] : [])),
    entity_ids: readings.flatMap((read) => ('state_of' in read ? [read.state_of] : [])),
  });
  const calls = groupBy(facts.tool_calls, ({ world_slug }) => world_slug);
  const states = groupBy(facts.states, ({ world_slug }) => world_slug);
  const answers = groupBy(facts.answers, ({ world_slug }) => world_slug);
  const asking = groupBy(
    worlds.filter(({ probe }) => probe !== null),
    ({ parent }) => parent?.world_slug,
  );
  return (run) => ({
    tool_calls: calls.get(run.world_slug) ?? [],
    states: afterEachTurn(states.get(run.world_slug) ?? [], Math.min(run.turn ?? 0, run.until_turn)),
    answers: (asking.get(run.world_slug) ?? [])
      .toSorted((one, other) => one.until_turn - other.until_turn)
      .flatMap(({ world_slug, probe, parent }) =>
        (answers.get(world_slug) ?? []).map(({ subject_id, question_id, text }) => ({
          turn: parent?.turn ?? 0,
          ask: probe ?? '',
          subject_id,
          question_id,
          answer: toAnswer(probes[probe ?? ''] as unknown as Probe, question_id, text),
        })),
      ),
  });
}

/** The state of each entity after each turn, also where a turn has not changed it. */
function afterEachTurn(written: StudyFacts['states'], turns: number): RunFacts['states'] {
  const ofEntities = [...groupBy(written, ({ entity_id }) => entity_id)];
  return Array.from({ length: turns }, (_none, index) => index + 1).flatMap((turn) =>
    ofEntities.flatMap(([entity_id, states]) => {
      const state = states.findLast((one) => one.turn <= turn)?.state;
      return state === undefined ? [] : [{ turn, entity_id, state }];
    }),
  );
}

/** The value of an answer: the whole of it where its author wrote the schema. */
function toAnswer({ questions }: Probe, question_id: string, text: string): Json {
  const parsed = parseJson(text);
  if (!parsed.ok) return null;
  const form = questions.find(({ id }) => id === question_id)?.answer;
  if (form?.kind === 'schema') return parsed.value;
  return (parsed.value as { readonly answer?: Json } | null)?.answer ?? null;
}
