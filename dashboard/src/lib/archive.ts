/**
 * Splits an account archive into the batches in which it is imported.
 *
 * @module
 */

/** The most lines of a batch, not counting the header, and the most characters of a batch. */
const batch = { lines: 999, characters: 8_000_000 }

/** A batch: the header of the archive and some of its lines. `before` is the number of lines between them in the archive. */
export interface Batch {
  readonly text: string
  readonly before: number
}

/** The batches of an archive, in order. A text that is no archive becomes one batch, which the service rejects. */
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
