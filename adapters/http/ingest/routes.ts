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

const utf8 = new TextEncoder()
const anyBytes = new TextDecoder()

/**
 * The JSON of bytes, its numbers as they were written; undefined for bytes that are none. What no request of ours may have, such
 * as a key that is given twice, deep nesting or a character that is not UTF-8, spoils the entry that has it, not its batch.
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
    // The same bytes of a topic are the same event; the headers are not signed.
    const id = crypto.sha256Hex(`${topic} ${crypto.sha256Hex(bytes)}`)
    // Signed by the platform and still not usable, such as no JSON: a retry would not help.
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
