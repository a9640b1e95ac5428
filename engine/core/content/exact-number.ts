/** Longer than any double is ever written out. */
const NUMBER_CHARACTERS_MAX = 1100;

/** The most digits that a double distinguishes: writers print a fraction with as many, though fewer would do. */
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
