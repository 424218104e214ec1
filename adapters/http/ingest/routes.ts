/**
 * Handles the endpoints that stores and relays call: events with the store's token, signed webhooks of the platforms, and
 * the reports of mail providers.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { Platform } from "../../../core/model/Store.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { StoreEvents } from "../../../core/commerce/sync/StoreEvents.ts"
import { maxEvents } from "../../../core/commerce/sync/StoreSync.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { RelayFeedback } from "../../../core/sending/feedback/RelayFeedback.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { IngestApi, maxFeedback } from "../schema/IngestApi.ts"
import { elementsOf, rejectedElements } from "../edge/Batch.ts"
import { failAfter } from "../edge/Deadline.ts"
import { parseJson } from "../json/StrictJson.ts"
import { ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"
import { contentOf } from "./encoding.ts"

/** The unsigned request with which WooCommerce checks the URL. */
const ping = /^webhook_id=\d{1,20}$/
const maxPing = 31

/** The base64 of an HMAC-SHA-256 (RFC 4648, 4). */
const signatureFormat = /^[A-Za-z0-9+/]{43}=$/

const unauthorized = Problem.of("auth.unauthorized")

/** The problem of an unsigned body that is too long for a ping. */
const unsigned = (problem: Problem): Problem =>
  problem.issues[0].code === "common.body_too_large" ? unauthorized : problem

/** The time limit for looking up a store, in milliseconds. */
const lookUpMillis = 20_000

const utf8 = new TextEncoder()
const anyBytes = new TextDecoder()

/**
 * Parses JSON, with its numbers as written. Returns undefined if the bytes are not JSON. Flaws that the service rejects in
 * its own API, such as duplicate keys, deep nesting or bytes that are not UTF-8, make only the entry that has them
 * invalid, not the whole batch.
 */
const jsonOf = (bytes: Uint8Array): unknown => {
  const parsed = parseJson(bytes, "written")
  if (Result.isSuccess(parsed)) return parsed.success
  const { kind, value } = parsed.failure
  if (kind !== "NotJson") return value
  const replaced = parseJson(utf8.encode(anyBytes.decode(bytes)), "written")
  return Result.isSuccess(replaced) ? replaced.success : replaced.failure.value
}

/** The routes that stores and relays call. */
export const ingestRoutes = Effect.gen(function* () {
  const stores = yield* Stores
  const storeEvents = yield* StoreEvents
  const crypto = yield* Crypto
  const feedback = yield* RelayFeedback

  const webhook = Effect.fnUntraced(function* (
    call: Pick<Call, "body" | "header"> & { readonly params: { readonly storeId: string } },
    platform: Platform,
    names: { readonly signature: string; readonly topic: string }
  ) {
    // A body is read only if the store exists, and only with a well-formed signature.
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
    // The headers are not signed, so the id depends on the topic and the bytes: the same bytes are the same event.
    const id = crypto.sha256Hex(`${topic} ${crypto.sha256Hex(bytes)}`)
    // A body signed by the platform may still be unusable, for example not JSON. A retry would not help, so it is accepted.
    const payload = Result.isSuccess(parsed) ? parsed.success : undefined
    yield* storeEvents.receiveWebhook(store, { id, topic, payload })
    return ok(null)
  })

  return bind(IngestApi.groups.ingest, {
    events: Effect.fnUntraced(function* ({ caller, payload }) {
      const { events } = payload
      if (events.length === 0 || events.length > maxEvents) {
        return yield* Problem.of("commerce.batch_too_large", "events", { min: 1, max: maxEvents })
      }
      const results = yield* storeEvents.receive(caller.store!, elementsOf<unknown>(events))
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
      webhook(call, "Shopify", { signature: "x-shopify-hmac-sha256", topic: "x-shopify-topic" }),
    wooCommerce: (call) =>
      webhook(call, "WooCommerce", { signature: "x-wc-webhook-signature", topic: "x-wc-webhook-topic" }),
    relay: Effect.fnUntraced(function* ({ body, header, params }) {
      const take = yield* failAfter(lookUpMillis, feedback.open(params.relayId, header, jsonOf))
      const bytes = yield* contentOf(yield* body(), header("content-encoding"), maxFeedback)
      yield* failAfter(lookUpMillis, take(bytes))
      return ok(null)
    })
  })
})
