/**
 * Determines the order in which a queue's jobs are claimed: round-robin over the accounts with due jobs, each time the
 * earliest job of the account. An account that was served goes to the end of the round, so the next claim continues where
 * this one stopped.
 *
 * Each account has a heap of its jobs by due time. A heap of accounts, by the time of their first job, finds the accounts that
 * become due. Entries of both heaps become stale when rows change, and are dropped when they reach the top.
 *
 * @module
 */
import { Heap } from "../engine/Heap.ts"
import type { Index } from "../engine/Table.ts"

/** The fields of a job that the schedule uses. They are immutable: a changed job is another row. */
export interface Scheduled {
  readonly accountId: string
  /** When the job can be claimed, in epoch milliseconds. */
  readonly dueAt: number
  /** The order of jobs due at the same time: first come, first served. */
  readonly sequence: number
}

/** The jobs of one account in a queue. */
interface Line<Row> {
  readonly accountId: string
  readonly jobs: Heap<Row>
  /** The number of existing jobs. The heap may hold more entries. */
  count: number
  /** Whether the account is in the round. */
  inRound: boolean
  /** The account's valid entry in the heap of accounts; its other entries are stale. */
  expected: Expected<Row> | null
}

interface Expected<Row> {
  readonly at: number
  readonly line: Line<Row>
}

/** Up to this number of stale entries, no clean-up runs. */
const slack = 64

/** Rows by due time, for each account in a queue. */
export class Schedule<Row extends Scheduled> implements Index<Row> {
  readonly #isCurrent: (row: Row) => boolean
  readonly #lines = new Map<string, Line<Row>>()
  readonly #round = new Set<Line<Row>>()
  readonly #expected = new Heap<Expected<Row>>((a, b) => a.at < b.at)

  /** @param isCurrent whether a row is still the row of its job */
  constructor(isCurrent: (row: Row) => boolean) {
    this.#isCurrent = isCurrent
  }

  add(row: Row): void {
    let line = this.#lines.get(row.accountId)
    if (line === undefined) {
      const jobs = new Heap<Row>(
        (a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence)
      )
      line = { accountId: row.accountId, jobs, count: 0, inRound: false, expected: null }
      this.#lines.set(row.accountId, line)
    }
    line.count++
    line.jobs.push(row)
    this.#expect(line)
  }

  remove(row: Row): void {
    const line = this.#lines.get(row.accountId)
    if (line === undefined) return
    line.count--
    if (line.count === 0) {
      this.#lines.delete(row.accountId)
      this.#round.delete(line)
      line.inRound = false
      line.expected = null
    } else if (line.jobs.size > 2 * line.count + slack) {
      const kept = new Set<Row>()
      line.jobs.retain((job) => this.#isCurrent(job) && !kept.has(job) && kept.add(job).has(job))
    }
    if (this.#expected.size > 2 * this.#lines.size + slack) {
      this.#expected.retain((entry) => entry.line.expected === entry)
    }
  }

  /**
   * Takes up to `limit` due jobs of accounts that are not in `except`. The caller changes each row, which adds it again with
   * its new time.
   */
  take(limit: number, now: number, except: ReadonlySet<string>): Array<Row> {
    for (
      let entry = this.#firstExpected();
      entry !== undefined && entry.at <= now;
      entry = this.#firstExpected()
    ) {
      this.#expected.pop()
      entry.line.expected = null
      entry.line.inRound = true
      this.#round.add(entry.line)
    }
    // A set, because a row that was added again by an undo may be in a heap twice.
    const taken = new Set<Row>()
    for (const line of this.#round) {
      if (taken.size >= limit) break
      if (except.has(line.accountId)) continue
      this.#round.delete(line)
      const first = this.#first(line)
      if (first === undefined || first.dueAt > now) {
        line.inRound = false
        this.#expect(line)
        continue
      }
      line.jobs.pop()
      taken.add(first)
      // The account moves to the end, so this loop reaches it again after the others.
      this.#round.add(line)
    }
    return [...taken]
  }

  /** The earliest time at which a job can be claimed; null if there is none. */
  nextDue(): number | null {
    let next = this.#firstExpected()?.at ?? Infinity
    for (const line of this.#round) next = Math.min(next, this.#first(line)?.dueAt ?? Infinity)
    return next === Infinity ? null : next
  }

  /** The accounts with jobs, each with the time at which its first job can be claimed. */
  firstDue(): Array<Pick<Scheduled, "accountId" | "dueAt">> {
    return [...this.#lines.values()].flatMap((line) => {
      const first = this.#first(line)
      return first === undefined ? [] : [{ accountId: line.accountId, dueAt: first.dueAt }]
    })
  }

  #first(line: Line<Row>): Row | undefined {
    let first = line.jobs.peek()
    while (first !== undefined && !this.#isCurrent(first)) {
      line.jobs.pop()
      first = line.jobs.peek()
    }
    return first
  }

  /** Ensures that an account outside the round has a heap entry no later than its first job. */
  #expect(line: Line<Row>): void {
    if (line.inRound) return
    const at = this.#first(line)?.dueAt
    if (at === undefined || (line.expected !== null && line.expected.at <= at)) return
    line.expected = { at, line }
    this.#expected.push(line.expected)
  }

  /** The heap entry of the account that becomes due next, at the time of its first job. */
  #firstExpected(): Expected<Row> | undefined {
    for (let entry = this.#expected.peek(); entry !== undefined; entry = this.#expected.peek()) {
      if (entry.line.expected === entry) {
        if (this.#first(entry.line)?.dueAt === entry.at) return entry
        // The account's first job was removed in the meantime.
        entry.line.expected = null
        this.#expected.pop()
        this.#expect(entry.line)
      } else this.#expected.pop()
    }
    return undefined
  }
}
