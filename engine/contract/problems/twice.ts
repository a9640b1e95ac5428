import { content } from './entry.js';

interface NamedTwice {
  readonly noun: string;
  /** The noun at length, where it says more. */
  readonly each?: string;
  readonly member: 'id' | 'label' | 'name';
  readonly example: string;
}

/** Two items of one list have one name. */
export function twice({ noun, each = noun, member, example }: NamedTwice) {
  return content({
    meaning: 'An item is listed a second time.',
    message: ({ name }) => `The ${noun} ${name} is listed a second time here.`,
    repair: `Give each ${each} ${member === 'id' ? 'an' : 'a'} ${member} of its own.`,
    example: { name: example },
  });
}
