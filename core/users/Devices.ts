/**
 * Recognises browsers that signed in before, by a signed cookie. Their attempts to sign in are counted separately, so that
 * guesses by strangers do not delay the user.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { isSignedBy, signWith } from "../accounts/KeyRing.ts"
import { Crypto } from "../ports/Crypto.ts"
import { toBase64Url } from "../shared/Bytes.ts"
import type { Unavailable } from "../shared/Problem.ts"

const nonceBytes = 16
const valuePattern = /^([\w-]{22})\.([\w-]{46})$/

const signed = (email: string, nonce: string): string => `${nonce} ${email}`

/** Browsers that signed in before. */
export class Devices extends Context.Service<
  Devices,
  {
    /** The identifier of a browser that signed in with the address before; null for any other cookie. */
    readonly recognise: (cookie: string | null, email: string) => Effect.Effect<string | null, Unavailable>
    /** The cookie of a browser that has just signed in. A recognised browser keeps its identifier. */
    readonly issue: (device: string | null, email: string) => Effect.Effect<string, Unavailable>
  }
>()("svc/users/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const installation = yield* InstallationKeys

      return Devices.of({
        recognise: (cookie, email) => {
          const [, nonce, signature = ""] = valuePattern.exec(cookie ?? "") ?? []
          return nonce === undefined
            ? Effect.succeed(null)
            : installation.prove(({ devices }) =>
                isSignedBy(crypto, devices, signed(email, nonce), signature) ? nonce : null
              )
        },
        issue: Effect.fnUntraced(function* (device, email) {
          const { devices } = yield* installation.get
          const nonce = device ?? toBase64Url(crypto.randomBytes(nonceBytes))
          return `${nonce}.${signWith(crypto, devices, signed(email, nonce))}`
        })
      })
    })
  )
}
