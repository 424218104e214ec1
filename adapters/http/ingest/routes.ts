/**
 * Handlers of the routes stores call: events by the store's token, platforms' webhooks by their signature.
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
import { parseJson } from "../edge/StrictJson.ts"
import { ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"

/** What WooCommerce sends, unsigned, to see whether anybody answers. */
const ping = /^webhook_id=\d{1,20}$/

/** What a platform may ask for after the store was disconnected. */
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
    // Signed by the platform and yet no JSON: nothing that sending it again would better.
    if (Result.isFailure(parsed)) return ok(null)
    const told = change(topic, parsed.success, store, yield* Clock.currentTimeMillis)
    const isRight = store.disconnectedAt === null || (told !== null && staysOpen.has(told._tag))
    // The same bytes of a topic are the same event, whatever headers, which nobody signed, say.
    if (told !== null && isRight) {
      const event = { id: crypto.sha256Hex(`${topic} ${crypto.sha256Hex(bytes)}`), change: told }
      // Disconnected meanwhile: nothing of it is taken, and the platform is told what it is told from then on.
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
      const taken = yield* sync.take(
        caller.store!,
        events.map((event: unknown) => parseStoreEvent(event, now))
      )
      return ok({
        accepted: taken.filter((one) => Result.isSuccess(one) && one.success === "Accepted").length,
        duplicates: taken.filter((one) => Result.isSuccess(one) && one.success === "Duplicate").length,
        rejected: taken.flatMap((one, index) =>
          Result.isFailure(one)
            ? [{ index, reasons: one.failure.issues.map(({ code, field }) => ({ code, field })) }]
            : []
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
