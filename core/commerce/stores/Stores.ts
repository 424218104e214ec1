/**
 * Connecting and disconnecting stores, and telling who calls for one.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AuthResult } from "../../accounts/Authentication.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { displayOf, formatKey, isKey, keyBytes, prefixes } from "../../accounts/KeyFormat.ts"
import { TokenRate } from "../../accounts/TokenRate.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { refuseOn, retryConflicts } from "../../kernel/Conflicts.ts"
import { toBase64Url } from "../../shared/Bytes.ts"
import { parseCurrency } from "../../shared/Currency.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText, type Maybe } from "../../shared/Validate.ts"
import { consentModes, maxStores, type Platform, platforms, type Store } from "../../model/Store.ts"

/** A store that is to be connected. */
export interface NewStore {
  readonly platform: string
  readonly name: string
  readonly domain: string
  readonly consentMode: string
  /** Of prices that name no currency. */
  readonly currency?: Maybe<string>
  /** The secret the platform signs its webhooks with, where the platform chooses it, as Shopify does. */
  readonly webhookSecret?: Maybe<string>
}

/** A store just connected: the only time its secrets are shown. */
export interface IssuedStore {
  readonly store: Store
  readonly token: string
  readonly webhookSecret: string
}

/** The answer to a call that asks to come in with a store's token. */
export type StoreVerdict =
  | Exclude<AuthResult, { readonly _tag: "Authenticated" }>
  | (Extract<AuthResult, { readonly _tag: "Authenticated" }> & { readonly store: Store })

const maxName = 100
const minSecret = 8
const maxSecret = 200

/** The operator's use cases on stores, and what the ingest routes ask. */
export class Stores extends Context.Service<
  Stores,
  {
    /**
     * Connects a store; one that was disconnected comes back with new secrets. validation.*,
     * commerce.store_exists while one of that platform and domain is connected, commerce.store_erasing while what came
     * from it is erased, commerce.store_limit_reached.
     */
    readonly connect: (
      accountId: string,
      request: NewStore,
      actor: string
    ) => Effect.Effect<IssuedStore, Problem | Unavailable>
    /** Disconnects a store at once on every node; its orders and customers stay. common.not_found. */
    readonly disconnect: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<void, Problem | Unavailable>
    /** An account's stores, disconnected ones included, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Store>, Unavailable>
    /**
     * Judges a call for the store of that id: Unauthorized unless it is connected and the token is its own, RateLimited
     * beyond the calls a minute that the account's settings give each token. What is Unauthorized is not counted.
     */
    readonly authenticate: (id: string, token: string) => Effect.Effect<StoreVerdict, Unavailable>
    /**
     * The store of that id, connected or not, if the signature is the base64 of the HMAC-SHA-256 of the body by its
     * webhook secret, else null. Takes the same time whatever the signature is.
     */
    readonly ofSignature: (
      id: string,
      platform: Platform,
      body: Uint8Array,
      signature: string
    ) => Effect.Effect<Store | null, Unavailable>
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
  const transaction = yield* Transaction
  const crypto = yield* Crypto
  const box = yield* SecretBox
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const tokenRate = yield* TokenRate
  const encoder = new TextEncoder()

  const connect = Effect.fn("Stores.connect")(function* (
    accountId: string,
    request: NewStore,
    actor: string
  ) {
    const checked = checkStore(request)
    if (checked instanceof Problem) return yield* checked
    const { secret, ...facts } = checked
    const token = formatKey(prefixes.store, crypto.randomBytes(keyBytes))
    const webhookSecret = secret ?? secretOf(crypto.randomBytes(keyBytes))
    const newId = yield* ids.next
    const now = yield* Clock.currentTimeMillis
    const once = Effect.gen(function* () {
      // Two at the same moment are one after the other: both count, and one alone is told a secret that works.
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
        webhookSecret: yield* box.seal(webhookSecret, purposeOf(id)),
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
    return yield* retryConflicts(
      refuseOn("stores_erasing", erasing)(refuseOn("stores_domain", exists)(transaction.run(once)))
    )
  })

  const disconnect = Effect.fn("Stores.disconnect")(function* (accountId: string, id: string, actor: string) {
    const once = Effect.gen(function* () {
      // So that what is written back is no older than what another call connected.
      yield* accounts.lock([accountId])
      const store = yield* stores.get(accountId, id)
      if (store === null || store.disconnectedAt !== null) return yield* Problem.of("common.not_found")
      yield* stores.save({ ...store, disconnectedAt: yield* Clock.currentTimeMillis })
      yield* record(actor, {
        accountId,
        action: "store.disconnected",
        target: id,
        before: { platform: store.platform, name: store.name, domain: store.domain },
        after: null
      })
    })
    yield* retryConflicts(transaction.run(once))
  })

  const find = (id: string) => (isUuid(id) ? stores.byId(id.toLowerCase()) : Effect.succeed(null))

  return Stores.of({
    connect,
    disconnect,
    list: stores.list,
    authenticate: Effect.fnUntraced(function* (id, token): Effect.fn.Return<StoreVerdict, Unavailable> {
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
    ofSignature: Effect.fnUntraced(function* (id, platform, body, signature) {
      const store = yield* find(id)
      const sealed = store?.platform === platform ? store.webhookSecret : null
      // A secret sealed with another key than this installation's opens nothing: nobody can sign with it.
      const secret =
        sealed === null
          ? null
          : yield* Effect.catchTag(box.open(sealed, purposeOf(id.toLowerCase())), "CannotOpen", () =>
              Effect.succeed(null)
            )
      const expected = toBase64(crypto.hmacSha256(encoder.encode(secret ?? "nobody's secret"), body))
      return crypto.constantTimeEquals(expected, signature) && secret !== null ? store : null
    })
  })
})

const erasing = (): Problem => Problem.of("commerce.store_erasing", "domain")

const exists = (): Problem => Problem.of("commerce.store_exists", "domain")

const purposeOf = (storeId: string): string => `store ${storeId}`

const secretOf = (random: Uint8Array): string => `whsec_${toBase64(random)}`

/** Base64 (RFC 4648, 4), which differs from base64url by two characters and the padding. */
const toBase64 = (bytes: Uint8Array): string => {
  const text = toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/")
  return text.padEnd(4 * Math.ceil(text.length / 4), "=")
}

const checkStore = (request: NewStore) => {
  const issues: Array<Issue> = []
  const one = <A extends string>(field: "platform" | "consentMode", all: ReadonlyArray<A>): A => {
    const found = all.find((value) => value === request[field])
    if (found === undefined) issues.push(issue("validation.format", field))
    return found ?? all[0]!
  }
  const name = checkText(request.name, "name", maxName, issues)
  if (name === "") issues.push(issue("validation.required", "name"))
  const domain = parseDomain(request.domain.replace(/^https?:\/\//i, "").replace(/\/.*$/s, ""))
  if (domain === null) issues.push(issue("validation.format", "domain"))
  const currency = request.currency == null ? null : parseCurrency(request.currency)
  if (request.currency != null && currency === null)
    issues.push(issue("commerce.currency_invalid", "currency"))
  const secret = request.webhookSecret?.trim() ?? null
  if (secret !== null && !(/^[\x21-\x7e]+$/.test(secret) && secret.length <= maxSecret)) {
    issues.push(issue("validation.format", "webhookSecret"))
  } else if (secret !== null && secret.length < minSecret) {
    issues.push(issue("validation.min_length", "webhookSecret", { min: minSecret }))
  }
  const facts = {
    platform: one("platform", platforms),
    name,
    domain: domain ?? "",
    consentMode: one("consentMode", consentModes),
    currency,
    secret
  }
  return Problem.from(issues) ?? facts
}
