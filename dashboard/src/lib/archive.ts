/**
 * Divides an archive of an account into the batches in which it is imported.
 *
 * @module
 */

/** The most lines of a batch beside the header, and the most characters of one. */
const batch = { lines: 999, characters: 8_000_000 }

/** A batch: the archive's header and lines of it. `before` is how many lines of the archive are between the two. */
export interface Batch {
  readonly text: string
  readonly before: number
}

/** The batches of an archive, in its order; one alone for a text that is none, which the service rejects. */
export const batchesOf = (archive: string): ReadonlyArray<Batch> => {
  const [header = "", ...lines] = archive.split("\n").filter((line) => line.trim() !== "")
  const batches: Array<{ readonly lines: Array<string>; readonly before: number }> = []
  let size = 0
  for (const [at, line] of lines.entries()) {
    const last = batches.at(-1)
    if (last === undefined || last.lines.length === batch.lines || size + line.length > batch.characters) {
      batches.push({ lines: [line], before: at })
      size = line.length
    } else {
      last.lines.push(line)
      size += line.length
    }
  }
  if (batches.length === 0) return [{ text: `${header}\n`, before: 0 }]
  return batches.map(({ before, lines: some }) => ({ text: `${[header, ...some].join("\n")}\n`, before }))
}
