import { present } from '../../contract/present.js';
import type { NotNull } from 'kysely';
import type { SearchHit, SearchQuestion, SnippetPart } from '../../ports/search.js';
import { query } from '../queries.js';
import { prepare, type Runner, toStoredText, type Values } from '../statement.js';
import { BRACKET, fromSearchable, toSearchable } from './searchable-text.js';

// Two characters for private use enclose what was found. A text that has them itself loses them first.
const BEGINS = '\uE000';
const ENDS = '\uE001';
const MARKS = `${BEGINS}${ENDS}`;
/** The mark where a snippet leaves text out. */
const CUT = ' … ';
/** The length of a text lowers its rank, by its logarithm. */
const BY_LENGTH = 1;

const QUERY = `websearch_to_tsquery('english', :words)`;

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
  readonly snippet: string;
  readonly begins_later: boolean;
  readonly goes_on: boolean;
};

/** How many of the latest texts are scanned before the index is searched for all. */
const NEAR = 5_000;

const ORDER = 'ORDER BY attempt_id DESC, world_slug DESC, entry_seq DESC';

interface Part {
  readonly after?: string;
  readonly limit: number;
}

/** Finds texts: first those with words of their own, then prompts, and of each group those of the latest attempts first. */
export async function findTexts(runner: Runner, question: SearchQuestion, part: Part): Promise<readonly SearchHit[]> {
  const { after, limit } = part;
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
async function findGroup(
  runner: Runner,
  question: SearchQuestion,
  part: Part,
  group: Group,
): Promise<readonly SearchHit[]> {
  const where = (names: readonly string[]): string =>
    ['true', ...names.map((name) => CONDITIONS[name as keyof typeof CONDITIONS])].join(' AND ');
  const named = [...Object.keys(question), group];
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
  question: SearchQuestion,
  { after, limit }: Part,
  found: string,
): Promise<readonly SearchHit[]> {
  const [attempt_id = null, after_slug = null, entry_seq = null] = after?.split('.') ?? [];
  const around = question.words === undefined ? `''::tsquery` : QUERY;
  const { text, parameters } = prepare(
    'search',
    `SELECT kind, world_slug, attempt_id, turn, entry_seq, workflow_subject_entity_id, source_label, failure_class, patch_seq,
       source_invocation_id, llm_call_id, ts_rank(words, ${around}, ${BY_LENGTH}) AS rank, lead || snippet || tail AS snippet,
       left(before, length(before) - length(lead)) ~ '\\w' AS begins_later, substr(after, length(tail) + 1) ~ '\\w' AS goes_on
     FROM (${found}) AS found
       CROSS JOIN LATERAL (SELECT translate(text, '<${MARKS}', '${BRACKET}') AS plain) AS unmarked
       CROSS JOIN LATERAL (SELECT ts_headline('english', plain, ${around},
         'StartSel=${BEGINS}, StopSel=${ENDS}, MinWords=12, MaxWords=30, MaxFragments=2, FragmentDelimiter="${CUT}"')
         AS snippet) AS headline
       CROSS JOIN LATERAL (SELECT translate(snippet, '${MARKS}', '') AS shown) AS unmarked_snippet
       CROSS JOIN LATERAL (SELECT split_part(shown, '${CUT}', 1) AS first, split_part(shown, '${CUT}', -1) AS last) AS ends
       CROSS JOIN LATERAL (SELECT left(plain, strpos(plain, first) - 1) AS before,
         substr(plain, strpos(plain, last) + length(last)) AS after) AS left_out
       CROSS JOIN LATERAL (SELECT substring(before FROM '\\S{0,40}$') AS lead,
         substring(after FROM '^\\S{0,40}') AS tail) AS rest_of_words
     ${ORDER}`,
  );
  const words = toSearchable(toStoredText(question.words ?? ''));
  const values: Values = { ...toStored(question), words, attempt_id, after_slug, entry_seq, limit };
  // It has no name, so that it is planned for these words.
  const { rows } = await runner.query<FoundRow>(
    text,
    parameters.map(({ name }) => values[name]),
  );
  return rows.map(toHit);
}

function toStored(question: SearchQuestion): Values {
  return Object.fromEntries(
    Object.entries(question).map(([name, value]) => [name, typeof value === 'string' ? toStoredText(value) : value]),
  );
}

function toHit({ entry_seq, snippet, begins_later, goes_on, ...row }: FoundRow): SearchHit {
  const shown = `${begins_later ? CUT.trimStart() : ''}${withWholeWords(snippet)}${goes_on ? CUT.trimEnd() : ''}`;
  const entry = `${row.attempt_id}.${row.world_slug}.${entry_seq}${row.kind === 'prompt' ? PROMPT_MARK : ''}`;
  return { ...row, entry, snippet: toParts(fromSearchable(shown)) };
}

/**
 * PostgreSQL cuts between what it takes for words, such as the two of `lamp_oil`. At both ends the query puts the rest of the
 * word back; beside a cut in the middle, the last and the first go.
 */
function withWholeWords(snippet: string): string {
  const word = `[^\\s${MARKS}]{1,40}`;
  const before = new RegExp(`(?<=\\s)${word}${CUT}`, 'g');
  const after = new RegExp(`${CUT}${word}(?=\\s)`, 'g');
  return snippet.replaceAll(before, CUT).replaceAll(after, CUT);
}

function toParts(snippet: string): readonly SnippetPart[] {
  const parts = snippet.split(new RegExp(`[${BEGINS}${ENDS}]`));
  // Each match stands between two marks, so that it is every second part.
  return parts.map((text, index) => ({ text, is_match: index % 2 === 1 })).filter(({ text }) => text !== '');
}

const namesIn = (column: 'workflow_subject_entity_id' | 'source_label') =>
  query(({ from }, { world_slug }: { readonly world_slug: string | undefined }) => {
    const names = from('search_entries').select(`${column} as name`).distinct().where(column, 'is not', null);
    const ordered = names.orderBy('name').$narrowType<{ name: NotNull }>();
    return world_slug === undefined ? ordered : ordered.where('world_slug', '=', world_slug);
  });

/** All names of one kind that texts have. */
export const listNames = { subject: namesIn('workflow_subject_entity_id'), source: namesIn('source_label') } as const;
