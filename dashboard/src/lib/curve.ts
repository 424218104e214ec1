/**
 * The geometry of charts: points, scales and paths.
 *
 * @module
 */

/** The place of a value. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The least round number that is no smaller than a value, at least 1: where an axis ends. */
export const roundedTop = (value: number): number => {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= value) ?? 10
  return step * power
}

/** Values from left to right within a width and height; 0 is at the bottom, `top` at the top. */
export const pointsOf = (
  values: ReadonlyArray<number>,
  width: number,
  height: number,
  top: number
): ReadonlyArray<Point> => {
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values.map((value, at) => ({ x: at * step, y: height - (Math.max(0, value) / top) * height }))
}

const rounded = (value: number): string => String(Math.round(value * 100) / 100)

/** A line through points. */
export const lineOf = (points: ReadonlyArray<Point>): string =>
  points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${rounded(x)} ${rounded(y)}`).join("")

/** The area between a line and the bottom. */
export const areaOf = (points: ReadonlyArray<Point>, height: number): string => {
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) return ""
  return `${lineOf(points)}L${rounded(last.x)} ${height}L${rounded(first.x)} ${height}Z`
}
