/**
 * The geometry of charts: points, scales and paths.
 *
 * @module
 */

/** A point in the coordinates of the chart. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The smallest round number that is not below a value, at least 1. It is the end of an axis. */
export const roundedTop = (value: number): number => {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= value) ?? 10
  return step * power
}

/** The points of values, spread from left to right over a width. 0 is at the bottom, `top` at the top of the height. */
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

/** The path of a line through points. */
export const lineOf = (points: ReadonlyArray<Point>): string =>
  points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${rounded(x)} ${rounded(y)}`).join("")

/** The path of the area between a line and the bottom. */
export const areaOf = (points: ReadonlyArray<Point>, height: number): string => {
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) return ""
  return `${lineOf(points)}L${rounded(last.x)} ${height}L${rounded(first.x)} ${height}Z`
}
