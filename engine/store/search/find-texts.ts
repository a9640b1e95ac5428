import { toStoredText } from '../../core/content/stored-text.js';
import { present } from '../../contract/present.js';
import type { NotNull } from 'kysely';
import type { SearchHit, SearchQuestion } from '../../ports/search.js';
import { query } from '../queries.js';
import { prepare, type Runner, type Values } from '../statement.js';
import { excerpt, type Places } from './excerpt.js';
import { type Question, readQuestion, toQuery, withoutCommon } from './question.js';
import { readStems, type Stems } from './stems.js';

/** The length of a text lowers its rank, by its logarithm. */
const BY_LENGTH = 1;

const QUERY = ':query::tsquery';

const CONDITIONS: Readonly<Record<keyof SearchQuestion | 'after' | Group, string>> = {
  own_words: `kind <> 'prompt'`,
  prompts: `kind = 'prompt'`,
  words: `words @@ ${QUERY}`,
  kind: 'kind = :kind::search_kind',
  world_slug: 'world_slug = :world_slug',
  turn: 'turn = :turn',
  subject: 'workflow_subject_entity_id = :subject',
  source: 'source_label = :source',
  failure: 'failure_class = :failure',
  after: '(attempt_id, world_slug, entry_seq) < (:attempt_id::uuid, :after_slug, :entry_seq::int)',
};

/** A prompt quotes earlier texts: it comes after all that have words of their own. */
type Group = 'own_words' | 'prompts';

type FoundRow = Omit<SearchHit, 'entry' | 'snippet'> & {
  readonly entry_seq: number;
  readonly text: string;
  readonly places: Places;
};

/** A question whose words are read. */
interface Asked extends SearchQuestion {
  readonly groups: Question;
  readonly stems: Stems;
}

/** How many of the latest texts are scanned before the index is searched for all. */
const NEAR = 5_000;

const ORDER = 'ORDER BY attempt_id DESC, world_slug DESC, entry_seq DESC';

export interface Part {
  readonly after?: string;
  readonly limit: number;
}

/** Finds texts: first those with words of their own, then prompts, and of each group those of the latest attempts first. */
export async function findTexts(runner: Runner, wanted: SearchQuestion, part: Part): Promise<readonly SearchHit[]> {
  const { after, limit } = part;
  const said = readQuestion(toStoredText(wanted.words ?? ''));
  const stems = await readStems(
    runner,
    said.flat().flatMap(({ words }) => words.map(({ word }) => word)),
  );
  const question = { ...wanted, stems, groups: withoutCommon(said, stems) };
  if (wanted.words !== undefined && question.groups.length === 0) return [];
  const isLate = after?.endsWith(PROMPT_MARK) === true;
  const own = isLate ? [] : await findGroup(runner, question, part, 'own_words');
  if (own.length >= limit) return own;
  const rest = {
    limit: limit - own.length,
    ...present({ after: isLate ? after.slice(0, -PROMPT_MARK.length) : undefined }),
  };
  return [...own, ...(await findGroup(runner, question, rest, 'prompts'))];
}

/** Ends the name of a prompt's text: a cursor says in which group it is. */
const PROMPT_MARK = '.prompt';

/** A word that many texts have is met soon among the latest ones; of a rarer one the index gives them all, which are few. */
async function findGroup(runner: Runner, question: Asked, part: Part, group: Group): Promise<readonly SearchHit[]> {
  const where = (names: readonly string[]): string =>
    ['true', ...names.map((name) => CONDITIONS[name as keyof typeof CONDITIONS])].join(' AND ');
  const named = [...Object.keys(question).filter((name) => Object.hasOwn(CONDITIONS, name)), group];
  const after = part.after === undefined ? [] : ['after'];
  const all = `FROM search_entries WHERE ${where([...named, ...after])}`;
  if (question.words === undefined) return ask(runner, question, part, `SELECT * ${all} ${ORDER} LIMIT :limit`);
  const latest = `SELECT * FROM search_entries WHERE ${where(after)} ${ORDER} LIMIT ${NEAR}`;
  const near = `SELECT * FROM (${latest}) AS latest WHERE ${where(named)} ${ORDER} LIMIT :limit`;
  const hits = await ask(runner, question, part, near);
  // Without the fence the order's index would be read from end to end.
  const whole = `SELECT * FROM (SELECT * ${all} OFFSET 0) AS whole ${ORDER} LIMIT :limit`;
  return hits.length >= part.limit ? hits : ask(runner, question, part, whole);
}

async function ask(
  runner: Runner,
  question: Asked,
  { after, limit }: Part,
  found: string,
): Promise<readonly SearchHit[]> {
  const [attempt_id = null, after_slug = null, entry_seq = null] = after?.split('.') ?? [];
  const { groups, stems, ...filters } = question;
  const sought = groups.flat().flatMap(({ words }) => words.flatMap(({ word }) => [word, stems.get(word) ?? word]));
  const { text, parameters } = prepare(
    'search',
    `SELECT kind, world_slug, attempt_id, turn, entry_seq, workflow_subject_entity_id, source_label, failure_class, patch_seq,
       source_invocation_id, llm_call_id, ts_rank(words, ${QUERY}, ${BY_LENGTH}) AS rank, text,
       to_json(ARRAY(SELECT json_build_array(lexeme, positions) FROM unnest(words)
         WHERE EXISTS (SELECT FROM unnest(:sought::text[]) AS beginning WHERE starts_with(lexeme, beginning)))) AS places
     FROM (${found}) AS found
     ${ORDER}`,
  );
  const query = toQuery(groups, stems);
  const values: Values = { ...toStored(filters), query, sought, attempt_id, after_slug, entry_seq, limit };
  // It has no name, so that it is planned for these words.
  const { rows } = await runner.query<FoundRow>(
    text,
    parameters.map(({ name }) => values[name]),
  );
  return rows.map(({ entry_seq: place, text: whole, places, ...row }) => ({
    ...row,
    entry: `${row.attempt_id}.${row.world_slug}.${place}${row.kind === 'prompt' ? PROMPT_MARK : ''}`,
    snippet: excerpt(whole, groups, stems, places),
  }));
}

function toStored(question: SearchQuestion): Values {
  return Object.fromEntries(
    Object.entries(question).map(([name, value]) => [name, typeof value === 'string' ? toStoredText(value) : value]),
  );
}

const namesIn = (column: 'workflow_subject_entity_id' | 'source_label') =>
  query(({ from }, { world_slug }: { readonly world_slug: string | undefined }) => {
    const names = from('search_entries').select(`${column} as name`).distinct().where(column, 'is not', null);
    const ordered = names.orderBy('name').$narrowType<{ name: NotNull }>();
    return world_slug === undefined ? ordered : ordered.where('world_slug', '=', world_slug);
  });

const NAMES = { subject: namesIn('workflow_subject_entity_id'), source: namesIn('source_label') } as const;

/**
 * All subjects, or all labels of sources, that texts have. It reads every row: only for a search without hits.
 * @param world_slug of this world alone
 */
export async function listNames(
  runner: Runner,
  of: keyof typeof NAMES,
  world_slug?: string,
): Promise<readonly string[]> {
  return (await NAMES[of](runner, { world_slug })).map(({ name }) => name);
}
