/**
 * A test's stores (shops): connects them through the management API, reports events, and signs requests as the platforms do.
 *
 * @module
 */
import { createHmac, randomUUID } from "node:crypto"
import { type Answer, call } from "./client.ts"
import type { EntryPoint } from "./targets.ts"
import type { TestAccount } from "./workspace.ts"

/** The response of connecting a store. */
export interface IssuedStore {
  readonly id: string
  readonly platform: string
  readonly token: string
  readonly webhookSecret: string
  readonly status: string
  readonly [field: string]: unknown
}

/** The response of the ingest route. */
export interface EventsTaken {
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: ReadonlyArray<{
    readonly index: number
    readonly reasons: ReadonlyArray<{ readonly code: string; readonly field: string | null }>
  }>
}

/** An order of GET /commerce/orders. */
export interface ListedOrder {
  readonly id: string
  readonly storeId: string
  readonly number: string | null
  readonly status: string
  readonly total: number
  readonly email: string | null
  readonly customerName: string | null
  readonly [field: string]: unknown
}

/** An event of a store, with a new id by default. */
export const storeEvent = (
  name: string,
  data: object,
  given: { readonly id?: string; readonly occurredAt?: string } = {}
) => ({ id: randomUUID(), name, data, ...given })

/** A connected store. */
export interface TestStore extends IssuedStore {
  /** Reports events with the store's token. */
  readonly report: (...events: ReadonlyArray<unknown>) => Promise<Answer<EventsTaken>>
  /** Sends a webhook of the store's platform, signed with the store's secret by default. */
  readonly webhook: (topic: string, payload: unknown, secret?: string) => Promise<Answer<null>>
}

let serial = 0

/** Connects a store to an account. */
export const connectStore = async (
  target: EntryPoint,
  account: TestAccount,
  given: Readonly<Record<string, unknown>> = {}
): Promise<TestStore> => {
  const store = (
    await account.manage<IssuedStore>("POST", "/stores", {
      platform: "Custom",
      name: "Suite shop",
      domain: `shop${++serial}-${randomUUID().slice(0, 8)}.example`,
      consentMode: "Explicit",
      ...given
    })
  ).value
  const route = store.platform === "Shopify" ? "shopify" : "woocommerce"
  return {
    ...store,
    report: (...events) =>
      call(target, "POST", `/ingest/v1/stores/${store.id}/events`, { token: store.token, json: { events } }),
    webhook: (topic, payload, secret = store.webhookSecret) => {
      const body = typeof payload === "string" ? payload : JSON.stringify(payload)
      const signature = createHmac("sha256", secret).update(body).digest("base64")
      const headers: Record<string, string> =
        route === "shopify"
          ? {
              "x-shopify-hmac-sha256": signature,
              "x-shopify-topic": topic,
              "x-shopify-webhook-id": randomUUID()
            }
          : { "x-wc-webhook-signature": signature, "x-wc-webhook-topic": topic }
      return call(target, "POST", `/ingest/v1/stores/${store.id}/${route}`, { body, headers })
    }
  }
}
