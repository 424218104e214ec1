/**
 * Stores the content of emails outside the database, if so configured, before they are accepted; and reads it wherever it is
 * stored.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { objectSweepJob } from "../../jobs/definitions/ContentJobs.ts"
import { Ids } from "../../kernel/Ids.ts"
import {
  bodiesOf,
  maxUnnamedMillis,
  type ObjectName,
  partsOf,
  piecesOf,
  type StoredAttachment,
  type StoredBodies
} from "../../model/Content.ts"
import type { Attachment, EmailBodies, EmailContent, NewSubmission } from "../../model/Submission.ts"
import { ContentStore } from "../../ports/ContentStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { ObjectStorage } from "../../ports/ObjectStorage.ts"
import { type SubmissionRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Unavailable } from "../../shared/Problem.ts"
import { awaitAhead, runAhead } from "../templates/RendersAhead.ts"

/** The reason of unavailable content: the external storage is unavailable, or an object is missing or damaged. */
class ContentUnavailable extends Error {
  override readonly name = "ContentUnavailable"
}

/** Whether the content is unavailable, rather than the database. */
export const isContentUnavailable = ({ cause }: Unavailable): boolean => cause instanceof ContentUnavailable

const unavailable = (message: string, cause?: unknown) =>
  new Unavailable({ cause: new ContentUnavailable(message, { cause }) })

/**
 * The names of the objects that were stored for an account's new submissions, by hash; undefined if the database stores
 * content.
 */
export type PlacedObjects = ReadonlyMap<string, string> | undefined

/** Stores and reads the content of emails. */
export class EmailContents extends Context.Service<EmailContents>()("svc/sending/EmailContents", {
  make: Effect.gen(function* () {
    const contents = yield* ContentStore
    const crypto = yield* Crypto
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const storage = yield* ObjectStorage
    const submissions = yield* SubmissionStore

    /** Stores pieces of content under new names. If no record ever refers to them, the sweep removes them. */
    const store = Effect.fnUntraced(function* (accountId: string, pieces: ReadonlyMap<string, Uint8Array>) {
      const [jobId = "", ...newIds] = yield* ids.many(pieces.size + 1)
      const runAt = (yield* Clock.currentTimeMillis) + maxUnnamedMillis
      yield* jobs.enqueue([objectSweepJob.job({ id: jobId, accountId, payload: {}, runAt })])
      const objects = [...pieces].map(([hash, bytes], index) => ({
        name: { accountId, hash, id: newIds[index]! },
        bytes
      }))
      yield* Effect.mapError(storage.put(objects), ({ cause }) =>
        unavailable("the object storage is unavailable", cause)
      )
      return new Map(objects.map(({ name }) => [name.hash, name.id]))
    })

    /** Reads the bytes of objects, by hash. Fails if an object is missing or does not match its hash. */
    const load = Effect.fnUntraced(function* (names: ReadonlyArray<ObjectName>) {
      const wanted = [...new Map(names.map((name) => [`${name.accountId}/${name.hash}`, name])).values()]
      if (wanted.length === 0) return () => new Uint8Array()
      const found = yield* Effect.mapError(storage.get(wanted), ({ cause }) =>
        unavailable("the object storage is unavailable", cause)
      )
      const loaded = new Map<string, Uint8Array>()
      for (const [index, { accountId, hash, id }] of wanted.entries()) {
        const bytes = found[index] ?? null
        if (bytes === null || crypto.sha256Hex(bytes) !== hash) {
          yield* Effect.annotateLogs(
            Effect.logError(`content of an email is ${bytes === null ? "missing" : "damaged"}`),
            { account: accountId, object: `${hash}.${id}` }
          )
          return yield* unavailable("an object is missing or damaged")
        }
        loaded.set(`${accountId}/${hash}`, bytes)
      }
      return ({ accountId, hash }: ObjectName): Uint8Array => loaded.get(`${accountId}/${hash}`)!
    })

    type Loaded = Effect.Success<ReturnType<typeof load>>

    const toBodies = ({ html, outside, text }: StoredBodies, loaded: Loaded): EmailBodies =>
      outside === undefined ? { html, text } : bodiesOf(loaded(outside.object), outside)

    const toAttachment = ({ content, ...rest }: StoredAttachment, loaded: Loaded): Attachment => ({
      ...rest,
      content: content instanceof Uint8Array ? content : loaded(content)
    })

    const outsideOf = ({ outside }: StoredBodies) => (outside === undefined ? [] : [outside.object])

    return {
      /**
       * Stores the content of submissions that are about to be inserted, except what the account has already. Does nothing if
       * the database stores content. It takes as long as the storage needs, so it must not be called in a transaction unless
       * that is run by `withRendersAhead`.
       */
      place: Effect.fn("EmailContents.place")(function* (
        accountId: string,
        drafts: ReadonlyArray<NewSubmission>
      ): Effect.fn.Return<PlacedObjects, Unavailable> {
        if (storage.place === "Database") return undefined
        const pieces = piecesOf(drafts.map((draft) => partsOf(draft, crypto.sha256Hex, 0)))
        const known = new Set(yield* contents.find(accountId, [...pieces.keys()]))
        const missing = new Map([...pieces].filter(([hash]) => !known.has(hash)))
        if (missing.size === 0) return new Map()
        const key = `objects ${accountId} ${[...missing.keys()].toSorted().join(" ")}`
        const objects = yield* runAhead(key, store(accountId, missing), new Map<string, string>())
        yield* awaitAhead
        return objects
      }),
      /** Returns the HTML and text of those submissions that exist, in no particular order. */
      bodies: Effect.fn("EmailContents.bodies")(function* (refs: ReadonlyArray<SubmissionRef>) {
        const found = yield* submissions.bodies(refs)
        const loaded = yield* load(found.flatMap(outsideOf))
        return found.map(({ accountId, id, ...stored }) => ({ accountId, id, ...toBodies(stored, loaded) }))
      }),
      /** Returns the content of a submission; null if it does not exist. */
      content: Effect.fn("EmailContents.content")(function* (ref: SubmissionRef) {
        const [found] = yield* submissions.contents([ref])
        if (found === undefined) return null
        const names = found.attachments.flatMap(({ content }) =>
          content instanceof Uint8Array ? [] : [content]
        )
        const loaded = yield* load([...outsideOf(found), ...names])
        return {
          ...toBodies(found, loaded),
          attachments: found.attachments.map((one) => toAttachment(one, loaded))
        } satisfies EmailContent
      })
    }
  })
}) {
  static readonly layer = Layer.effect(EmailContents, EmailContents.make)
}
