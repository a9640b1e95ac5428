/** The beginning of a repair that suggests the name that was probably meant, where there is one. */
export function meant(nearest: string | undefined): string {
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}
