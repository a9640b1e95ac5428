/** Ends a total switch. The compiler refuses a missing case; reaching it at run time is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
