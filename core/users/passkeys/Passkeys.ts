/**
 * Sends browsers single-use challenges for passkeys, and verifies their responses (docs/contributing/people.md 2). If the counter
 * of a signature has not advanced, it comes from a copy of the authenticator.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { Passkey } from "../../model/Passkey.ts"
import type { SignInStepKind } from "../../model/SignInStep.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { PasskeyStore } from "../../ports/PasskeyStore.ts"
import {
  type JsonObject,
  type NewCredential,
  type PasskeyUser,
  PasskeyVerifier,
  type RelyingParty
} from "../../ports/PasskeyVerifier.ts"
import { SignInStepStore } from "../../ports/SignInStepStore.ts"
import { toBase64Url } from "../../shared/Bytes.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { challengeOf, credentialIdOf } from "./PasskeyRules.ts"

/** How long a challenge is valid, milliseconds. */
export const challengeMillis = 300_000

const challengeBytes = 32

const invalid = (): Problem => Problem.of("users.passkey_invalid")

/** A signature that was verified. */
export type Signature =
  | { readonly _tag: "Valid"; readonly passkey: Passkey }
  /** The authenticator's counter did not advance, so another authenticator has its key. */
  | { readonly _tag: "Copied"; readonly passkey: Passkey }

/** Passkeys in browsers. */
export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** The options with which a browser creates a passkey for a user. The response must be submitted with the same `bound`. */
    readonly creationOptions: (user: PasskeyUser, bound: string) => Effect.Effect<JsonObject, Unavailable>
    /** The options with which a browser signs in by any passkey. */
    readonly requestOptions: Effect.Effect<JsonObject, Unavailable>
    /** The passkey that a browser created for options with the same `bound`; users.passkey_invalid. */
    readonly created: (
      response: unknown,
      bound: string
    ) => Effect.Effect<NewCredential, Problem | Unavailable>
    /** Verifies the signature of a stored passkey; users.passkey_invalid. */
    readonly signed: (response: unknown) => Effect.Effect<Signature, Problem | Unavailable>
  }
>()("svc/users/Passkeys") {
  static readonly layer = Layer.effect(
    Passkeys,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const passkeys = yield* PasskeyStore
      const steps = yield* SignInStepStore
      const verifier = yield* PasskeyVerifier
      const { baseUrl } = yield* PublicEndpoint

      const party = (): RelyingParty => {
        const { hostname, origin } = new URL(baseUrl())
        return { id: hostname, origin }
      }

      const hashOf = (challenge: string, bound: string): string => crypto.sha256Hex(`${challenge} ${bound}`)

      const newChallenge = Effect.fnUntraced(function* (kind: SignInStepKind, bound: string) {
        const challenge = toBase64Url(crypto.randomBytes(challengeBytes))
        const createdAt = yield* Clock.currentTimeMillis
        const expiresAt = createdAt + challengeMillis
        yield* steps.insert([
          { hash: hashOf(challenge, bound), kind, userId: null, data: "", expiresAt, createdAt }
        ])
        return challenge
      })

      /** Uses up the challenge to which a response belongs, and returns it. */
      const takeChallenge = Effect.fnUntraced(function* (
        kind: SignInStepKind,
        bound: string,
        response: unknown
      ) {
        const challenge = challengeOf(response)
        if (challenge === null) return yield* invalid()
        const now = yield* Clock.currentTimeMillis
        const step = yield* steps.take(kind, hashOf(challenge, bound), now)
        return step === null ? yield* invalid() : challenge
      })

      return Passkeys.of({
        creationOptions: Effect.fn("Passkeys.creationOptions")(function* (user, bound) {
          const challenge = yield* newChallenge("PasskeySetup", bound)
          const exclude = (yield* passkeys.list(user.id)).map(({ credentialId }) => credentialId)
          return yield* verifier.creationOptions(party(), { challenge, user, exclude })
        }),
        requestOptions: Effect.flatMap(
          Effect.suspend(() => newChallenge("PasskeySignIn", "")),
          (challenge) => verifier.requestOptions(party(), challenge)
        ),
        created: Effect.fn("Passkeys.created")(function* (response, bound) {
          const challenge = yield* takeChallenge("PasskeySetup", bound, response)
          const made = yield* verifier.created(party(), { challenge, response })
          return made ?? (yield* invalid())
        }),
        signed: Effect.fn("Passkeys.signed")(function* (response) {
          const challenge = yield* takeChallenge("PasskeySignIn", "", response)
          const credentialId = credentialIdOf(response)
          const passkey = credentialId === null ? null : yield* passkeys.findCredential(credentialId)
          if (passkey === null) return yield* invalid()
          const count = yield* verifier.signed(party(), { challenge, response, key: passkey })
          if (count === null) return yield* invalid()
          const isAhead = yield* passkeys.use(passkey.id, count, yield* Clock.currentTimeMillis)
          return { _tag: isAhead ? "Valid" : "Copied", passkey }
        })
      })
    })
  )
}
