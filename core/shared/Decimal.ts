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

/** Digits without zeros that mean nothing, so that text order is number order; zero is not negative. */
const partsOf = (text: string) => {
  const [, sign = "", digits = "", decimals = ""] = plain.exec(text) ?? []
  const whole = digits.replace(/^0+/, "")
  const fraction = decimals.replace(/0+$/, "")
  return { negative: sign === "-" && (whole !== "" || fraction !== ""), whole, fraction }
}
