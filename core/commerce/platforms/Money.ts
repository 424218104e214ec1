/**
 * Amounts of money: exact decimals in plain notation.
 *
 * @module
 */
import { exactDecimalOf } from "../../shared/Decimal.ts"
import { isExactNumber } from "../../shared/Json.ts"

const plain = /^([+-]?)(\d{1,15})(?:\.(\d{1,6}))?$/

/**
 * Parses an amount, given as a number or a string such as `129.90`, without rounding. Null if it is invalid or has more than
 * 15 digits before the point or 6 after it.
 */
export const parseAmount = (value: unknown): string | null => {
  const isNumber = typeof value === "number" || isExactNumber(value)
  const string = isNumber ? exactDecimalOf(value) : typeof value === "string" ? value.trim() : null
  const match = string === null ? null : plain.exec(string)
  if (match === null) return null
  const [, sign = "", whole = "", fraction] = match
  const digits = `${whole.replace(/^0+(?=\d)/, "")}${fraction === undefined ? "" : `.${fraction}`}`
  return sign === "-" && /[1-9]/.test(digits) ? `-${digits}` : digits
}

/** The exact sum of amounts, with as many decimals as the amount with the most. */
export const sumAmounts = (amounts: ReadonlyArray<string>): string => {
  const scale = Math.max(0, ...amounts.map(decimalsOf))
  const sum = amounts.reduce((total, amount) => total + scaled(amount, scale), 0n)
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, "0")
  const string = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return sum < 0n ? `-${string}` : string
}

/** Whether an amount is below zero. */
export const isNegative = (amount: string): boolean => amount.startsWith("-")

const decimalsOf = (amount: string): number => {
  const point = amount.indexOf(".")
  return point === -1 ? 0 : amount.length - point - 1
}

const scaled = (amount: string, scale: number): bigint =>
  BigInt(amount.replace(".", "") + "0".repeat(scale - decimalsOf(amount)))
