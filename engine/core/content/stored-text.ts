/** Text of others as PostgreSQL keeps it: without U+0000, and with U+FFFD for each lone surrogate. */
export function toStoredText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
