/**
 * Exact decimals in plain notation, such as `-129.90`.
 *
 * @module
 */

import { type Json, mapExact, textOfNumber, type WrittenNumber } from "./Json.ts"

const plain = /^(-?)(\d+)(?:\.(\d+))?$/
const scientific = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/

/** The shortest decimal, in plain notation, that stands for a finite number. */
export const decimalOf = (value: number): string => {
  const text = String(value + 0)
  const match = scientific.exec(text)
  if (match === null) return text
  const [, sign = "", whole = "", fraction = "", power = "0"] = match
  const exponent = Number(power)
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - whole.length)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(exponent, "0")}`
}

/** The most digits of an exact decimal: a double distinguishes all decimals of up to 15 digits (IEEE 754). */
export const maxExactDigits = 15

const written = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The most zeros that a power of ten may add to a number's digits in plain notation. */
const maxZeros = 999

/**
 * The decimal of a number as written in JSON, in plain notation without insignificant zeros; null if its power of ten adds more
 * than {@link maxZeros} zeros.
 */
export const writtenDecimalOf = (text: string): string | null => {
  const match = written.exec(text)
  if (match === null) return null
  const [, sign = "", whole = "", fraction = "", power = "0"] = match
  const all = whole + fraction
  const significant = withoutZerosAtEnd(all)
  const digits = significant.replace(/^0+/, "")
  if (digits === "") return "0"
  // The number is `significant` times ten to the power of `exponent`.
  const exponent = Number(power) - fraction.length + all.length - significant.length
  if (Math.abs(exponent) > maxZeros + digits.length) return null
  if (exponent >= 0) return sign + digits + "0".repeat(exponent)
  const padded = digits.padStart(1 - exponent, "0")
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

/**
 * The decimal that a request sent as a number, digit for digit, in plain notation. Null if it has more than {@link
 * maxExactDigits} digits before and after the point.
 */
export const exactDecimalOf = (value: WrittenNumber): string | null => {
  if (typeof value === "number" && !Number.isFinite(value)) return null
  const text = typeof value === "number" ? decimalOf(value) : writtenDecimalOf(textOfNumber(value))
  if (text === null) return null
  const digits = text.replace(/^-?(?:0(?=\.))?\.?/, "").replace(".", "")
  return digits.length > maxExactDigits ? null : text
}

/** Replaces exact numbers in a value by doubles, or by their text if the double is not equal to them. */
export const withoutLoss = (value: unknown): Json =>
  mapExact(value, (text) =>
    writtenDecimalOf(text) === decimalOf(Number(text)) ? Number(text) : text
  ) as Json

/** A decimal with at least the given number of decimal places: `19.9` with 2 is `19.90`. */
export const padDecimal = (decimal: string, digits: number): string => {
  const [whole = "", fraction = ""] = decimal.split(".")
  const padded = fraction.padEnd(digits, "0")
  return padded === "" ? whole : `${whole}.${padded}`
}

/** Compares two decimals in plain notation: negative, zero or positive. */
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

/** The digits without insignificant zeros, so that string order equals numeric order. Zero is not negative. */
const partsOf = (text: string) => {
  const [, sign = "", digits = "", decimals = ""] = plain.exec(text) ?? []
  const whole = digits.replace(/^0+/, "")
  const fraction = withoutZerosAtEnd(decimals)
  return { negative: sign === "-" && (whole !== "" || fraction !== ""), whole, fraction }
}
