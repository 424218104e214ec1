/**
 * Use cases of imports: taking a file, showing how far it is, cancelling. The rows are written in the background
 * (ImportRun).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { makeRecorder } from "../../accounts/AuditTrail.ts"
import { ImportStore } from "../../ports/ImportStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { type Issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import {
  chunkBytes,
  type ContactImport,
  type Delimiter,
  type ImportError,
  isFinished,
  maxFileBytes
} from "../../model/ContactImport.ts"
import { makeImportChecks } from "./ImportChecks.ts"
import {
  expiryJob,
  importRunJob,
  runJob,
  uploadExpiryJob,
  uploadTimeoutJob
} from "../../jobs/definitions/ImportJobs.ts"
import type { ImportConsent, ImportMapping } from "../../model/ContactImport.ts"
import { makeImportRemoval } from "./ImportRemoval.ts"

/** How a file shall be read. */
export interface ImportRequest {
  /** What the operator calls it. */
  readonly name: string | null
  /** Column header to target; null where the headers are the targets. */
  readonly mapping: ImportMapping | null
  /** Consent given for all rows; columns can give it for one. */
  readonly consent: ImportConsent | null
  /** Null to find it out. */
  readonly delimiter: Delimiter | null
}

/** The most characters of an import's name. */
const maxName = 200

/** The operator's use cases on imports. */
export class Imports extends Context.Service<
  Imports,
  {
    /**
     * Takes a file as it arrives and queues it. Refused, and then nothing of it is kept: what ImportChecks refuses,
     * audience.import_encoding_invalid, common.body_too_large past `maxFileBytes`, whatever the stream fails with;
     * audience.import_finished where it was cancelled, or its time was over, while the file arrived.
     */
    readonly start: (
      accountId: string,
      request: ImportRequest,
      file: Stream.Stream<Uint8Array, Problem>,
      actor: string
    ) => Effect.Effect<ContactImport, Problem | Unavailable>
    /** An account's imports, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<ContactImport>, Unavailable>
    /** An import; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<ContactImport, Problem | Unavailable>
    /** The failed rows that are kept of an import, in the order of the file; common.not_found. */
    readonly errors: (
      accountId: string,
      id: string
    ) => Effect.Effect<
      { readonly header: ReadonlyArray<string>; readonly errors: ReadonlyArray<ImportError> },
      Problem | Unavailable
    >
    /**
     * Cancels an import: no row is written after this, those written stay. common.not_found,
     * audience.import_finished.
     */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<ContactImport, Problem | Unavailable>
  }
>()("svc/audience/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.suspend(() => make)
  )
}

const errorPage = 1_000

const make = Effect.gen(function* () {
  const store = yield* ImportStore
  const queue = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids
  const record = yield* makeRecorder
  const check = yield* makeImportChecks
  const remove = yield* makeImportRemoval

  /** Keeps a new import and what clears up after an upload that never ends. */
  const begin = Effect.fnUntraced(function* (draft: ContactImport) {
    const job = uploadTimeoutJob(yield* ids.next, draft)
    yield* retryConflicts(transaction.run(Effect.andThen(store.insert(draft), queue.enqueue([job]))))
  })

  /** Queues an import whose file is whole. */
  const accept = Effect.fnUntraced(function* (uploaded: ContactImport, size: number, actor: string) {
    const now = yield* Clock.currentTimeMillis
    const accepted: ContactImport = { ...uploaded, status: "Queued", size, version: uploaded.version + 1 }
    const { accountId, consent, id, mapping, name } = accepted
    const job = runJob(yield* ids.next, accepted, now)
    yield* retryConflicts(
      transaction.run(
        Effect.gen(function* () {
          // Cancelled, or removed since it took too long.
          const found = yield* store.get(accountId, id)
          if (found?.version !== uploaded.version) return yield* Problem.of("audience.import_finished")
          yield* store.save(accepted)
          yield* uploadExpiryJob.cancel(queue, accountId, [{ importId: id }])
          yield* queue.enqueue([job])
          const after = {
            name,
            size,
            mapping,
            consent: consent === null ? null : { basis: consent.basis, proof: { ...consent.proof } }
          }
          yield* record(actor, { accountId, action: "import.started", target: id, before: null, after })
        })
      )
    )
    return accepted
  })

  const start: Imports["Service"]["start"] = Effect.fn("Imports.start")(
    function* (accountId, request, file, actor) {
      const name = yield* nameOf(request.name)
      const id = yield* ids.next
      const upload = new Upload()
      let draft: ContactImport | null = null

      const keep = Effect.fnUntraced(function* (bytes: Uint8Array, whole: boolean) {
        if (draft === null) {
          const { delimiter, header, mapping, position } = yield* check(accountId, request, bytes, whole)
          const createdAt = yield* Clock.currentTimeMillis
          const made: ContactImport = {
            id,
            accountId,
            name,
            status: "Uploading",
            mapping,
            consent: request.consent,
            delimiter,
            header,
            size: 0,
            position,
            rows: { read: 0, created: 0, updated: 0, failed: 0 },
            failure: null,
            createdAt,
            finishedAt: null,
            version: 1
          }
          yield* begin(made)
          draft = made
        }
        yield* store.putChunk(accountId, id, upload.place++, bytes)
      })

      const receive = Effect.gen(function* () {
        yield* Stream.runForEach(file, (piece) =>
          Effect.gen(function* () {
            if (upload.size + piece.length > maxFileBytes) return yield* Problem.of("common.body_too_large")
            if (!upload.isText(piece)) return yield* Problem.of("audience.import_encoding_invalid")
            for (const chunk of upload.fill(piece)) yield* keep(chunk, false)
          })
        )
        if (!upload.endsAsText()) return yield* Problem.of("audience.import_encoding_invalid")
        const rest = upload.rest()
        if (rest.length > 0 || draft === null) yield* keep(rest, true)
        return yield* accept(draft!, upload.size, actor)
      })
      const discard = Effect.gen(function* () {
        if (yield* remove(accountId, id, (status) => status === "Uploading")) return
        const found = yield* store.get(accountId, id)
        // What arrived after it was cancelled or removed. One that was accepted, whoever hears of it, runs.
        if (found === null || isFinished(found.status)) yield* store.removeFile(accountId, id)
      })
      return yield* Effect.onError(receive, () =>
        Effect.suspend(() => (draft === null ? Effect.void : Effect.ignore(discard)))
      )
    }
  )

  const get: Imports["Service"]["get"] = Effect.fn("Imports.get")(function* (accountId, id) {
    return (yield* store.get(accountId, id)) ?? (yield* Problem.of("common.not_found"))
  })

  return Imports.of({
    start,
    get,
    list: store.list,
    errors: Effect.fn("Imports.errors")(function* (accountId, id) {
      const { header } = yield* get(accountId, id)
      const errors: Array<ImportError> = []
      for (;;) {
        const page = yield* store.errors(accountId, id, errors.at(-1)?.line ?? 0, errorPage)
        errors.push(...page)
        if (page.length < errorPage) return { header, errors }
      }
    }),
    cancel: Effect.fn("Imports.cancel")((accountId, id, actor) =>
      retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            const found = yield* get(accountId, id)
            if (isFinished(found.status)) return yield* Problem.of("audience.import_finished")
            const finishedAt = yield* Clock.currentTimeMillis
            const version = found.version + 1
            const cancelled: ContactImport = { ...found, status: "Cancelled", finishedAt, version }
            yield* store.save(cancelled)
            yield* store.removeFile(accountId, id)
            yield* importRunJob.cancel(queue, accountId, [{ importId: id }])
            yield* uploadExpiryJob.cancel(queue, accountId, [{ importId: id }])
            if (found.rows.failed > 0) yield* queue.enqueue([expiryJob(yield* ids.next, cancelled)])
            const before = { status: found.status }
            const after = { status: "Cancelled" }
            yield* record(actor, { accountId, action: "import.cancelled", target: id, before, after })
            return cancelled
          })
        )
      )
    )
  })
})

const nameOf = (given: string | null): Effect.Effect<string | null, Problem> => {
  const issues: Array<Issue> = []
  const name = given === null ? null : checkText(given, "name", maxName, issues) || null
  const problem = Problem.from(issues)
  return problem === undefined ? Effect.succeed(name) : Effect.fail(problem)
}

/** Cuts a file into its pieces while it arrives, and sees whether it is UTF-8. */
class Upload {
  place = 0
  size = 0
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  readonly #chunk = new Uint8Array(chunkBytes)
  #filled = 0

  isText(piece: Uint8Array): boolean {
    return this.#decodes(piece)
  }

  /** Whether the file does not end within a character. */
  endsAsText(): boolean {
    return this.#decodes(undefined)
  }

  /** Takes bytes in; gives each chunk that is full, to be used before the next one is asked for. */
  *fill(piece: Uint8Array): Generator<Uint8Array> {
    this.size += piece.length
    for (let taken = 0; taken < piece.length;) {
      const part = piece.subarray(taken, taken + chunkBytes - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      taken += part.length
      if (this.#filled === chunkBytes) {
        yield this.#chunk
        this.#filled = 0
      }
    }
  }

  /** What is left over at the end. */
  rest(): Uint8Array {
    return this.#chunk.subarray(0, this.#filled)
  }

  #decodes(piece: Uint8Array | undefined): boolean {
    try {
      if (piece === undefined) this.#decoder.decode()
      else this.#decoder.decode(piece, { stream: true })
      return true
    } catch {
      return false
    }
  }
}
