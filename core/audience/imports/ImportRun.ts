/**
 * Writes the rows of imported files, in the background and in batches. Each batch is committed together with the position in the
 * file, so that after a crash an import continues where it stopped and writes no row twice. The batches of a dry run are rolled
 * back; only the results of their rows are kept.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer, Result } from "effect"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { CsvReader, type CsvReading, type CsvRow, type Unreadable } from "../../ports/CsvReader.ts"
import { ImportStore } from "../../ports/ImportStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Problem } from "../../shared/Problem.ts"
import { AddressHash } from "../contacts/AddressHash.ts"
import type { ContactWritten } from "../contacts/ContactRules.ts"
import {
  chunkBytes,
  type ContactImport,
  type ImportError,
  type ImportFailure,
  isFinished,
  maxKeptErrors,
  maxRowBytes
} from "../../model/ContactImport.ts"
import { Contacts } from "../contacts/Contacts.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { expiryJob, type ImportPayload, importRunJob, runJob } from "../../jobs/definitions/ImportJobs.ts"
import { type Columns, parseColumns } from "./ImportMapping.ts"
import { makeUploadRemoval } from "./ImportRemoval.ts"
import { cellsOfReport, isReport } from "./ImportReport.ts"
import { errorOfRow, parseRow, personOfRow } from "./ImportRows.ts"

/** The most rows that are committed together. */
const batchRows = 500

/** How long a job writes rows before other imports are processed, milliseconds. */
const timeSlice = 2_000

/** The number of failures of a job without progress after which its import fails. */
const maxAttempts = 8

/** The import was cancelled, or another worker has progressed further. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** The results of a batch of rows. */
interface Batch {
  /** The import before the batch. */
  readonly found: ContactImport
  readonly rows: ReadonlyArray<CsvRow>
  readonly results: ReadonlyArray<Result.Result<ContactWritten, Problem>>
  readonly errors: ReadonlyArray<ImportError>
}

/** A batch of a dry run was written to find its results; its transaction is rolled back. */
class Tried extends Data.TaggedError("Tried")<{ readonly batch: Batch }> {}

/** Processes the jobs of imports. */
export class ImportRun extends Context.Service<ImportRun>()("svc/audience/ImportRun", {
  make: Effect.gen(function* () {
    const store = yield* ImportStore
    const contactStore = yield* ContactStore
    const contacts = yield* Contacts
    const fields = yield* ContactFieldStore
    const csv = yield* CsvReader
    const queue = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids
    const addressHash = yield* AddressHash
    const removeUpload = yield* makeUploadRemoval

    /** Finds the rows of a batch that name an erased person, by the hashes of their addresses. */
    const erasedRows = Effect.fnUntraced(function* (
      accountId: string,
      hashes: ReadonlyArray<ReadonlyArray<string>>
    ) {
      const asked = hashes.flat()
      const erased = new Set(asked.length === 0 ? [] : yield* contactStore.erasedHashes(accountId, asked))
      return hashes.map((ofRow) => ofRow.some((hash) => erased.has(hash)))
    })

    /** Parses rows into writes, with the people they name and the keyed hashes of their addresses. */
    const parseRows = Effect.fnUntraced(function* (
      { accountId, consent }: ContactImport,
      columns: Columns,
      rows: ReadonlyArray<CsvRow>
    ) {
      const known = columns.some(({ _tag }) => _tag === "Attribute") ? yield* fields.list(accountId) : []
      const types = new Map(known.map((field) => [field.key, field.type]))
      const writes = rows.map((row) => parseRow(row.cells, { columns, consent, types }))
      const people = rows.map((row, index) => personOfRow(row.cells, writes[index]!))
      const hashesOf = yield* addressHash.all
      const hashes = people.map(({ email }) => (email === null ? [] : hashesOf(accountId, email)))
      return { writes, people, hashes }
    })

    /** Adds a batch to the counts and the position of its import. */
    const saveProgress = ({ found, results, rows }: Omit<Batch, "errors">) => {
      const failed = results.filter(Result.isFailure).length
      const created = results.filter((result) => Result.isSuccess(result) && result.success.created).length
      const counts = found.rows
      return store.save({
        ...found,
        status: "Running",
        position: rows.at(-1)!.next,
        rows: {
          read: counts.read + rows.length,
          created: counts.created + created,
          updated: counts.updated + rows.length - created - failed,
          failed: counts.failed + failed
        },
        version: found.version + 1
      })
    }

    const saveErrors = ({ errors, found: { accountId, id, rows } }: Pick<Batch, "errors" | "found">) => {
      const stored = errors.slice(0, Math.max(0, maxKeptErrors - rows.failed))
      return stored.length === 0 ? Effect.void : store.addErrors(accountId, id, stored)
    }

    /** Writes a batch of rows and the progress of the import, in the caller's transaction and only while it has the job. */
    const writeRows = Effect.fnUntraced(function* (
      { accountId, id }: ContactImport,
      columns: Columns,
      given: ReadonlyArray<CsvRow>,
      job: Job
    ) {
      yield* queue.hold([job])
      const found = yield* store.get(accountId, id)
      if (found === null || isFinished(found.status) || found.position.offset >= given[0]!.next.offset) {
        return yield* new Overtaken()
      }
      const rows = isReport(found.header, found.mapping)
        ? given.map((row) => ({ ...row, cells: cellsOfReport(row.cells) }))
        : given
      const { hashes, people, writes } = yield* parseRows(found, columns, rows)
      const results = yield* contacts.writeMany(accountId, writes, "Import")
      yield* saveProgress({ found, rows, results })

      // A later erasure waits for this transaction, because it locks the import's row, and then removes the person's errors.
      const erased = yield* erasedRows(accountId, hashes)
      const errors = results.flatMap((result, index) => {
        if (Result.isSuccess(result)) return []
        const { cells, line } = rows[index]!
        const person = people[index]!
        return [errorOfRow({ line, cells, person, problem: result.failure, isErased: erased[index]! })]
      })
      yield* saveErrors({ found, errors })
      return { found, rows, results, errors } satisfies Batch
    })

    /** Tries a batch of rows: writes them, rolls this back, and keeps only the progress and the errors. */
    const tryRows = Effect.fnUntraced(function* (
      of: ContactImport,
      columns: Columns,
      given: ReadonlyArray<CsvRow>,
      job: Job
    ) {
      const trial = Effect.flatMap(writeRows(of, columns, given, job), (batch) =>
        Effect.fail(new Tried({ batch }))
      )
      const batch = yield* Effect.catchTag(atomically(trial), "Tried", (tried) => Effect.succeed(tried.batch))
      yield* atomically(
        Effect.gen(function* () {
          yield* queue.hold([job])
          const found = yield* store.get(of.accountId, of.id)
          if (found?.version !== batch.found.version) return yield* new Overtaken()
          yield* saveProgress(batch)
          yield* saveErrors(batch)
        })
      )
    })

    /** Ends an import and removes its file. `failure` is null if the import completed. */
    const finish = Effect.fnUntraced(function* (
      accountId: string,
      id: string,
      failure: ImportFailure | null
    ) {
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
    }, atomically)

    /** Reads the rows in a chunk of the file, or the last row at the end of the file. */
    const readChunk = Effect.fnUntraced(function* (of: ContactImport, reading: CsvReading, chunk: number) {
      const bytes = yield* store.chunk(of.accountId, of.id, chunk)
      if (bytes !== null) {
        const read = yield* reading.push(bytes.subarray(Math.max(0, of.position.offset - chunk * chunkBytes)))
        return { ...read, isLast: read.unreadable !== null }
      }
      // The file was removed because the import has ended.
      if (chunk * chunkBytes < of.size) return yield* new Overtaken()
      return { ...(yield* reading.end), isLast: true }
    })

    /** Writes rows until the time slice ends; returns whether rows may remain. */
    const processSlice = Effect.fnUntraced(function* (of: ContactImport, job: Job) {
      const { accountId, delimiter, header, id, mapping, position } = of
      const columns = yield* Effect.orDie(Effect.fromResult(parseColumns(mapping, header)))
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      const reading = yield* csv.open({ delimiter, from: position, maxRowBytes })
      let pending: Array<CsvRow> = []

      for (let chunk = Math.floor(position.offset / chunkBytes); ; chunk++) {
        const { isLast, rows, unreadable } = yield* readChunk(of, reading, chunk)
        // Not `push(...rows)`, because a chunk may have more rows than a call can have arguments.
        pending = pending.concat(rows.filter((row) => row.cells.some(isFilled)))
        const least = isLast ? 1 : batchRows
        while (pending.length >= least) {
          const batch = pending.slice(0, batchRows)
          yield* of.dryRun ? tryRows(of, columns, batch, job) : atomically(writeRows(of, columns, batch, job))
          pending = pending.slice(batchRows)
          if ((yield* Clock.currentTimeMillis) >= until) return true
        }
        if (!isLast) continue
        yield* finish(accountId, id, unreadable === null ? null : failureOf(unreadable))
        return false
      }
    })

    /** Continues an import; returns the job for the remaining rows, or null if there are none. */
    const run = Effect.fnUntraced(function* (job: Job, id: string) {
      const { accountId, attempts } = job
      const found = yield* store.get(accountId, id)
      if (found === null || found.status === "Uploading" || isFinished(found.status)) return null
      if (attempts > maxAttempts) {
        yield* finish(accountId, id, { code: "common.internal", line: null })
        return null
      }
      // If another worker has taken the job over, the next job checks whether rows remain.
      const mayHaveMore = yield* Effect.catchTag(processSlice(found, job), "Overtaken", () =>
        Effect.succeed(true)
      )
      return mayHaveMore ? runJob(yield* ids.next, found, yield* Clock.currentTimeMillis) : null
    })

    /** Removes an upload that was not completed, or the error report of a finished import. */
    const expire = Effect.fnUntraced(function* ({ accountId }: Job, id: string) {
      if (yield* removeUpload(accountId, id)) return
      const found = yield* store.get(accountId, id)
      // An import accepted just before this job keeps its rows and their errors.
      if (found !== null && isFinished(found.status)) yield* store.removeErrors(accountId, id)
    })

    const handleJob = Effect.fnUntraced(function* ({ job, payload }: DecodedJob<ImportPayload>) {
      const next = payload.step === "Expire" ? null : yield* run(job, payload.importId)
      if (payload.step === "Expire") yield* expire(job, payload.importId)
      yield* atomically(
        Effect.andThen(queue.complete([job]), next === null ? Effect.void : queue.enqueue([next]))
      )
    })

    return {
      /** Processes jobs: writes rows, or removes expired data. */
      handle: Effect.fn("ImportRun.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.flatMap(importRunJob.decode(queue, jobs), Effect.forEach(handleJob, { discard: true }))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(ImportRun, ImportRun.make)
}

const failureOf = ({ line, reason }: Unreadable): ImportFailure => ({
  code: reason === "QuoteNotClosed" ? "audience.import_quote_not_closed" : "audience.import_row_too_large",
  line
})

const isFilled = (cell: string): boolean => cell.trim() !== ""
