import { findInPopulation, promptOf } from '../../contract/population.js';
import { type ByTurn, findScripted } from '../../contract/scripted.js';
import type { Answer, Answers } from '../../generated/answers.js';
import type { AnswerCall, CallToAnswer } from '../../ports/answers.js';

export interface WrittenAnswer {
  /** The key, such as `1`. */
  readonly turn: string;
  readonly key: string;
}

/** The answers to calls of dry runs, by world, and the calls that lacked one. */
export interface AnswerBook {
  readonly answerCall: AnswerCall;
  /** Prepares the answers for a world. @param fill makes up missing answers; they are still listed as missing */
  prepare(world_slug: string, answers: Given, fill?: AnswerCall): void;
  /** Answers of a turn that no call has used, in the order in which they are written. */
  listUnused(world_slug: string): readonly WrittenAnswer[];
  /** Calls without a written answer, in the order in which they were made. */
  listMissing(world_slug: string): readonly CallToAnswer[];
}

type Given = Pick<Answers, 'turns' | 'population'>;

interface Page extends Given {
  readonly used: Set<string>;
  readonly missing: CallToAnswer[];
  readonly fill: AnswerCall;
}

export function openAnswerBook(): AnswerBook {
  const pages = new Map<string, Page>();
  const pageOf = (world_slug: string): Page => {
    const page = pages.get(world_slug);
    if (page === undefined) throw new Error(`no answers were prepared for ${world_slug}`);
    return page;
  };
  return {
    answerCall: (call) => {
      const { turns, population = [], used, missing, fill } = pageOf(call.world_slug);
      const found = findScripted(turns, call);
      if (found !== undefined) {
        used.add(nameOf(found));
        return found.value;
      }
      const said = findInPopulation(population, { ...call, prompt: promptOf(call.request) });
      if (said !== undefined) return said;
      // A call that a person must approve is asked for twice: for the decision, and when it is made.
      if (!missing.some(({ turn, key }) => turn === call.turn && key === call.key)) missing.push(call);
      return fill(call);
    },
    prepare: (world_slug, answers, fill = () => undefined) =>
      void pages.set(world_slug, { ...answers, used: new Set(), missing: [], fill }),
    listUnused: (world_slug) => {
      const { turns, used } = pageOf(world_slug);
      // An answer of every other turn is often more than these turns need.
      return listWritten(turns).filter((written) => written.turn !== '*' && !used.has(nameOf(written)));
    },
    listMissing: (world_slug) => pageOf(world_slug).missing,
  };
}

function listWritten(turns: ByTurn<Answer>): readonly WrittenAnswer[] {
  return Object.entries(turns).flatMap(([turn, answers]) => Object.keys(answers).map((key) => ({ turn, key })));
}

function nameOf({ turn, key }: WrittenAnswer): string {
  return `${turn} ${key}`;
}

/** A test's own answers override those of the document that it names. */
export function joinTurns(named: ByTurn<Answer>, own: ByTurn<Answer>): ByTurn<Answer> {
  const turns = [...new Set([...Object.keys(named), ...Object.keys(own)])];
  return Object.fromEntries(turns.map((turn) => [turn, { ...named[turn], ...own[turn] }]));
}
