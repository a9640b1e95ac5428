import { CHANGEABLE_SCENARIO_FIELDS } from '../changeable-fields.js';
import { byKind, content, environment, type Texts, unknown } from './entry.js';
import { meant } from './phrases.js';

const MAY_CHANGE = `Only ${CHANGEABLE_SCENARIO_FIELDS} may change.`;
const NEW_WORLD = 'make a new world: chukwa world create SLUG --scenario PATH.';

export const WORLD_PROBLEMS = {
  WORLD_UNKNOWN: unknown<{
    readonly slug: string;
    readonly nearest?: string | undefined;
    /** The database, where it holds no world. */
    readonly empty?: string;
    /** Who deleted a world of this name, and when. */
    readonly deletion?: { readonly acted_by: string; readonly acted_at: string };
  }>({
    message: ({ slug, deletion }) =>
      `There is no world ${JSON.stringify(slug)}.${deletion === undefined ? '' : ` ${deletion.acted_by} deleted it at ${deletion.acted_at}.`}`,
    repair: ({ nearest, empty }) =>
      empty === undefined
        ? `${meant(nearest)}See chukwa world list.`
        : `The database (${empty}) holds none. Make one: chukwa world create SLUG --scenario PATH`,
    example: { slug: 'prak', nearest: 'park' },
  }),
  WORLD_SLUG_INVALID: content({
    message: ({ slug }) => `${JSON.stringify(slug)} cannot be a world's name.`,
    repair: ({ length_max }) =>
      `Use lower-case letters and digits, joined by single hyphens or underscores, at most ${length_max} characters.`,
    example: { slug: 'My Park', length_max: 64 },
  }),
  WORLD_EXISTS: content<{ readonly slug: string; readonly file?: string }>({
    message: ({ slug, file }) =>
      file === undefined
        ? `The world ${slug} already exists.`
        : `${file} holds the world ${slug}, which already exists here.`,
    repair: ({ slug, file }) =>
      file === undefined
        ? 'Choose another name.'
        : `Nothing was imported. Import it into a database without such a world, such as one in a folder that CHUKWA_DATA_DIR names; or delete this one before: chukwa world delete ${slug}.`,
    example: { slug: 'park' },
  }),
  WORLD_FOLDER_EXISTS: content({
    message: ({ folder }) => `${folder} already exists, and is not overwritten.`,
    repair: 'Choose another name, or another folder with --into.',
    example: { folder: './harbour' },
  }),
  WORLD_BUSY: environment({
    meaning: 'Another process runs the world.',
    message: ({ world_slug, pid, host, attempt_id }) =>
      `The world ${world_slug} is being run by process ${pid} on ${host} (attempt ${attempt_id}).`,
    repair: ({ attempt_id, until }) =>
      `Wait for it, or stop it: chukwa stop ${attempt_id}. A dead driver's hold ends at ${until}.`,
    example: { world_slug: 'park', pid: 4711, host: 'laptop', attempt_id: 'ID', until: '2026-05-01T09:00:30.000Z' },
  }),
  WORLD_OVERTAKEN: environment({
    message: ({ world_slug }) =>
      `Another driver has taken over the world ${world_slug}; nothing was written here since.`,
    repair: ({ world_slug }) => `See what it does: chukwa attempts ${world_slug}`,
    example: { world_slug: 'park' },
  }),
  WORLD_UNDER_WAY: content({
    meaning: "One of the world's attempts has not ended.",
    message: ({ world_slug, attempt_id, attempted_turn, is_suspended, because }) =>
      `The attempt ${attempt_id} at turn ${attempted_turn} of ${world_slug} ${is_suspended ? 'is suspended, and waits for an answer' : 'has not ended'}. ${because}`,
    repair: ({ world_slug, attempt_id }) =>
      `Wait for its end; if it has no driver, chukwa run ${world_slug} resumes it, or ends it after chukwa stop ${attempt_id}.`,
    example: {
      world_slug: 'park',
      attempt_id: 'ID',
      attempted_turn: 3,
      is_suspended: true,
      because: 'An export holds attempts that have ended.',
    },
  }),
  WORLD_HAS_FORKS: content({
    meaning: "Forks share the world's turns, so it is not deleted.",
    message: ({ world_slug, forks }) =>
      `The turns of ${world_slug} are those of its forks as well: ${forks.join(', ')}.`,
    repair: ({ forks }) => `Delete the forks first: chukwa world delete ${forks.at(-1)}`,
    example: { world_slug: 'park', forks: ['park-2'] },
  }),
  WORLD_FILE_DAMAGED: content({
    meaning: 'The file is damaged, or no export of a world.',
    message: ({ file, reason }) => `${file} is not as it was exported: ${reason}.`,
    repair: 'Copy it again from its origin, or export it again. Nothing was imported.',
    example: { file: 'park.jsonl', reason: 'its last line is missing' },
  }),
  WORLD_FILE_OF_ANOTHER_VERSION: content({
    meaning: 'The file comes from a database with other migrations.',
    message: ({ file, found, expected }) =>
      `${file} comes from a database at ${found}, and this one is at ${expected}.`,
    repair: ({ is_later }) =>
      is_later
        ? 'Nothing was imported. Import it with the version of chukwa that wrote it, or a later one.'
        : 'Nothing was imported. Import it with the version of chukwa that wrote it into a folder of its own, which CHUKWA_DATA_DIR names; then use this version there: chukwa migrate, and chukwa world export.',
    example: { file: 'park.jsonl', found: '0002_orders', expected: '0001_baseline', is_later: true },
  }),
  WORLD_TIME_ENDED: content<{ readonly turn: number } | { readonly world_slug: string; readonly committed: number }>({
    meaning: 'The next turn would be after the year 9999.',
    message: (facts) =>
      'turn' in facts
        ? `Turn ${facts.turn} is beyond the year 9999.`
        : `The world ${facts.world_slug} has come to the end of its calendar: turn ${facts.committed} is the last within the year 9999.`,
    repair: 'Make a world of a scenario with an earlier start_time, or with a shorter chronon_seconds.',
    example: { world_slug: 'park', committed: 12 },
  }),
  EDIT_FAULTY: content({
    meaning: 'The patch does not fit the world.',
    message: ({ fault }: { readonly fault: string }) => `The patch does not fit the world: ${fault}.`,
    repair: 'Correct the patch: chukwa world show has the ids and labels of the world.',
    example: { fault: '/narration has no character that shows' },
  }),
  EDIT_DURING_TURN: content({
    meaning: 'An attempt at the next turn is open.',
    message: ({ world_slug, attempt_id }: { readonly world_slug: string; readonly attempt_id: string }) =>
      `The attempt ${attempt_id} at the next turn of ${world_slug} has not ended.`,
    repair: 'Let it end, or stop it with chukwa stop, and edit the world then.',
    example: { world_slug: 'park', attempt_id: '01900000-0000-7000-8000-000000000000' },
  }),
  TEXT_BLANK: content('The text has no character that shows.', 'Write a text that the agent may know.'),
  BAD_ENTITY_ID: content({
    meaning: 'This cannot become an [entity id](terms.md#entity-ids).',
    message: ({ written, reason }: { readonly written: string; readonly reason: string }) =>
      `${JSON.stringify(written)} cannot be an entity id: ${reason}.`,
    repair:
      'Use letters, digits, _ and -, in parts joined by dots; capitals and spaces are read as the id that they mean.',
    example: { written: 'plate..crumb', reason: 'a part between dots is empty' },
  }),
  TURN_UNKNOWN: unknown<{
    readonly world_slug: string;
    readonly turn: number | undefined;
    /** Left out where the world has the turn, and another one has committed it. */
    readonly reached?: number;
  }>({
    message: ({ world_slug, turn, reached }) =>
      reached === undefined
        ? `No attempt of the world ${world_slug} has committed turn ${turn}.`
        : `The world ${world_slug} has not reached turn ${turn}; it is at turn ${reached}.`,
    repair: ({ world_slug, reached }) =>
      reached === undefined ? `See chukwa attempts ${world_slug}.` : `Ask for a turn from 0 to ${reached}.`,
    example: { world_slug: 'park', turn: 9, reached: 3 },
  }),
  SCENARIO_DIFFERS: content({
    meaning: "The time or the roster of the scenario differs from the world's.",
    ...byKind(
      {
        time: [
          ({ field, before, after }: Texts<'field' | 'before' | 'after'>) =>
            `${field} is ${after}, but the earlier turns were counted with ${before}.`,
          ({ before }: Texts<'before'>) => `Leave it as it was: ${before}. ${MAY_CHANGE}`,
        ],
        missing: [
          ({ noun, name }: Texts<'noun' | 'name'>) =>
            `the ${noun} ${name} is missing: the world has it, and it cannot be removed`,
          `Put it back as it was. ${MAY_CHANGE}`,
        ],
        new: [
          ({ noun, name }: Texts<'noun' | 'name'>) => `the ${noun} ${name} is new: no earlier turn has it`,
          `Remove it, or ${NEW_WORLD} ${MAY_CHANGE}`,
        ],
        shown: [
          ({ field, name }: Texts<'field' | 'name'>) =>
            `${field} of ${name} has changed: the earlier turns were played with the other value`,
          `Leave it as it was, or ${NEW_WORLD} ${MAY_CHANGE}`,
        ],
        without_effect: [
          ({ field, name }: Texts<'field' | 'name'>) =>
            `${field} of ${name} has changed, but without an effect: the world keeps its own value`,
          `Leave it as it was, or ${NEW_WORLD} ${MAY_CHANGE}`,
        ],
      },
      { kind: 'missing', noun: 'entity', name: 'bob' },
    ),
  }),
};
