/** A sentence of a problem: always the same, or made of the facts of the case. */
type Sentence<Facts> = string | ((facts: Facts) => string);

/** What the catalogue says of a problem code. */
export interface ProblemEntry<Facts> {
  /** One sentence that says what is wrong, whatever the case; left out where the message does. */
  readonly meaning?: string;
  /** One sentence that says what is wrong in a case. */
  readonly message: Sentence<Facts>;
  /** The repair, in one sentence. */
  readonly repair: Sentence<Facts>;
  /** The message and the repair of one likely case, for people who read about the code. */
  readonly example: () => { readonly message: string; readonly repair: string };
  /** It stops nothing. */
  readonly severity?: 'note';
  /** The exit code of a command. */
  readonly exit: 1 | 2 | 4;
  /** The status of an HTTP answer. */
  readonly status: number;
}

/** The sentences of a code whose message depends on the case. */
interface Sentences<Facts> {
  readonly meaning?: string;
  readonly message: Sentence<NoInfer<Facts>>;
  readonly repair: Sentence<NoInfer<Facts>>;
  /** The facts of one likely case. Their types are those of all cases, where no type is given. */
  readonly example: Facts;
}

/** Either the sentences of a code, or its one message and its one repair. */
type Said<Facts> = readonly [Sentences<Facts>] | readonly [message: string, repair: string];

/** What the request says is at fault: a document does not validate, or a name cannot be one. */
export function content<Facts = Nothing>(...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...toSentences(said), exit: 1, status: 400 };
}

/** An author may mean it, and more often has overlooked something. */
export function note<Facts = Nothing>(...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...content(...said), severity: 'note' };
}

/** A look-up names something that is not there. */
export function unknown<Facts = Nothing>(...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...toSentences(said), exit: 1, status: 404 };
}

/** The command line itself is wrong. */
export function usage<Facts = Nothing>(...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...toSentences(said), exit: 2, status: 400 };
}

/** The database, a service or another process prevents it. */
export function environment<Facts = Nothing>(...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...toSentences(said), exit: 4, status: 503 };
}

/** An HTTP server refuses a request with a status of its own; a command that goes through the server ends with 4. */
export function overHttp<Facts = Nothing>(status: number, ...said: Said<Facts>): ProblemEntry<Facts> {
  return { ...toSentences(said), exit: 4, status };
}

export type Texts<Name extends string> = Readonly<Record<Name, string>>;

type Kinds = Readonly<Record<string, readonly [message: Sentence<never>, repair: Sentence<never>]>>;

type OfKind<Kind, Pair> = Pair extends readonly [Sentence<infer Facts>, Sentence<infer More>]
  ? { readonly kind: Kind } & Facts & More
  : never;

/** The sentences of a code that has several kinds of cases: for each, its message and its repair. */
export function byKind<const Table extends Kinds>(
  table: Table,
  example: { readonly [Kind in keyof Table]: OfKind<Kind, Table[Kind]> }[keyof Table],
) {
  const sayOf = (index: 0 | 1) => (facts: typeof example) =>
    say(table[facts.kind]?.[index] as Sentence<unknown>, facts);
  return { message: sayOf(0), repair: sayOf(1), example };
}

/** The facts of a code whose sentences are always the same. */
export type Nothing = undefined;

function toSentences<Facts>(said: Said<Facts>): Omit<ProblemEntry<Facts>, 'exit' | 'status'> {
  if (said.length === 2) {
    const [message, repair] = said;
    return { message, repair, example: () => ({ message, repair }) };
  }
  const [{ example, ...sentences }] = said;
  const { message, repair } = sentences;
  return { ...sentences, example: () => ({ message: say(message, example), repair: say(repair, example) }) };
}

/** The words of a sentence in a case. */
export function say<Facts>(sentence: Sentence<Facts>, facts: Facts): string {
  return typeof sentence === 'string' ? sentence : sentence(facts);
}
