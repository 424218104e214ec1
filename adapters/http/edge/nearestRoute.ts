/**
 * Finds the route that was probably meant by a path that matches no route.
 *
 * @module
 */
import { nearest } from "../../../core/shared/Validate.ts"

/** The maximum number of segments of a path that is compared. Every route has fewer. */
const maxSegments = 12

const isParameter = (segment: string): boolean => segment.startsWith(":")

/** Whether a segment is one that most routes have. */
const isPrefix = (segment: string): boolean => /^(api|manage|v1)$/.test(segment)

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** Whether a word is similar in length to a segment: at most a third longer or shorter. */
const isAsLong =
  ({ length }: string) =>
  (word: string): boolean =>
    Math.abs(word.length - length) <= Math.max(2, length / 3)

/** A path as the documentation writes it: `/contacts/{reference}`. */
const documented = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

/**
 * Makes a function that returns the route most similar to a path, or null if none is. A route is similar if at most two
 * segments are missing, superfluous or misspelt, and at least one word other than `/api/v1` and `/manage/v1` is the same.
 * The work for each path is bounded.
 *
 * @param paths the templates of the routes, with parameters such as `:id`
 */
export const makeNearestRoute = (paths: ReadonlyArray<string>) => {
  const readPaths = () => {
    const routes = [...new Set(paths)].map((path) => ({ path, segments: segmentsOf(path) }))
    const words = new Set(routes.flatMap(({ segments }) => segments.filter((one) => !isParameter(one))))
    return { routes, words: [...words] }
  }
  // Read at the first path without a route, so that the start does not wait for it.
  let read: ReturnType<typeof readPaths> | null = null
  return (path: string): string | null => {
    const given = segmentsOf(path)
    if (given.length === 0 || given.length > maxSegments) return null
    const { routes, words } = (read ??= readPaths())
    // Each segment is compared once with the words of similar length, not with every route.
    const meant = given.map((segment) =>
      nearest(
        segment,
        words.filter((word) => word !== segment && isAsLong(segment)(word))
      )
    )
    let best: string | null = null
    let least = 3
    for (const route of routes) {
      const cost = costOf(given, meant, route.segments)
      if (cost < least) {
        best = route.path
        least = cost
      }
    }
    return best === null ? null : documented(best)
  }
}

/** The cost of the differing segments: a misspelt one counts half. Infinite if no word is the same. */
const costOf = (
  given: ReadonlyArray<string>,
  meant: ReadonlyArray<string | null>,
  route: ReadonlyArray<string>
): number => {
  if (Math.abs(given.length - route.length) > 2) return Infinity
  const isNamed = (segment: string) => given.includes(segment) || meant.includes(segment)
  if (!route.some((segment) => !isPrefix(segment) && isNamed(segment))) return Infinity
  let last = Array.from({ length: route.length + 1 }, (_, index) => index)
  for (const [row, segment] of given.entries()) {
    const current = [row + 1]
    for (const [column, expected] of route.entries()) {
      const differs = isParameter(expected)
        ? 0.25
        : segment === expected
          ? 0
          : meant[row] === expected
            ? 0.5
            : 1
      current.push(Math.min(last[column + 1]! + 1, current[column]! + 1, last[column]! + differs))
    }
    last = current
  }
  return last[route.length]!
}
