/** What was thrown, in its own words, a parser's too: what it read is a plugin's file, and no answer. */
export function ownWords(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'what was thrown cannot be told';
  }
}
