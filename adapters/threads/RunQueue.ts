/**
 * Keeps the runs that wait for a thread, and returns them in rotation of their owners.
 *
 * @module
 */

/** The part of a run that the queue reads. */
interface Waiting {
  readonly owner: string
  readonly bytes: number
}

/** The waiting runs of an owner, in order, and their bytes. */
interface Line<Run> {
  readonly runs: Array<Run>
  bytes: number
}

/** Waiting runs, by owner. The owner that comes next is first. */
export class RunQueue<Run extends Waiting> {
  readonly #lines = new Map<string, Line<Run>>()
  #bytes = 0

  /** The bytes of all waiting runs. */
  get bytes(): number {
    return this.#bytes
  }

  /** The bytes of an owner's waiting runs. */
  bytesOf(owner: string): number {
    return this.#lines.get(owner)?.bytes ?? 0
  }

  add(run: Run): void {
    const line = this.#lines.get(run.owner) ?? { runs: [], bytes: 0 }
    this.#lines.set(run.owner, line)
    line.runs.push(run)
    this.#count(line, run.bytes)
  }

  /** Takes the next run of the first owner that may have one, and moves that owner to the end; null if there is none. */
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

  /** Removes a run. Has no effect if it was already taken. */
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
