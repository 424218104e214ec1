/**
 * Connects and disconnects stores, and authenticates their calls.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import type { AuthResult } from "../../accounts/Authentication.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { displayOf, formatKey, isKey, keyBytes, prefixes } from "../../accounts/KeyFormat.ts"
import { TokenRate } from "../../accounts/TokenRate.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ConnectedStores, type StoreFilter } from "../../ports/ConnectedStores.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { refuseOn } from "../../kernel/Conflicts.ts"
import { toBase64Url } from "../../shared/Bytes.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Issues, Problem, type Unavailable, valueDetail } from "../../shared/Problem.ts"
import { checkText, type Maybe, formats, oneOf } from "../../shared/Validate.ts"
import {
  consentModes,
  maxStores,
  type Platform,
  platforms,
  type Store,
  storePurpose
} from "../../model/Store.ts"

/** A store as submitted. */
export interface NewStore {
  readonly platform: string
  readonly name: string
  readonly domain: string
  readonly consentMode: string
  /** The currency of prices that have none. */
  readonly currency?: Maybe<string>
  /** The secret of the platform's webhooks, if the platform chooses it, as Shopify does. */
  readonly webhookSecret?: Maybe<string>
}

/** A newly connected store with its secrets, which are shown only once. */
export interface IssuedStore {
  readonly store: Store
  readonly token: string
  readonly webhookSecret: string
}

/** The result of authenticating a call by a store's token. */
export type StoreAuthResult =
  | Exclude<AuthResult, { readonly _tag: "Authenticated" }>
  | (Extract<AuthResult, { readonly _tag: "Authenticated" }> & { readonly store: Store })

/** A store whose platform signs its webhooks. */
export interface SignedStore {
  readonly store: Store
  /** Whether the signature is the base64 HMAC-SHA-256 of the body with the store's webhook secret. */
  readonly isSigned: (body: Uint8Array, signature: string) => boolean
}

const maxName = 100
const minSecret = 8
const maxSecret = 200

/** Manages stores for the operator, and authenticates calls for the ingest routes. */
export class Stores extends Context.Service<
  Stores,
  {
    /**
     * Connects a store. A disconnected store is connected again with new secrets. Fails with validation.*, with
     * commerce.store_exists if a store of that platform and domain is connected, commerce.store_erasing while its data is
     * being erased, and commerce.store_limit_reached.
     */
    readonly connect: (
      accountId: string,
      request: NewStore,
      actor: Actor
    ) => Effect.Effect<IssuedStore, Problem | Unavailable>
    /** Disconnects a store immediately on all nodes. Its orders and customers stay. Fails with common.not_found. */
    readonly disconnect: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Lists an account's stores that match a filter, including disconnected ones: newest first, or by `name`. */
    readonly list: (
      accountId: string,
      page: PageRequest,
      filter?: StoreFilter
    ) => Effect.Effect<Page<Store>, Unavailable>
    /**
     * Authenticates a call for the store with that id. Returns Unauthorized unless the store is connected and the token is its
     * own, and RateLimited above the account's calls per minute for each token. Unauthorized calls are not counted.
     */
    readonly authenticate: (id: string, token: string) => Effect.Effect<StoreAuthResult, Unavailable>
    /**
     * Returns the store with that id and platform, connected or not, and how to verify its webhooks; null if there is none.
     */
    readonly ofPlatform: (id: string, platform: Platform) => Effect.Effect<SignedStore | null, Unavailable>
    /**
     * Keeps a store connected until the caller's transaction ends. Fails with auth.unauthorized if the store was disconnected
     * since the call was authenticated, even if it has been connected again.
     */
    readonly requireConnected: (store: Store) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/commerce/Stores") {
  static readonly layer = Layer.effect(
    Stores,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const stores = yield* ConnectedStores
  const atomically = yield* Atomically
  const crypto = yield* Crypto
  const box = yield* SecretBox
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const tokenRate = yield* TokenRate
  const encoder = new TextEncoder()

  const connect = Effect.fn("Stores.connect")(function* (accountId: string, request: NewStore, actor: Actor) {
    const { secret, ...facts } = yield* Effect.fromResult(parseStore(request))
    const token = formatKey(prefixes.store, crypto.randomBytes(keyBytes))
    const webhookSecret = secret ?? secretOf(crypto.randomBytes(keyBytes))
    const newId = yield* ids.next
    const now = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      // Concurrent calls are serialized: both are counted, and only one returns a secret.
      yield* accounts.lock([accountId])
      const before = yield* stores.ofDomain(accountId, facts.platform, facts.domain)
      if (before !== null && before.disconnectedAt === null) return yield* exists()
      if (before === null && (yield* stores.count(accountId)) >= maxStores) {
        return yield* Problem.of("commerce.store_limit_reached", null, { max: maxStores })
      }
      const id = before?.id ?? newId
      const store: Store = {
        id,
        accountId,
        ...facts,
        tokenHash: crypto.sha256Hex(token),
        tokenDisplay: displayOf(token),
        webhookSecret: yield* box.seal(webhookSecret, storePurpose(id)),
        connectedAt: now,
        disconnectedAt: null
      }
      yield* before === null ? stores.insert(store) : stores.save(store)
      const { consentMode, domain, name, platform } = facts
      yield* record(actor, {
        accountId,
        action: "store.connected",
        target: id,
        before: null,
        after: { platform, name, domain, consentMode }
      })
      return { store, token, webhookSecret } satisfies IssuedStore
    })
    return yield* atomically(refuseOn("stores_erasing", erasing)(refuseOn("stores_domain", exists)(write)))
  })

  const disconnect = Effect.fn("Stores.disconnect")(function* (accountId: string, id: string, actor: Actor) {
    // Serialized with `connect`, which changes the same row.
    yield* accounts.lock([accountId])
    const store = yield* stores.get(accountId, id)
    if (store === null || store.disconnectedAt !== null) return yield* Problem.of("common.not_found")
    yield* stores.save({ ...store, disconnectedAt: yield* Clock.currentTimeMillis })
    const { domain, name, platform } = store
    const before = { platform, name, domain }
    yield* record(actor, { accountId, action: "store.disconnected", target: id, before, after: null })
  }, atomically)

  const find = (id: string) => (isUuid(id) ? stores.byId(id.toLowerCase()) : Effect.succeed(null))

  return Stores.of({
    connect,
    disconnect,
    list: stores.list,
    authenticate: Effect.fn("Stores.authenticate")(function* (id, token): Effect.fn.Return<
      StoreAuthResult,
      Unavailable
    > {
      const store = isKey(prefixes.store, token) ? yield* find(id) : null
      if (store === null || store.disconnectedAt !== null) return { _tag: "Unauthorized" }
      if (!crypto.constantTimeEquals(crypto.sha256Hex(token), store.tokenHash)) {
        return { _tag: "Unauthorized" }
      }
      const { accountId } = store
      const charged = yield* tokenRate.count(accountId, `store:${store.id}`)
      if (charged === null) return { _tag: "Unauthorized" }
      const { isOver, rate } = charged
      return isOver
        ? { _tag: "RateLimited", rate }
        : { _tag: "Authenticated", accountId, keyId: store.id, rate, store }
    }),
    ofPlatform: Effect.fn("Stores.ofPlatform")(function* (id, platform) {
      const store = yield* find(id)
      if (store?.platform !== platform) return null
      // A secret that was sealed with the key of another installation cannot be opened.
      const secret = yield* Effect.catchTag(
        box.open(store.webhookSecret, storePurpose(id.toLowerCase())),
        "CannotOpen",
        () => Effect.succeed(null)
      )
      if (secret === null) return null
      const key = encoder.encode(secret)
      return {
        store,
        isSigned: (body, signature) =>
          crypto.constantTimeEquals(toBase64(crypto.hmacSha256(key, body)), signature)
      }
    }),
    requireConnected: Effect.fn("Stores.requireConnected")(function* ({ accountId, connectedAt, id }) {
      const isConnected = yield* stores.hold(accountId, id, connectedAt)
      if (!isConnected) return yield* Problem.of("auth.unauthorized")
    })
  })
})

const erasing = (): Problem => Problem.of("commerce.store_erasing", "domain")

const exists = (): Problem => Problem.of("commerce.store_exists", "domain")

const secretOf = (random: Uint8Array): string => `whsec_${toBase64(random)}`

/** Base64 (RFC 4648, 4), which differs from base64url by two characters and the padding. */
const toBase64 = (bytes: Uint8Array): string => {
  const base64 = toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/")
  return base64.padEnd(4 * Math.ceil(base64.length / 4), "=")
}

const parseStore = (request: NewStore) => {
  const issues = new Issues()
  const choose = <A extends string>(field: "platform" | "consentMode", all: ReadonlyArray<A>): A => {
    const found = all.find((value) => value === request[field])
    if (found === undefined) issues.add("validation.format", field, null, { expected: oneOf(all) })
    return found ?? all[0]!
  }
  const name = checkText(request.name, "name", maxName, issues)
  if (name === "") issues.add("validation.required", "name")
  const domain = parseDomain(request.domain.replace(/^https?:\/\//i, "").replace(/\/.*$/s, ""))
  if (domain === null) issues.add("validation.format", "domain", null, { expected: formats.domain })
  const currency = request.currency == null ? null : parseCurrency(request.currency)
  if (request.currency != null && currency === null)
    issues.add("commerce.currency_invalid", "currency", null, valueDetail(request.currency))
  const secret = request.webhookSecret?.trim() ?? null
  if (secret !== null && !(/^[\x21-\x7e]+$/.test(secret) && secret.length <= maxSecret)) {
    issues.add("validation.format", "webhookSecret", null, {
      expected: `visible ASCII characters, at most ${maxSecret}`
    })
  } else if (secret !== null && secret.length < minSecret) {
    issues.add("validation.min_length", "webhookSecret", { min: minSecret })
  }
  return issues.result({
    platform: choose("platform", platforms),
    name,
    domain: domain ?? "",
    consentMode: choose("consentMode", consentModes),
    currency,
    secret
  })
}
