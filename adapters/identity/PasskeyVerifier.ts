/**
 * The PasskeyVerifier port by SimpleWebAuthn, which is loaded with the first passkey: it takes 200 ms of a processor, and
 * changes the global `Reflect`.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { productName } from "../../core/kernel/Names.ts"
import { type JsonObject, type NewCredential, PasskeyVerifier } from "../../core/ports/PasskeyVerifier.ts"
import { fromBase64Url, toBase64Url } from "../../core/shared/Bytes.ts"

/** How long a browser waits for its user, milliseconds. */
const timeout = 300_000

const load = Effect.promise(() => import("@simplewebauthn/server"))

/** `fmt: "none"` and an empty `attStmt`, and the name of what follows, `authData`, as CBOR. */
const withoutStatement = [
  0xa3, 0x63, 0x66, 0x6d, 0x74, 0x64, 0x6e, 0x6f, 0x6e, 0x65, 0x67, 0x61, 0x74, 0x74, 0x53, 0x74, 0x6d, 0x74,
  0xa0, 0x68, 0x61, 0x75, 0x74, 0x68, 0x44, 0x61, 0x74, 0x61
]

/**
 * An attestation without the statement of the authenticator's maker, which is not asked for: certificates in it could name
 * URLs that the library would fetch.
 */
const withoutAttestation = async (attestation: string): Promise<string> => {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers")
  const data = decodeAttestationObject(new Uint8Array(fromBase64Url(attestation))).get("authData")
  const length = [0x59, data.length >> 8, data.length & 255]
  return toBase64Url(Uint8Array.from([...withoutStatement, ...length, ...data]))
}

/** What a promise returns; null where it is rejected, as the library does with whatever is wrong. */
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
        // Read by the library, which rejects what has another shape.
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
          // The caller compares the counts: it tells a copied authenticator from a wrong signature.
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
