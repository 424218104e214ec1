/**
 * Second factors: one-time codes, each accepted once, and recovery codes.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { productName } from "../kernel/Names.ts"
import { hasSecondFactor, totpPurpose, type User } from "../model/User.ts"
import { Crypto } from "../ports/Crypto.ts"
import { OneTimeCodes } from "../ports/OneTimeCodes.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { toBase32 } from "../shared/Base32.ts"

const secretBytes = 20
const recoveryBytes = 10

/** The number of recovery codes that a user gets. */
export const recoveryCount = 10

/** A new secret for one-time codes, in the forms in which an authenticator app accepts it. */
export interface NewSecret {
  readonly secret: string
  readonly url: string
  /** SVG. */
  readonly qr: string
}

/** The kinds of factors that a user has. */
export const factorsOf = (user: User): ReadonlyArray<"Passkey" | "Password" | "Totp"> => [
  ...(user.passkeys === 0 ? [] : (["Passkey"] as const)),
  ...(user.passwordHash === null ? [] : (["Password"] as const)),
  ...(hasSecondFactor(user) ? (["Totp"] as const) : [])
]

/** Second factors of users. */
export class Factors extends Context.Service<
  Factors,
  {
    /** The user with a new, unconfirmed secret, and the secret to show. */
    readonly begin: (user: User) => Effect.Effect<readonly [User, NewSecret]>
    /**
     * The user after a one-time code or a recovery code was accepted; null for a wrong code. Call it with a locked user, and save
     * the result in the same transaction, so that each code is accepted only once.
     */
    readonly accept: (user: User, code: string) => Effect.Effect<User | null>
    /** The user with new recovery codes, and the codes to show. */
    readonly renewCodes: (user: User) => readonly [User, ReadonlyArray<string>]
  }
>()("svc/users/Factors") {
  static readonly layer = Layer.effect(
    Factors,
    Effect.gen(function* () {
      const box = yield* SecretBox
      const codes = yield* OneTimeCodes
      const crypto = yield* Crypto

      /** The hash of a recovery code, regardless of how it is written. */
      const recoveryHash = (code: string): string =>
        crypto.sha256Hex(code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""))

      return Factors.of({
        begin: Effect.fnUntraced(function* (user) {
          const secret = toBase32(crypto.randomBytes(secretBytes)).toUpperCase()
          const totpSecret = yield* box.seal(secret, totpPurpose(user.id))
          return [
            { ...user, totpSecret, totpConfirmedAt: null, totpStep: null },
            { secret, ...codes.show(secret, productName, user.email) }
          ]
        }),
        accept: Effect.fnUntraced(function* (user, code) {
          const given = code.trim()
          if (!/^\d{6}$/.test(given)) {
            const hash = recoveryHash(given.slice(0, 100))
            if (!hasSecondFactor(user) || !user.recoveryCodes.includes(hash)) return null
            return { ...user, recoveryCodes: user.recoveryCodes.filter((one) => one !== hash) }
          }
          if (user.totpSecret === null) return null
          // If the secret key was lost, no one-time code is accepted, but recovery codes still are.
          const secret = yield* Effect.orElseSucceed(
            box.open(user.totpSecret, totpPurpose(user.id)),
            () => null
          )
          if (secret === null) return null
          const now = yield* Clock.currentTimeMillis
          const step = codes.stepOf(secret, given, now)
          if (step === null || (user.totpStep !== null && step <= user.totpStep)) return null
          return { ...user, totpStep: step, totpConfirmedAt: user.totpConfirmedAt ?? now }
        }),
        renewCodes: (user) => {
          const shown = Array.from({ length: recoveryCount }, () =>
            toBase32(crypto.randomBytes(recoveryBytes))
              .toUpperCase()
              .replaceAll(/(.{4})(?!$)/g, "$1-")
          )
          return [{ ...user, recoveryCodes: shown.map(recoveryHash) }, shown]
        }
      })
    })
  )
}
