/** The variables of the toy services, at an address where nothing listens: for runs that call none of them, or should fail. */
export const CLOSED_TOYS: Readonly<Record<string, string>> = Object.fromEntries(
  ['WEATHER', 'PA', 'PHONE', 'VENDING', 'FOUNTAIN'].map((toy) => [`CHUKWA_TOY_${toy}_URL`, 'http://127.0.0.1:9']),
);
