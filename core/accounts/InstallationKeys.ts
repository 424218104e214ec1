/**
 * Derives the installation's keys from its secrets, one for each use, so that a signature made for one use is invalid
 * for every other. The secrets are stored sealed: without the secret key, what the database holds signs and hashes
 * nothing.
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

/** The keys of each use. */
export interface Keys {
  /** Sign the tokens of hosted pages. */
  readonly links: KeyRing
  /** Hashes the addresses of erased people. Never replaced: the addresses are gone, nothing could be hashed again. */
  readonly addresses: Uint8Array
  /** Hashes what log lines are about. Never replaced, so that old lines can be found. */
  readonly logs: Uint8Array
  /** Seals the audit log and hashes what an erasure removes from it. Never replaced, so that old seals can be verified. */
  readonly audit: Uint8Array
  /** Sign the return addresses of emails, to which receiving servers send their reports. */
  readonly reports: KeyRing
  /** Sign the links that count opens and clicks. */
  readonly tracking: KeyRing
  /** Make the tokens of set-up links that are mailed. */
  readonly setup: KeyRing
  /** Sign the cookies of browsers that a user signed in with. */
  readonly devices: KeyRing
  /** The keys from which those that sign the requests of flows are derived. */
  readonly flows: KeyRing
}

/** How long keys are used before they are read again, milliseconds: a key that another node made signs no later. */
const maxAge = 30_000

/** The shortest time between two reads caused by signatures that no key made, milliseconds. */
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
    /** The keys, as they were at most 30 s ago. `Unavailable` before the first start has completed. */
    readonly get: Effect.Effect<Keys, Unavailable>
    /**
     * The result of `attempt` with the keys. Where it is null, the keys are read again, at most once a second, and the
     * attempt is repeated: another node may have made the key of a signature a moment ago.
     */
    readonly prove: <A>(attempt: (keys: Keys) => A | null) => Effect.Effect<A | null, Unavailable>
    /** Reads the keys again when they are next used: this node has replaced one. */
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
        // Newest first: the first one signs.
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

      /** The keys, read again if they are older than `age`; the old ones where they cannot be. */
      const get = (age: number): Effect.Effect<Keys, Unavailable> =>
        Clock.clockWith((clock) => {
          const now = clock.currentTimeMillisUnsafe()
          if (cached === null) return read
          const { keys, readAt } = cached
          if (now - readAt < age) return Effect.succeed(keys)
          // One caller reads, the others do not wait for it.
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
