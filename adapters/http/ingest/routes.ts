/**
 * Handles the endpoints that stores call: events with the store's token, and signed webhooks of the platforms.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { parseStoreEvent } from "../../../core/commerce/platforms/EventData.ts"
import { shopifyChange } from "../../../core/commerce/platforms/Shopify.ts"
import type { Platform, Store } from "../../../core/model/Store.ts"
import type { StoreChange } from "../../../core/commerce/platforms/StoreChange.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { maxEvents, StoreSync } from "../../../core/commerce/sync/StoreSync.ts"
import { wooCommerceChange } from "../../../core/commerce/platforms/WooCommerce.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { IngestApi } from "../schema/IngestApi.ts"
import { elementsOf, rejectedElements } from "../edge/Batch.ts"
import { failAfter } from "../edge/Deadline.ts"
import { parseJson } from "../json/StrictJson.ts"
import { ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"

/** The unsigned request by which WooCommerce checks the address. */
const ping = /^webhook_id=\d{1,20}$/
const maxPing = 31

/** The base64 of an HMAC-SHA-256 (RFC 4648, 4). */
const signatureFormat = /^[A-Za-z0-9+/]{43}=$/

const unauthorized = Problem.of("auth.unauthorized")

/** The problem of a body without a signature that is too long for a ping. */
const unsigned = (problem: Problem): Problem =>
  problem.issues[0].code === "common.body_too_large" ? unauthorized : problem

/** How long the look-up of a store may take, in milliseconds. */
const lookUpMillis = 20_000

/** Requests that a platform may make after the store was disconnected. */
const staysOpen: ReadonlySet<StoreChange["_tag"]> = new Set(["DataRequest", "Erasure", "StoreErasure"])

/** The routes stores call. */
export const ingestRoutes = Effect.gen(function* () {
  const stores = yield* Stores
  const sync = yield* StoreSync
  const crypto = yield* Crypto

  const webhook = Effect.fnUntraced(function* (
    call: Pick<Call, "body" | "header"> & { readonly params: { readonly storeId: string } },
    platform: Platform,
    names: { readonly signature: string; readonly topic: string },
    change: (topic: string, payload: unknown, store: Store, now: number) => StoreChange | null
  ) {
    // A body is read only for a store that exists, and only with a signature that may be its own.
    const signature = call.header(names.signature) ?? ""
    const isPing = platform === "WooCommerce" && signature === ""
    if (!isPing && !signatureFormat.test(signature)) return yield* unauthorized
    const found = yield* failAfter(lookUpMillis, stores.ofPlatform(call.params.storeId, platform))
    if (found === null) return yield* unauthorized
    if (isPing) {
      const text = new TextDecoder().decode(yield* Effect.mapError(call.body(maxPing), unsigned))
      return ping.test(text) ? ok(null) : yield* unauthorized
    }
    const bytes = yield* call.body()
    if (!found.isSigned(bytes, signature)) return yield* unauthorized
    const { store } = found
    const topic = (call.header(names.topic) ?? "").trim().toLowerCase()
    const parsed = parseJson(bytes, "written")
    // Signed by the platform and still not JSON: a retry would not help.
    if (Result.isFailure(parsed)) return ok(null)
    const requested = change(topic, parsed.success, store, yield* Clock.currentTimeMillis)
    const isAccepted = store.disconnectedAt === null || (requested !== null && staysOpen.has(requested._tag))
    // The same bytes of a topic are the same event; the headers are not signed.
    if (requested !== null && isAccepted) {
      const event = { id: crypto.sha256Hex(`${topic} ${crypto.sha256Hex(bytes)}`), change: requested }
      // A store disconnected in the meantime ignores the event and replies as a disconnected store does.
      yield* Effect.catchTag(sync.take(store, [Result.succeed(event)]), "Problem", () => Effect.void)
    }
    return ok(null)
  })

  return bind(IngestApi.groups.ingest, {
    events: Effect.fnUntraced(function* ({ caller, payload }) {
      const { events } = payload
      if (events.length === 0 || events.length > maxEvents) {
        return yield* Problem.of("commerce.batch_too_large", "events", { min: 1, max: maxEvents })
      }
      const now = yield* Clock.currentTimeMillis
      const results = yield* sync.take(
        caller.store!,
        elementsOf<unknown>(events).map((event) =>
          Result.flatMap(event, (given) => parseStoreEvent(given, now))
        )
      )
      return ok({
        accepted: results.filter((one) => Result.isSuccess(one) && one.success === "Accepted").length,
        duplicates: results.filter((one) => Result.isSuccess(one) && one.success === "Duplicate").length,
        rejected: rejectedElements(
          results.flatMap((one, index) =>
            Result.isFailure(one) ? [{ index, issues: one.failure.issues }] : []
          )
        )
      })
    }),
    shopify: (call) =>
      webhook(
        call,
        "Shopify",
        { signature: "x-shopify-hmac-sha256", topic: "x-shopify-topic" },
        shopifyChange
      ),
    wooCommerce: (call) =>
      webhook(
        call,
        "WooCommerce",
        { signature: "x-wc-webhook-signature", topic: "x-wc-webhook-topic" },
        wooCommerceChange
      )
  })
})
