/**
 * A software authenticator, which creates passkeys and signs with them as a browser's does: ES256, with user verification.
 *
 * @module
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

/** The deviations of a response from a correct one. */
export interface Variation {
  /** The origin that the browser reports. */
  readonly origin?: string
  /** The challenge, in base64url, instead of the one in the options. */
  readonly challenge?: string
  /** The relying party, instead of the one in the options. */
  readonly rpId?: string
  /** The signature counter; by default one more than before. */
  readonly counter?: number
  /** Whether the user was not verified. */
  readonly isUnverified?: boolean
  /** The type of the browser's operation. */
  readonly type?: string
}

/** The options of a browser's call that the authenticator reads. */
interface CallOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id?: string }
}

const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")
const sha256 = (data: Uint8Array | string): Buffer => createHash("sha256").update(data).digest()

/** The beginning of a CBOR byte string. */
const head = (length: number): Buffer =>
  length < 24
    ? Buffer.from([0x40 + length])
    : length < 256
      ? Buffer.from([0x58, length])
      : Buffer.from([0x59, length >> 8, length & 255])
const bytes = (data: Uint8Array): Buffer => Buffer.concat([head(data.length), data])
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])

/** An authenticator with one passkey, in a browser at a given origin. */
export const softwareAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const id = randomBytes(32)
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  // COSE: kty EC2, alg ES256, crv P-256.
  const coseKey = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, "base64url"))
  ])
  let count = 0

  const clientData = (type: string, { challenge }: CallOptions, varied: Variation): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: varied.type ?? type,
        challenge: varied.challenge ?? challenge,
        origin: varied.origin ?? origin,
        crossOrigin: false
      })
    )
  const authenticatorData = (
    options: CallOptions,
    varied: Variation,
    flags: number,
    rest: Uint8Array
  ): Buffer => {
    count = varied.counter ?? count + 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(count)
    const rpId = varied.rpId ?? options.rpId ?? options.rp?.id ?? ""
    const verified = varied.isUnverified === true ? 0 : 0x04
    return Buffer.concat([sha256(rpId), Buffer.from([0x01 | verified | flags]), counter, rest])
  }
  const common = { id: base64Url(id), rawId: base64Url(id), type: "public-key", clientExtensionResults: {} }

  return {
    credentialId: common.id,
    /** A `RegistrationResponseJSON`. `statement` is the CBOR of `fmt` and `attStmt`; none by default. */
    create: (options: CallOptions, varied: Variation = {}, statement?: Uint8Array) => {
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([id.length >> 8, id.length & 255]),
        id,
        coseKey
      ])
      const data = authenticatorData(options, { counter: 0, ...varied }, 0x40, attested)
      const none = Buffer.concat([text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0])])
      return {
        ...common,
        response: {
          clientDataJSON: base64Url(clientData("webauthn.create", options, varied)),
          attestationObject: base64Url(
            Buffer.concat([Buffer.from([0xa3]), statement ?? none, text("authData"), bytes(data)])
          ),
          transports: ["internal"]
        }
      }
    },
    /** An `AuthenticationResponseJSON`. */
    get: (options: CallOptions, varied: Variation = {}) => {
      const client = clientData("webauthn.get", options, varied)
      const data = authenticatorData(options, varied, 0, Buffer.alloc(0))
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...common,
        response: {
          clientDataJSON: base64Url(client),
          authenticatorData: base64Url(data),
          signature: base64Url(signature)
        }
      }
    }
  }
}
