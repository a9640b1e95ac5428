/** A text of at most so many characters, and dots where there were more. Nothing that may hold a secret is cut: see `SecretReplacer`. */
export function shorten(text: string, length_max: number): string {
  return text.length > length_max ? `${text.slice(0, length_max)}...` : text;
}
