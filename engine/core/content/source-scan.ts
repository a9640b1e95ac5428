import { DEPTH_MAX } from './i-json.js';

/** What one pass over a JSON text shows before anything recursive touches it. */
export interface SourceScan {
  /** Where nesting first exceeds `DEPTH_MAX`. */
  readonly too_deep_at: number | undefined;
  /** Values, those in objects and lists included; an empty object or list counts twice. */
  readonly value_count: number;
  /** Members of all objects, repeated names counted each time. */
  readonly member_count: number;
  /** Every number is read as the value that is written. */
  readonly numbers_are_exact: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Looks a JSON text over in linear time and constant stack. The text need not be valid. */
export function scanSource(text: string): SourceScan {
  let depth = 0;
  let memberCount = 0;
  let valueCount = 1;
  let numbersAreExact = true;
  const toScan = (too_deep_at: number | undefined): SourceScan => ({
    too_deep_at,
    value_count: valueCount,
    member_count: memberCount,
    numbers_are_exact: numbersAreExact,
  });
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) memberCount += 1;
    else if (code === COMMA) valueCount += 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      valueCount += 1;
      if (depth > DEPTH_MAX) return toScan(at);
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      numbersAreExact &&= end - at <= PLAIN_DIGITS_MAX ? isPlain(text, at, end) : isExactNumber(text.slice(at, end));
      at = end - 1;
    }
  }
  return toScan(undefined);
}

/** The place of the quote that ends a string, or of the text's last character. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length - 1;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Digits, and the signs `.`, `e`, `E`, `+` and `-`. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === MINUS;
}

/** A double holds every decimal of so few characters, if none of them is an exponent. */
const PLAIN_DIGITS_MAX = 15;

function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x65 || code === 0x45) return isExactNumber(text.slice(start, end));
  }
  return true;
}

/** Longer than any double is ever written out. */
const NUMBER_CHARACTERS_MAX = 1100;

/** What a double distinguishes: writers print a fraction with as many digits, though fewer would do. */
const FRACTION_DIGITS_MAX = 17;

/** Whether a number as written is the number that a double holds: an integer to the digit, a fraction to 17 digits. */
export function isExactNumber(written: string): boolean {
  if (written.length > NUMBER_CHARACTERS_MAX) return false;
  const value = Number(written);
  if (String(value) === written) return true;
  if (!Number.isFinite(value)) return false;
  const decimal = decimalOf(written);
  const kept = decimalOf(String(value));
  if (decimal.digits === kept.digits && decimal.exponent === kept.exponent) return true;
  return decimal.exponent < decimal.digits.length && decimal.digits.length <= FRACTION_DIGITS_MAX && value !== 0;
}

/** One spelling for equal decimals: significant digits, and the power of ten that scales them. */
function decimalOf(written: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', exponent = '0'] = written.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const significant = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = withoutTrailingZeros(significant);
  if (digits === '') return { digits: '', exponent: 0 };
  return { digits, exponent: Number(exponent) - fraction.length + significant.length };
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}
