/**
 * The use cases of uploaded images. The bytes of an image are stored once per account, and served to anyone who has its URL
 * for as long as the image exists.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { objectSweepJob } from "../jobs/definitions/ContentJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import type { Actor } from "../model/Actor.ts"
import { maxUnnamedMillis } from "../model/Content.ts"
import {
  type Image,
  imageObject,
  maxImageBytes,
  maxImageName,
  maxImagePixels,
  maxImages,
  maxImageSide
} from "../model/Image.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { ImageStore } from "../ports/ImageStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { ObjectStorage } from "../ports/ObjectStorage.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, Unavailable } from "../shared/Problem.ts"
import { checkText } from "../shared/Validate.ts"
import { brandFinder } from "./Brands.ts"
import { imageFacts } from "./ImageFacts.ts"
import { accountOfKey, imageKey, imageUrl, keyBytes } from "./ImageKeys.ts"

/** How long after the removal of an image the sweep looks for its bytes, milliseconds. */
const sweepPause = 600_000

/** The number of templates, campaigns or flows that are searched at a time. */
const pageSize = 50

/** The bytes of an image, with its record. */
export interface ServedImage {
  readonly image: Image
  readonly content: Uint8Array
}

/** Manages the images of accounts. */
export class Images extends Context.Service<
  Images,
  {
    /**
     * Stores an image. If the account has an image of equal bytes, returns that one unchanged. Fails with images.type_unknown,
     * images.too_large, common.body_too_large, images.limit_reached, and validation.max_length on `name`.
     */
    readonly upload: (
      accountId: string,
      bytes: Uint8Array,
      name: string | null,
      actor: Actor
    ) => Effect.Effect<Image, Problem | Unavailable>
    /** Lists an account's images, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Image>, Unavailable>
    /** Returns an image. Fails with common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Image, Problem | Unavailable>
    /**
     * Deletes an image with its bytes, so that emails no longer show it. If the storage is unavailable, the bytes are removed
     * within a day. Fails with common.not_found, and with images.in_use if a template, a campaign, a flow or the brand refers
     * to it.
     */
    readonly remove: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** The URL of an image. */
    readonly urlOf: (image: Image) => string
    /** The URL of the logo in the brand of a company; null if it has none. */
    readonly logoUrl: (companyId: string) => Effect.Effect<string | null, Unavailable>
    /** The image with a key; null if there is none. Fails if its bytes are missing or damaged. */
    readonly open: (key: string) => Effect.Effect<ServedImage | null, Unavailable>
  }
>()("svc/images/Images") {
  static readonly layer = Layer.effect(
    Images,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const atomically = yield* Atomically
  const campaigns = yield* CampaignStore
  const crypto = yield* Crypto
  const endpoint = yield* PublicEndpoint
  const findBrand = yield* brandFinder
  const flows = yield* FlowStore
  const ids = yield* Ids
  const jobs = yield* JobQueue
  const storage = yield* ObjectStorage
  const store = yield* ImageStore
  const templates = yield* TemplateStore
  const { record } = yield* AuditTrail

  // In the database, an object is written in the transaction of the record that refers to it. Elsewhere, it is stored before
  // that transaction and removed after it.
  const isInside = storage.place === "Database"

  const objectOf = (image: Image) => imageObject(image, crypto.sha256Hex)

  /** Enqueues a later search for objects that no record refers to, because an upload was not finished or a removal failed. */
  const enqueueSweep = Effect.fnUntraced(function* (accountId: string, after: number) {
    const [id, now] = yield* Effect.all([ids.next, Clock.currentTimeMillis])
    yield* jobs.enqueue([objectSweepJob.job({ id, accountId, payload: {}, runAt: now + after })])
  })

  const find = Effect.fnUntraced(function* (accountId: string, id: string) {
    return (yield* store.get(accountId, id)) ?? (yield* Problem.of("common.not_found"))
  })

  /** Whether any item of a list contains a string. */
  const mentions = Effect.fnUntraced(function* <Item>(
    list: (page: PageRequest) => Effect.Effect<Page<Item>, Unavailable>,
    text: string
  ) {
    for (let page = 1; ; page += 1) {
      const { items } = yield* list({ page, pageSize })
      if (items.some((item) => JSON.stringify(item).includes(text))) return true
      if (items.length < pageSize) return false
    }
  })

  const isUsed = Effect.fnUntraced(function* ({ accountId, id, key }: Image) {
    const [account] = yield* accounts.find([accountId])
    const [company] = account === undefined ? [] : yield* accounts.findCompanies([account.companyId])
    if (company?.brand.logo === id) return true
    return (
      (yield* mentions((page) => templates.list(accountId, page), key)) ||
      (yield* mentions((page) => flows.list(accountId, page), key)) ||
      (yield* mentions((page) => campaigns.list(accountId, {}, page), key))
    )
  })

  return Images.of({
    upload: Effect.fn("Images.upload")(function* (accountId, bytes, given, actor) {
      const issues = new Issues()
      const name = given === null ? null : checkText(given, "name", maxImageName, issues) || null
      const facts = imageFacts(bytes)
      yield* Effect.fromResult(issues.result(null))
      if (bytes.length > maxImageBytes) {
        return yield* Problem.of("common.body_too_large", null, { max: maxImageBytes })
      }
      if (facts === null) return yield* Problem.of("images.type_unknown")
      const { height, width } = facts
      if (Math.max(width, height) > maxImageSide || width * height > maxImagePixels) {
        return yield* Problem.of("images.too_large", null, { maxSide: maxImageSide, max: maxImagePixels })
      }
      const hash = crypto.sha256Hex(bytes)
      const known = yield* store.ofHash(accountId, hash)
      if (known !== null) return known
      const { id: by, kind, name: byName } = actor
      const image: Image = {
        ...facts,
        id: yield* ids.next,
        accountId,
        key: imageKey(accountId, crypto.randomBytes(keyBytes)),
        name,
        bytes: bytes.length,
        hash,
        createdAt: yield* Clock.currentTimeMillis,
        createdBy: { kind, id: by, name: byName }
      }
      const put = storage.put([{ name: objectOf(image), bytes }])
      if (!isInside) yield* Effect.andThen(enqueueSweep(accountId, maxUnnamedMillis), put)
      return yield* atomically(
        Effect.gen(function* () {
          // Of two concurrent uploads, the second finds the first.
          yield* accounts.lock([accountId])
          const first = yield* store.ofHash(accountId, hash)
          if (first !== null) return first
          if ((yield* store.count(accountId)) >= maxImages) {
            return yield* Problem.of("images.limit_reached", null, { max: maxImages })
          }
          if (isInside) yield* put
          yield* store.insert(image)
          yield* record(actor, {
            accountId,
            action: "image.uploaded",
            target: image.id,
            before: null,
            after: { name: image.name, type: image.type, bytes: image.bytes }
          })
          return image
        })
      )
    }),
    list: (accountId, page) => store.list(accountId, page),
    get: Effect.fn("Images.get")(find),
    remove: Effect.fn("Images.remove")(function* (accountId, id, actor) {
      const image = yield* find(accountId, id)
      if (yield* isUsed(image)) return yield* Problem.of("images.in_use")
      const name = objectOf(image)
      yield* atomically(
        Effect.gen(function* () {
          // With the lock, a concurrent upload of equal bytes comes either before this removal, and returns this image, or
          // after it.
          yield* accounts.lock([accountId])
          yield* store.remove(accountId, id)
          yield* isInside ? storage.remove([name]) : enqueueSweep(accountId, sweepPause)
          yield* record(actor, {
            accountId,
            action: "image.removed",
            target: id,
            before: { name: image.name, type: image.type, bytes: image.bytes },
            after: null
          })
        })
      )
      // If the storage is unavailable now, the sweep removes the object later.
      if (!isInside) yield* Effect.ignore(storage.remove([name]))
      return undefined
    }),
    urlOf: (image) => imageUrl(endpoint.baseUrl(), image),
    logoUrl: Effect.fn("Images.logoUrl")(function* (companyId) {
      const { logo } = yield* findBrand({ companyId })
      return logo === null ? null : imageUrl(endpoint.baseUrl(), logo)
    }),
    open: Effect.fn("Images.open")(function* (key) {
      const accountId = accountOfKey(key)
      const image = accountId === null ? null : yield* store.ofKey(accountId, key)
      if (image === null) return null
      const [content = null] = yield* storage.get([objectOf(image)])
      if (content !== null && crypto.sha256Hex(content) === image.hash) return { image, content }
      // It does not return null: a mail program that gets 404 caches that the image does not exist.
      const fault = `the bytes of an image are ${content === null ? "missing" : "damaged"}`
      yield* Effect.annotateLogs(Effect.logError(fault), { account: accountId, image: image.id })
      return yield* new Unavailable({ cause: new Error(fault) })
    })
  })
})
