/**
 * Keeps the runs that wait for a thread, and hands them out by turns of their owners.
 *
 * @module
 */

/** A run, as far as the queue reads it. */
interface Waiting {
  readonly owner: string
  readonly bytes: number
}

/** The runs of an owner, in order, and their bytes. */
interface Line<Run> {
  readonly runs: Array<Run>
  bytes: number
}

/** Runs that wait, by owner; the next owner comes first. */
export class RunQueue<Run extends Waiting> {
  readonly #lines = new Map<string, Line<Run>>()
  #bytes = 0

  /** The bytes of all runs. */
  get bytes(): number {
    return this.#bytes
  }

  /** The bytes of an owner's runs. */
  bytesOf(owner: string): number {
    return this.#lines.get(owner)?.bytes ?? 0
  }

  add(run: Run): void {
    const line = this.#lines.get(run.owner) ?? { runs: [], bytes: 0 }
    this.#lines.set(run.owner, line)
    line.runs.push(run)
    this.#count(line, run.bytes)
  }

  /** The next run of the first owner that may have one, whose next turn is then the last; null for none. */
  take(mayRun: (owner: string) => boolean): Run | null {
    for (const [owner, line] of this.#lines) {
      if (!mayRun(owner)) continue
      const run = line.runs.shift()!
      this.#lines.delete(owner)
      if (line.runs.length > 0) this.#lines.set(owner, line)
      this.#count(line, -run.bytes)
      return run
    }
    return null
  }

  /** Removes a run; without effect once it was taken. */
  remove(run: Run): void {
    const line = this.#lines.get(run.owner)
    const at = line?.runs.indexOf(run) ?? -1
    if (line === undefined || at === -1) return
    line.runs.splice(at, 1)
    if (line.runs.length === 0) this.#lines.delete(run.owner)
    this.#count(line, -run.bytes)
  }

  #count(line: Line<Run>, bytes: number): void {
    line.bytes += bytes
    this.#bytes += bytes
  }
}
