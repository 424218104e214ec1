/**
 * Handles the endpoints that stores call: events with the store's token, and signed webhooks of the platforms.
 *
 * @module
 */
import { Clock, Effect, Result, Stream } from "effect"
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
import { parseJson } from "../json/StrictJson.ts"
import { ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"

/** The unsigned request by which WooCommerce checks the address. */
const ping = /^webhook_id=\d{1,20}$/

/** Requests that a platform may make after the store was disconnected. */
const staysOpen: ReadonlySet<StoreChange["_tag"]> = new Set(["DataRequest", "Erasure", "StoreErasure"])

const bytesOf = (call: Pick<Call, "stream">): Effect.Effect<Uint8Array, Problem> =>
  Effect.map(Stream.runCollect(call.stream()), (chunks) => {
    const all = [...chunks]
    const bytes = new Uint8Array(all.reduce((sum, chunk) => sum + chunk.length, 0))
    let at = 0
    for (const chunk of all) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  })

/** The routes stores call. */
export const ingestRoutes = Effect.gen(function* () {
  const stores = yield* Stores
  const sync = yield* StoreSync
  const crypto = yield* Crypto

  const webhook = Effect.fnUntraced(function* (
    call: Pick<Call, "header" | "stream"> & { readonly params: { readonly storeId: string } },
    platform: Platform,
    names: { readonly signature: string; readonly topic: string },
    change: (topic: string, payload: unknown, store: Store, now: number) => StoreChange | null
  ) {
    const bytes = yield* bytesOf(call)
    const signature = call.header(names.signature) ?? ""
    if (platform === "WooCommerce" && signature === "" && bytes.length < 40) {
      if (ping.test(new TextDecoder().decode(bytes))) return ok(null)
    }
    const store = yield* stores.ofSignature(call.params.storeId, platform, bytes, signature)
    if (store === null) return yield* Problem.of("auth.unauthorized")
    const topic = (call.header(names.topic) ?? "").trim().toLowerCase()
    const parsed = parseJson(bytes)
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
