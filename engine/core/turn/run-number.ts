/** The name that something has in a subject's run of a number, outside of that run. The first run adds nothing to it. */
export function withNumber(name: string, number: number): string {
  return number === 1 ? name : `${name}@${number}`;
}

/** The name in the run itself. A hash behind an @, such as that of a reading of the whole turn, is longer than any number. */
export function withoutNumber(name: string): string {
  return name.replace(/@\d{1,9}$/, '');
}
