/**
 * Derives the installation's keys from its secrets. Each use has its own key, so that a signature made for one use is invalid for
 * every other. The secrets are stored sealed: without the secret key, the contents of the database can neither sign nor hash.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { type InstallationSecret, InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { Unavailable } from "../shared/Problem.ts"
import type { KeyRing, SigningKey } from "./KeyRing.ts"
import { installationPurpose } from "./InstallationSecrets.ts"

/** The keys by use. */
export interface Keys {
  /** Sign the tokens in links to hosted pages. */
  readonly links: KeyRing
  /** Hashes the addresses of erased people. Never replaced, because the addresses are gone and could not be hashed again. */
  readonly addresses: Uint8Array
  /** Hashes the subjects of log lines. Never replaced, so that old lines can be found. */
  readonly logs: Uint8Array
  /** Seals the audit log and hashes what an erasure removes from it. Never replaced, so that old seals can be verified. */
  readonly audit: Uint8Array
  /** Sign the return paths of emails, to which receiving servers send their reports. */
  readonly reports: KeyRing
  /** Sign the links and pixels that count opens and clicks. */
  readonly tracking: KeyRing
  /** Create the tokens of set-up links that are sent by mail. */
  readonly setup: KeyRing
  /** Sign the cookies of browsers in which a user signed in. */
  readonly devices: KeyRing
  /** The keys from which the signing keys of flows' requests are derived. */
  readonly flows: KeyRing
}

/** How long keys are used before they are read again, milliseconds, and so the delay until a key from another node is used. */
const maxAge = 30_000

/** The shortest time between two reads caused by signatures with unknown keys, milliseconds. */
const minAge = 1_000

/** Keys, and when they were read. */
interface Cached {
  readonly keys: Keys
  readonly readAt: number
}

/** The keys of the installation. */
export class InstallationKeys extends Context.Service<
  InstallationKeys,
  {
    /** The keys as of at most 30 s ago. `Unavailable` before the first start has completed. */
    readonly get: Effect.Effect<Keys, Unavailable>
    /**
     * The result of `attempt` with the keys. If it is null, the keys are read again, at most once a second, and the attempt is
     * repeated, because another node may have just created the key of a signature.
     */
    readonly prove: <A>(attempt: (keys: Keys) => A | null) => Effect.Effect<A | null, Unavailable>
    /** Makes the next use read the keys again, because this node has replaced one. */
    readonly invalidate: Effect.Effect<void>
  }
>()("svc/accounts/InstallationKeys") {
  static readonly layer = Layer.effect(
    InstallationKeys,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const store = yield* InstallationStore
      const box = yield* SecretBox
      const encoder = new TextEncoder()
      let cached: Cached | null = null

      const open = ({ id, sealed }: InstallationSecret): Effect.Effect<SigningKey, Unavailable> =>
        Effect.mapBoth(box.open(sealed, installationPurpose(id)), {
          onSuccess: (secret) => ({ id, key: encoder.encode(secret) }),
          onFailure: () =>
            new Unavailable({ cause: "a secret of the installation was not sealed with this secret key" })
        })

      const read = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const stored = (yield* store.secrets).filter(
          ({ acceptedUntil }) => acceptedUntil === null || acceptedUntil > now
        )
        const hashing = stored.find(({ use }) => use === "Hashing")
        // Newest first, because the first key signs.
        const [signing, ...others] = yield* Effect.forEach(
          stored.filter(({ use }) => use === "Signing"),
          open
        )
        if (hashing === undefined || signing === undefined) {
          return yield* new Unavailable({ cause: "the first start has not completed" })
        }
        const derive = (use: string) => (secret: SigningKey) => ({
          id: secret.id,
          key: crypto.hmacSha256(secret.key, use)
        })
        const ringOf = (use: string): KeyRing => [derive(use)(signing), ...others.map(derive(use))]
        const { key: hashingKey } = yield* open(hashing)
        const keys: Keys = {
          links: ringOf("links"),
          addresses: crypto.hmacSha256(hashingKey, "addresses"),
          logs: crypto.hmacSha256(hashingKey, "logs"),
          audit: crypto.hmacSha256(hashingKey, "audit"),
          reports: ringOf("reports"),
          tracking: ringOf("tracking"),
          setup: ringOf("setup"),
          devices: ringOf("devices"),
          flows: ringOf("flows")
        }
        cached = { keys, readAt: now }
        return keys
      })

      /** The keys, read again if they are older than `age`; if that fails, the old ones. */
      const get = (age: number): Effect.Effect<Keys, Unavailable> =>
        Clock.clockWith((clock) => {
          const now = clock.currentTimeMillisUnsafe()
          if (cached === null) return read
          const { keys, readAt } = cached
          if (now - readAt < age) return Effect.succeed(keys)
          // Only one caller reads; the others do not wait for it.
          cached = { keys, readAt: now }
          return Effect.catchTag(read, "Unavailable", () => Effect.succeed(keys))
        })

      return InstallationKeys.of({
        get: get(maxAge),
        prove: Effect.fnUntraced(function* (attempt) {
          const keys = yield* get(maxAge)
          const result = attempt(keys)
          if (result !== null) return result
          const current = yield* get(minAge)
          return current === keys ? null : attempt(current)
        }),
        invalidate: Effect.sync(() => {
          cached = null
        })
      })
    })
  )
}
