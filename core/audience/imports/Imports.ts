/**
 * The use cases of contact imports: upload a file, show its progress and errors, and cancel it. ImportRun writes the rows in the
 * background.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result, Stream } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { ImportStore } from "../../ports/ImportStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import {
  chunkBytes,
  type ContactImport,
  type ImportError,
  isFinished,
  maxFileBytes
} from "../../model/ContactImport.ts"
import { type FileHead, type ImportRequest, makeHeadCheck } from "./ImportChecks.ts"
import {
  expiryJob,
  importRunJob,
  runJob,
  uploadExpiryJob,
  uploadTimeoutJob
} from "../../jobs/definitions/ImportJobs.ts"
import { makeUploadRemoval } from "./ImportRemoval.ts"

/** The most characters of an import's name. */
const maxName = 200

/** The operator's use cases for imports. */
export class Imports extends Context.Service<
  Imports,
  {
    /**
     * Stores a file as it arrives and queues its import. If it fails, nothing is stored. Fails with the issues of ImportChecks,
     * audience.import_encoding_invalid, common.body_too_large for more than `maxFileBytes`, the failure of the stream, and
     * audience.import_finished if the import was cancelled or its upload timed out meanwhile.
     */
    readonly start: (
      accountId: string,
      request: ImportRequest,
      file: Stream.Stream<Uint8Array, Problem>,
      actor: Actor
    ) => Effect.Effect<ContactImport, Problem | Unavailable>
    /** An account's imports, newest first, optionally only those with certain statuses. */
    readonly list: ImportStore["Service"]["list"]
    /** An import; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<ContactImport, Problem | Unavailable>
    /** The stored failed rows of an import, in the order of the file; common.not_found. */
    readonly errors: (
      accountId: string,
      id: string
    ) => Effect.Effect<
      { readonly imported: ContactImport; readonly errors: ReadonlyArray<ImportError> },
      Problem | Unavailable
    >
    /**
     * Cancels an import: no more rows are written, and rows already written stay. common.not_found; audience.import_finished.
     */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<ContactImport, Problem | Unavailable>
  }
>()("svc/audience/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.suspend(() => make)
  )
}

/** The number of failed rows read at a time. */
const errorPage = 1_000

const make = Effect.gen(function* () {
  const store = yield* ImportStore
  const queue = yield* JobQueue
  const atomically = yield* Atomically
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const checkHead = yield* makeHeadCheck
  const removeUpload = yield* makeUploadRemoval

  /** Queues an import whose upload is complete. */
  const accept = Effect.fnUntraced(function* (uploaded: ContactImport, size: number, actor: Actor) {
    const now = yield* Clock.currentTimeMillis
    const accepted: ContactImport = { ...uploaded, status: "Queued", size, version: uploaded.version + 1 }
    const { accountId, consent, dryRun, id, mapping, name } = accepted
    const job = runJob(yield* ids.next, accepted, now)
    // Null if the import was cancelled, or removed after the upload timeout.
    const found = yield* store.get(accountId, id)
    if (found?.version !== uploaded.version) return yield* Problem.of("audience.import_finished")
    yield* store.save(accepted)
    yield* uploadExpiryJob.cancel(queue, accountId, [{ importId: id }])
    yield* queue.enqueue([job])
    const after = {
      name,
      size,
      mapping,
      dryRun,
      consent: consent === null ? null : { basis: consent.basis, proof: { ...consent.proof } }
    }
    yield* record(actor, { accountId, action: "import.started", target: id, before: null, after })
    return accepted
  }, atomically)

  /** Stores the import of an upload, with the head of its file, and the job that removes it if the upload is not completed. */
  const create = Effect.fnUntraced(function* (
    upload: Pick<ContactImport, "accountId" | "id" | "name">,
    request: ImportRequest,
    head: FileHead
  ) {
    const created: ContactImport = {
      ...upload,
      ...head,
      status: "Uploading",
      consent: request.consent,
      size: 0,
      rows: { read: 0, created: 0, updated: 0, failed: 0 },
      failure: null,
      dryRun: request.dryRun,
      createdAt: yield* Clock.currentTimeMillis,
      finishedAt: null,
      version: 1
    }
    const job = uploadTimeoutJob(yield* ids.next, created)
    yield* atomically(Effect.andThen(store.insert(created), queue.enqueue([job])))
    return created
  })

  /** Removes everything stored of a failed upload. */
  const discard = Effect.fnUntraced(function* (accountId: string, id: string) {
    if (yield* removeUpload(accountId, id)) return
    const found = yield* store.get(accountId, id)
    // Chunks may have been stored after the import was cancelled or removed. An accepted import runs even if the call failed.
    if (found === null || isFinished(found.status)) yield* store.removeFile(accountId, id)
  })

  const get: Imports["Service"]["get"] = Effect.fn("Imports.get")(function* (accountId, id) {
    return (yield* store.get(accountId, id)) ?? (yield* Problem.of("common.not_found"))
  })

  return Imports.of({
    start: Effect.fn("Imports.start")(function* (accountId, request, file, actor) {
      const name = yield* Effect.fromResult(parseName(request.name))
      const id = yield* ids.next
      const upload = new Upload()
      let created: ContactImport | null = null

      const storeChunk = Effect.fnUntraced(function* (bytes: Uint8Array, isWhole: boolean) {
        if (created === null) {
          const head = yield* checkHead(accountId, request, bytes, isWhole)
          created = yield* create({ accountId, id, name }, request, head)
        }
        yield* store.putChunk(accountId, id, upload.chunks++, bytes)
      })

      const receive = Effect.gen(function* () {
        yield* Stream.runForEach(file, (bytes) =>
          Effect.gen(function* () {
            if (upload.size + bytes.length > maxFileBytes) return yield* Problem.of("common.body_too_large")
            if (!upload.decodes(bytes)) return yield* Problem.of("audience.import_encoding_invalid")
            for (const chunk of upload.add(bytes)) yield* storeChunk(chunk, false)
          })
        )
        if (!upload.decodes(undefined)) return yield* Problem.of("audience.import_encoding_invalid")
        const rest = upload.rest()
        if (rest.length > 0 || created === null) yield* storeChunk(rest, true)
        return yield* accept(created!, upload.size, actor)
      })
      return yield* Effect.onError(receive, () =>
        Effect.suspend(() => (created === null ? Effect.void : Effect.ignore(discard(accountId, id))))
      )
    }),
    get,
    list: store.list,
    errors: Effect.fn("Imports.errors")(function* (accountId, id) {
      const imported = yield* get(accountId, id)
      const errors: Array<ImportError> = []
      for (;;) {
        const page = yield* store.errors(accountId, id, errors.at(-1)?.line ?? 0, errorPage)
        errors.push(...page)
        if (page.length < errorPage) return { imported, errors }
      }
    }),
    cancel: Effect.fn("Imports.cancel")(function* (accountId, id, actor) {
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
    }, atomically)
  })
})

const parseName = (given: string | null): Result.Result<string | null, Problem> => {
  const issues = new Issues()
  return issues.result(given === null ? null : checkText(given, "name", maxName, issues) || null)
}

/** Splits a file into chunks while it arrives, and checks that it is UTF-8. */
class Upload {
  /** The number of chunks stored. */
  chunks = 0
  /** The bytes received. */
  size = 0
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  readonly #chunk = new Uint8Array(chunkBytes)
  #filled = 0

  /** Whether the bytes continue the file as valid UTF-8; with undefined, whether the file ends with a complete character. */
  decodes(bytes: Uint8Array | undefined): boolean {
    try {
      this.#decoder.decode(bytes, { stream: bytes !== undefined })
      return true
    } catch {
      return false
    }
  }

  /** Adds bytes and yields each full chunk. The next chunk reuses the same buffer. */
  *add(bytes: Uint8Array): Generator<Uint8Array> {
    this.size += bytes.length
    for (let added = 0; added < bytes.length;) {
      const part = bytes.subarray(added, added + chunkBytes - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      added += part.length
      if (this.#filled === chunkBytes) {
        yield this.#chunk
        this.#filled = 0
      }
    }
  }

  /** The bytes after the last full chunk. */
  rest(): Uint8Array {
    return this.#chunk.subarray(0, this.#filled)
  }
}
