/**
 * Compares two texts line by line.
 *
 * @module
 */

/** A line of a comparison. */
export interface DiffLine {
  readonly kind: "Same" | "Added" | "Removed"
  readonly text: string
}

/** The most pairs of lines that are compared. Beyond that, everything between the common beginning and end counts as replaced. */
const maxPairs = 4_000_000

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))

const as =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text })

/** The lengths of the longest common subsequences of the remaining lines, for each pair of positions. */
const lengthsOf = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Uint32Array => {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let at = before.length - 1; at >= 0; at -= 1) {
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const below = (at + 1) * width + to
      lengths[at * width + to] =
        before[at] === after[to]
          ? lengths[below + 1]! + 1
          : Math.max(lengths[below]!, lengths[at * width + to + 1]!)
    }
  }
  return lengths
}

const between = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  const replaced = [...before.map(as("Removed")), ...after.map(as("Added"))]
  if (before.length === 0 || after.length === 0 || before.length * after.length > maxPairs) return replaced
  const lengths = lengthsOf(before, after)
  const width = after.length + 1
  const lines: Array<DiffLine> = []
  let at = 0
  let to = 0
  while (at < before.length && to < after.length) {
    if (before[at] === after[to]) {
      lines.push({ kind: "Same", text: before[at]! })
      at += 1
      to += 1
    } else if (lengths[(at + 1) * width + to]! >= lengths[at * width + to + 1]!) {
      lines.push({ kind: "Removed", text: before[at]! })
      at += 1
    } else {
      lines.push({ kind: "Added", text: after[to]! })
      to += 1
    }
  }
  return [...lines, ...before.slice(at).map(as("Removed")), ...after.slice(to).map(as("Added"))]
}

/** The lines of both texts in order. Lines only in `before` are removed, lines only in `after` are added. */
export const diffOf = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const old = linesOf(before)
  const now = linesOf(after)
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1
  return [
    ...old.slice(0, head).map(as("Same")),
    ...between(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(as("Same"))
  ]
}
