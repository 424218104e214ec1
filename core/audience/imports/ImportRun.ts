/**
 * Writes the rows of imported files, in the background and in batches. How far a file was read is committed with the
 * rows themselves, so that a crash continues where it stopped and no row is written twice.
 *
 * @module
 */
import { Clock, Data, Effect, Result } from "effect"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { CsvReader, type CsvReading, type CsvRow, type Unreadable } from "../../ports/CsvReader.ts"
import { ImportStore } from "../../ports/ImportStore.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { Transaction, WriteConflict } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { Problem } from "../../shared/Problem.ts"
import { makeAddressHash } from "../contacts/AddressHash.ts"
import {
  chunkBytes,
  type ContactImport,
  type ImportFailure,
  isFinished,
  maxKeptErrors,
  maxRowBytes
} from "../../model/ContactImport.ts"
import { Contacts } from "../contacts/Contacts.ts"
import { expiryJob, type ImportPayload, importRunJob, runJob } from "../../jobs/definitions/ImportJobs.ts"
import { type Columns, columnsOf } from "./ImportMapping.ts"
import { makeImportRemoval } from "./ImportRemoval.ts"
import { errorOfRow, personOfRow, writeOfRow } from "./ImportRows.ts"

/** The most rows that are committed together. */
const batchRows = 500

/** How long a job reads before it lets others have their turn, milliseconds. */
const timeSlice = 2_000

/** A job that failed this often without getting any further gives its import up. */
const maxAttempts = 8

/** The import was cancelled, or another worker got further. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** A function that does the jobs of imports. */
export const makeImportRun = Effect.gen(function* () {
  const store = yield* ImportStore
  const contacts = yield* ContactStore
  const audience = yield* Contacts
  const fields = yield* ContactFieldStore
  const csv = yield* CsvReader
  const queue = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids
  const addressHash = yield* makeAddressHash
  const remove = yield* makeImportRemoval

  /** Those of the hashes that erased people left. */
  const erasedAmong = (accountId: string, hashes: ReadonlyArray<string>) =>
    hashes.length === 0
      ? Effect.succeed(new Set<string>())
      : Effect.map(contacts.erasedHashes(accountId, hashes), (found) => new Set(found))

  /**
   * Those of erased people's addresses that are no contact's again. Only the customer's own systems bring a person
   * back, never an import (decisions 3).
   */
  const stillGone = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
    if (emails.length === 0) return new Set<string>()
    const living = yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
    const back = new Set(living.map((contact) => contact.email))
    return new Set(emails.filter((email) => !back.has(email)))
  })

  /** Writes rows and how far they go, in the caller's transaction. */
  const writeRows = Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    columns: Columns,
    rows: ReadonlyArray<CsvRow>
  ) {
    const found = yield* store.get(accountId, id)
    const last = rows.at(-1)!
    if (found === null || isFinished(found.status) || found.position.offset >= rows[0]!.next.offset) {
      return yield* new Overtaken()
    }
    const known = columns.some(({ _tag }) => _tag === "Attribute") ? yield* fields.list(accountId) : []
    const types = new Map(known.map((field) => [field.key, field.type]))
    const writes = rows.map((row) => writeOfRow(row.cells, { columns, consent: found.consent, types }))
    const people = rows.map((row, index) => personOfRow(row.cells, writes[index]!))
    const hash = yield* addressHash
    const hashes = people.map(({ email }) => (email === null ? null : hash(accountId, email)))
    const allHashes = hashes.filter((entry) => entry !== null)
    const isIn = (erased: ReadonlySet<string>, index: number): boolean => erased.has(hashes[index] ?? "")
    const before = yield* erasedAmong(accountId, allHashes)
    const suspects = people.flatMap(({ email }, index) =>
      email !== null && isIn(before, index) ? [email] : []
    )
    const gone = yield* stillGone(accountId, suspects)
    const results = yield* audience.writeMany(
      accountId,
      writes.map((write, index) =>
        gone.has(people[index]!.email ?? "") ? Problem.of("audience.contact_erased", "email") : write
      ),
      "Import"
    )
    const failed = results.filter(Result.isFailure).length
    const created = results.filter((result) => Result.isSuccess(result) && result.success.created).length
    const counts = found.rows
    yield* store.save({
      ...found,
      status: "Running",
      position: last.next,
      rows: {
        read: counts.read + rows.length,
        created: counts.created + created,
        updated: counts.updated + rows.length - created - failed,
        failed: counts.failed + failed
      },
      version: found.version + 1
    })

    // An erasure that was committed since the look-up above is seen now; one that comes later waits for this
    // transaction: at the address, or at the import's record, which is ours from here on.
    const after = yield* erasedAmong(accountId, allHashes)
    const brought = results.some(
      (result, index) =>
        Result.isSuccess(result) && isIn(after, index) && (result.success.created || !isIn(before, index))
    )
    if (brought) return yield* new WriteConflict({ constraint: "contacts_erased" })

    const errors = results.flatMap((result, index) => {
      if (Result.isSuccess(result)) return []
      const { cells, line } = rows[index]!
      return [errorOfRow(line, result.failure, cells, people[index]!, isIn(after, index))]
    })
    const kept = errors.slice(0, Math.max(0, maxKeptErrors - counts.failed))
    if (kept.length > 0) yield* store.addErrors(accountId, id, kept)
    return results
  })

  /** Ends an import, and lets its file go. */
  const finish = Effect.fnUntraced(function* (accountId: string, id: string, failure: ImportFailure | null) {
    const found = yield* store.get(accountId, id)
    if (found === null || isFinished(found.status)) return
    const finished: ContactImport = {
      ...found,
      status: failure === null ? "Completed" : "Failed",
      failure,
      finishedAt: yield* Clock.currentTimeMillis,
      version: found.version + 1
    }
    yield* store.save(finished)
    yield* store.removeFile(accountId, id)
    if (finished.rows.failed > 0) yield* queue.enqueue([expiryJob(yield* ids.next, finished)])
  })

  const end = (accountId: string, id: string, failure: ImportFailure | null) =>
    retryConflicts(transaction.run(finish(accountId, id, failure)))

  /** Reads the file's next piece, or its end. */
  const readOn = Effect.fnUntraced(function* (of: ContactImport, reading: CsvReading, place: number) {
    const chunk = yield* store.chunk(of.accountId, of.id, place)
    if (chunk !== null) {
      const read = yield* reading.push(chunk.subarray(Math.max(0, of.position.offset - place * chunkBytes)))
      return { ...read, isLast: read.unreadable !== null }
    }
    // The file of an import that is over is gone.
    if (place * chunkBytes < of.size) return yield* new Overtaken()
    return { ...(yield* reading.end), isLast: true }
  })

  /** Reads on for a turn; answers whether the import is to go on. */
  const takeTurn = Effect.fnUntraced(function* (of: ContactImport) {
    const { accountId, delimiter, header, id, mapping, position } = of
    const columns = columnsOf(mapping, header)
    if (columns instanceof Problem) return yield* Effect.die(columns)
    const until = (yield* Clock.currentTimeMillis) + timeSlice
    const reading = yield* csv.open({ delimiter, from: position, maxRowBytes })
    const write = (rows: ReadonlyArray<CsvRow>) =>
      retryConflicts(transaction.run(writeRows(accountId, id, columns, rows)))
    let pending: Array<CsvRow> = []

    for (let place = Math.floor(position.offset / chunkBytes); ; place++) {
      const { isLast, rows, unreadable } = yield* readOn(of, reading, place)
      // A piece may have more rows than a call takes arguments.
      pending = pending.concat(rows.filter((row) => row.cells.some(isFilled)))
      const least = isLast ? 1 : batchRows
      while (pending.length >= least) {
        yield* write(pending.slice(0, batchRows))
        pending = pending.slice(batchRows)
        if ((yield* Clock.currentTimeMillis) >= until) return true
      }
      if (!isLast) continue
      yield* end(accountId, id, unreadable === null ? null : failureOf(unreadable))
      return false
    }
  })

  const run = Effect.fnUntraced(function* (job: Job, id: string) {
    const { accountId, attempts } = job
    const found = yield* store.get(accountId, id)
    if (found === null || found.status === "Uploading" || isFinished(found.status)) return null
    if (attempts > maxAttempts) {
      yield* end(accountId, id, { code: "common.internal", line: null })
      return null
    }
    const goesOn = yield* Effect.catchTag(takeTurn(found), "Overtaken", () => Effect.succeed(false))
    return goesOn ? runJob(yield* ids.next, found, yield* Clock.currentTimeMillis) : null
  })

  const expire = Effect.fnUntraced(function* ({ accountId }: Job, id: string) {
    const isRemoved = yield* remove(accountId, id, (status) => status === "Uploading")
    if (isRemoved) return
    const found = yield* store.get(accountId, id)
    // One that was accepted at this moment still has its rows, and the errors of them, before it.
    if (found !== null && isFinished(found.status)) yield* store.removeErrors(accountId, id)
  })

  const handle = Effect.fnUntraced(function* ({ job, payload }: DecodedJob<ImportPayload>) {
    const next = payload.step === "Run" ? yield* run(job, payload.importId) : null
    if (payload.step === "Expire") yield* expire(job, payload.importId)
    yield* retryConflicts(
      transaction.run(
        Effect.andThen(queue.complete([job]), next === null ? Effect.void : queue.enqueue([next]))
      )
    )
  })

  return (jobs: ReadonlyArray<Job>) =>
    Effect.flatMap(importRunJob.decode(queue, jobs), Effect.forEach(handle, { discard: true }))
})

const failureOf = ({ line, reason }: Unreadable): ImportFailure => ({
  code: reason === "QuoteNotClosed" ? "audience.import_quote_not_closed" : "audience.import_row_too_large",
  line
})

const isFilled = (cell: string): boolean => cell.trim() !== ""
