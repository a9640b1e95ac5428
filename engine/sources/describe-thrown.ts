/** What somebody threw, in words. Anything can be thrown, and some of it throws again when it is looked at. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'what was thrown cannot be told';
  }
}
