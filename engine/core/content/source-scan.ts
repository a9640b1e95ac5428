import { DEPTH_MAX } from './i-json.js';

/** What one pass over a JSON text shows before anything recursive touches it. */
export interface SourceScan {
  /** Where nesting first exceeds `DEPTH_MAX`. */
  readonly too_deep_at: number | undefined;
  /** Members of all objects, repeated names counted each time. */
  readonly member_count: number;
  /** Every number is read as the value that is written. */
  readonly numbers_are_exact: boolean;
}

const TOKEN = /"(?:[^"\\]+|\\.)*"?|[{}[\]:]|-?\d[\d.eE+-]*/gs;

/** Looks a JSON text over in linear time and constant stack. The text need not be valid. */
export function scanSource(text: string): SourceScan {
  let depth = 0;
  let memberCount = 0;
  let numbersAreExact = true;
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0];
    const first = token[0];
    if (first === '{' || first === '[') depth += 1;
    else if (first === '}' || first === ']') depth -= 1;
    else if (first === ':') memberCount += 1;
    else if (first !== '"') numbersAreExact &&= isExactNumber(token);
    if (depth > DEPTH_MAX)
      return { too_deep_at: match.index, member_count: memberCount, numbers_are_exact: numbersAreExact };
  }
  return { too_deep_at: undefined, member_count: memberCount, numbers_are_exact: numbersAreExact };
}

/** Whether a number as written is the number that a double holds, to the digit. */
export function isExactNumber(written: string): boolean {
  const value = Number(written);
  if (String(value) === written) return true;
  return Number.isFinite(value) && decimalOf(written) === decimalOf(String(value));
}

/** One spelling for equal decimals: significant digits and the power of ten behind them. */
function decimalOf(written: string): string {
  const [mantissa = '', exponent = '0'] = written.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const significant = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${digits}e${Number(exponent) - fraction.length + significant.length - digits.length}`;
}
