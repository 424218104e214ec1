/**
 * Exact decimals in plain notation, such as `-129.90`.
 *
 * @module
 */

const plain = /^(-?)(\d+)(?:\.(\d+))?$/
const scientific = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/

/** A finite number as the shortest decimal that means it, in plain notation. */
export const decimalOf = (value: number): string => {
  const text = String(value + 0)
  const match = scientific.exec(text)
  if (match === null) return text
  const [, sign = "", whole = "", fraction = "", power = "0"] = match
  const exponent = Number(power)
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - whole.length)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(exponent, "0")}`
}

/** The most digits of an exact decimal: a double tells any two decimals of so many apart, and none of more. */
export const maxExactDigits = 15

/**
 * A number of a request as the decimal that was sent, digit for digit, in plain notation; null where that cannot be
 * known: it has more than {@link maxExactDigits} digits before and after the point together, zeros at either end that
 * mean nothing not counted.
 *
 * JSON numbers arrive as doubles. Every decimal of so many digits is the shortest of its double (IEEE 754: 15 digits
 * survive the way there and back), so what comes out is what went in. A number written with more digits than a double
 * holds was rounded by the parser: it is taken where it means the same double as a short one, as 0.10000000000000000001
 * and 0.1 do.
 */
export const exactDecimalOf = (value: number): string | null => {
  if (!Number.isFinite(value)) return null
  const text = decimalOf(value)
  const digits = text.replace(/^-?(?:0(?=\.))?\.?/, "").replace(".", "")
  return digits.length > maxExactDigits ? null : text
}

/** A decimal with at least so many digits after the point: `19.9` with 2 is `19.90`. */
export const padDecimal = (decimal: string, digits: number): string => {
  const [whole = "", fraction = ""] = decimal.split(".")
  const padded = fraction.padEnd(digits, "0")
  return padded === "" ? whole : `${whole}.${padded}`
}

/** Which of two decimals in plain notation is greater: negative, zero or positive. */
export const compareDecimals = (a: string, b: string): number => {
  const left = partsOf(a)
  const right = partsOf(b)
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  const order =
    left.whole.length - right.whole.length ||
    compare(left.whole, right.whole) ||
    compare(left.fraction, right.fraction)
  return left.negative ? 0 - order : order
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const withoutZerosAtEnd = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

/** Digits without zeros that mean nothing, so that text order is number order; zero is not negative. */
const partsOf = (text: string) => {
  const [, sign = "", digits = "", decimals = ""] = plain.exec(text) ?? []
  const whole = digits.replace(/^0+/, "")
  const fraction = withoutZerosAtEnd(decimals)
  return { negative: sign === "-" && (whole !== "" || fraction !== ""), whole, fraction }
}
