/** A long life of one agent, and questions about it whose answers stand in known memories. */
export interface LongConversation {
  readonly memories: readonly string[];
  readonly questions: readonly Question[];
}

interface Question {
  readonly text: string;
  /** The index of the memory that has the answer. */
  readonly gold: number;
}

const PEOPLE = ['Mara', 'Otto', 'Ines', 'Jon', 'Petra', 'Emil', 'Rosa', 'Hugo', 'Lena', 'Karl', 'Nora', 'Theo'];
const PLACES = [
  'mill',
  'harbour',
  'chapel',
  'orchard',
  'quarry',
  'bakery',
  'lighthouse',
  'stable',
  'library',
  'bridge',
];
const MADE_OF = ['copper', 'wooden', 'silver', 'broken', 'painted', 'heavy', 'old', 'tiny', 'blue', 'leather'];

/** Things and deeds, each with the word by which a question may call it. */
const THINGS = [
  ['lantern', 'lamp'],
  ['letter', 'message'],
  ['kettle', 'pot'],
  ['boat', 'dinghy'],
  ['coat', 'jacket'],
  ['key', 'key'],
  ['rope', 'cord'],
  ['painting', 'picture'],
  ['bell', 'bell'],
  ['ring', 'ring'],
  ['barrel', 'cask'],
  ['map', 'chart'],
  ['flute', 'whistle'],
  ['saddle', 'saddle'],
  ['mirror', 'mirror'],
  ['basket', 'hamper'],
] as const;
const DEEDS = [
  ['hid', 'conceal'],
  ['found', 'discover'],
  ['lost', 'mislay'],
  ['mended', 'repair'],
  ['sold', 'sell'],
  ['left', 'leave'],
  ['cleaned', 'polish'],
  ['buried', 'bury'],
] as const;

const SMALL_TALK = [
  'We talked for a long time about the weather and about what to eat in the evening.',
  'PERSON came by and said that it would be a good day for it, and PERSON agreed.',
  'I walked from the PLACE to the PLACE and back, and nothing much happened there.',
  'PERSON told me again where the best bread is to be had, and I was glad to hear it.',
  'It rained, and where the road bends by the PLACE there was a lot of water.',
  'PERSON and PERSON argued at the PLACE, and in the end they laughed about it.',
  'I slept badly and thought of PERSON.',
  'In the evening we sat at the PLACE; PERSON sang, and PERSON told the story of the THING.',
  'PERSON asked me where I had been. I had been at the PLACE, as on every other day.',
  'Somebody had put a MADE THING on the table, and nobody knew whose it was.',
  'PERSON carried a THING past the window and did not look up.',
];

const SYLLABLES = ['zor', 'bel', 'tin', 'qua', 'mir', 'dof', 'lup', 'gan'];

/** Facts between which there is small talk; of each so many memories speak of the same person or thing otherwise. */
const TALK_PER_FACT = 12;
const DISTRACTORS_PER_FACT = 2;

/** Makes a conversation of about so many memories: always the same of one seed. */
export function makeConversation(seed: number, size: number): LongConversation {
  const random = generator(seed);
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  const fill = (text: string): string =>
    text
      .replaceAll('PERSON', () => pick(PEOPLE))
      .replaceAll('PLACE', () => pick(PLACES))
      .replaceAll('THING', () => pick(THINGS)[0])
      .replaceAll('MADE', () => pick(MADE_OF));
  const memories: string[] = [];
  const questions: Question[] = [];
  const asked = new Set<string>();
  while (memories.length < size) {
    for (let talk = 0; talk < TALK_PER_FACT; talk += 1) memories.push(fill(pick(SMALL_TALK)));
    const [person, place, made] = [pick(PEOPLE), pick(PLACES), pick(MADE_OF)];
    const [thing, other_thing] = pick(THINGS);
    const [deed, other_deed] = pick(DEEDS);
    const about = `${person} ${made} ${thing}`;
    if (asked.has(about)) continue;
    asked.add(about);
    for (let index = 0; index < DISTRACTORS_PER_FACT; index += 1)
      memories.push(
        fill(
          pick([`${person} came to the PLACE with a MADE ${thing}.`, `The ${made} THING of PERSON is at the PLACE.`]),
        ),
      );
    const kind = random();
    // The answer itself, asked for in other words; one that shares a single rare word with the question, beside words that
    // many memories have; or an answer that says only "it", after the words that are asked for.
    if (kind >= 0.55 && kind < 0.75) {
      const rare = `${pick(SYLLABLES)}${pick(SYLLABLES)}${pick(SYLLABLES)}`;
      memories.push(`On Friday the ${rare} is due, and not before.`);
      const text = `What was it about the ${rare} that ${person} said to ${pick(PEOPLE)} at the ${place} in the evening?`;
      questions.push({ text, gold: memories.length - 1 });
    } else if (kind < 0.75) {
      memories.push(`${person} ${deed} the ${made} ${thing} at the ${place}.`);
      const called = kind < 0.35 ? thing : other_thing;
      questions.push({ text: `Where did ${person} ${other_deed} the ${made} ${called}?`, gold: memories.length - 1 });
    } else {
      memories.push(`I asked ${person} what had become of the ${made} ${thing}.`);
      memories.push(`It was at the ${place}, I was told, and I should say so to nobody.`);
      questions.push({ text: `Where is the ${made} ${thing} of ${person}?`, gold: memories.length - 1 });
    }
  }
  return { memories, questions };
}

/** Random numbers from 0 to 1 that follow from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
