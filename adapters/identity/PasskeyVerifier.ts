/**
 * Implements the PasskeyVerifier port with SimpleWebAuthn. The library is loaded with the first passkey, because that takes
 * 200 ms of a processor and changes the global `Reflect`.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { productName } from "../../core/kernel/Names.ts"
import { type JsonObject, type NewCredential, PasskeyVerifier } from "../../core/ports/PasskeyVerifier.ts"
import { fromBase64Url, toBase64Url } from "../../core/shared/Bytes.ts"

/** How long a browser waits for its user, in milliseconds. */
const timeout = 300_000

const load = Effect.promise(() => import("@simplewebauthn/server"))

/** CBOR of `fmt: "none"`, an empty `attStmt`, and the key `authData` that follows. */
const withoutStatement = [
  0xa3, 0x63, 0x66, 0x6d, 0x74, 0x64, 0x6e, 0x6f, 0x6e, 0x65, 0x67, 0x61, 0x74, 0x74, 0x53, 0x74, 0x6d, 0x74,
  0xa0, 0x68, 0x61, 0x75, 0x74, 0x68, 0x44, 0x61, 0x74, 0x61
]

/**
 * Removes the statement of the authenticator's maker from an attestation. It is not requested, and certificates in it could
 * contain URLs that the library would fetch.
 */
const withoutAttestation = async (attestation: string): Promise<string> => {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers")
  const data = decodeAttestationObject(new Uint8Array(fromBase64Url(attestation))).get("authData")
  const length = [0x59, data.length >> 8, data.length & 255]
  return toBase64Url(Uint8Array.from([...withoutStatement, ...length, ...data]))
}

/** The value of a promise; null if it is rejected, which is how the library reports any error. */
const orNull = <A>(made: () => Promise<A>): Effect.Effect<A | null> =>
  Effect.orElseSucceed(Effect.tryPromise(made), () => null)

/** Passkeys by SimpleWebAuthn. */
export const layer = Layer.succeed(PasskeyVerifier, {
  creationOptions: ({ id }, { challenge, exclude, user }) =>
    Effect.flatMap(load, ({ generateRegistrationOptions }) =>
      Effect.promise(() =>
        generateRegistrationOptions({
          rpID: id,
          rpName: productName,
          userID: new TextEncoder().encode(user.id),
          userName: user.email,
          userDisplayName: user.name,
          challenge: new Uint8Array(fromBase64Url(challenge)),
          excludeCredentials: exclude.map((one) => ({ id: one })),
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          timeout
        })
      )
    ).pipe(Effect.map((options) => options as unknown as JsonObject)),
  requestOptions: ({ id }, challenge) =>
    Effect.flatMap(load, ({ generateAuthenticationOptions }) =>
      Effect.promise(() =>
        generateAuthenticationOptions({
          rpID: id,
          challenge: new Uint8Array(fromBase64Url(challenge)),
          userVerification: "required",
          timeout
        })
      )
    ).pipe(Effect.map((options) => options as unknown as JsonObject)),
  created: ({ id, origin }, { challenge, response }) =>
    Effect.flatMap(load, ({ verifyRegistrationResponse }) =>
      orNull(async (): Promise<NewCredential | null> => {
        // The library validates it, and rejects any other shape.
        const given = response as Parameters<typeof verifyRegistrationResponse>[0]["response"]
        const attestationObject = await withoutAttestation(given.response.attestationObject)
        const { registrationInfo } = await verifyRegistrationResponse({
          response: { ...given, response: { ...given.response, attestationObject } },
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: id,
          requireUserVerification: true
        })
        if (registrationInfo === undefined) return null
        const { credential } = registrationInfo
        const transports: ReadonlyArray<unknown> = Array.isArray(credential.transports)
          ? credential.transports
          : []
        return {
          credentialId: credential.id,
          publicKey: toBase64Url(credential.publicKey),
          counter: credential.counter,
          transports: transports
            .filter((one) => typeof one === "string")
            .filter((one) => /^[\w-]{1,20}$/.test(one))
            .slice(0, 10)
        }
      })
    ),
  signed: ({ id, origin }, { challenge, key, response }) =>
    Effect.flatMap(load, ({ verifyAuthenticationResponse }) =>
      orNull(async () => {
        const { authenticationInfo, verified } = await verifyAuthenticationResponse({
          response: response as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: id,
          requireUserVerification: true,
          // Zero, because the caller compares the counts: this distinguishes a copied authenticator from a wrong signature.
          credential: {
            id: key.credentialId,
            publicKey: new Uint8Array(fromBase64Url(key.publicKey)),
            counter: 0
          }
        })
        return verified ? authenticationInfo.newCounter : null
      })
    )
})
