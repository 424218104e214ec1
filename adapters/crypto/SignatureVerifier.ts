/**
 * Implements the SignatureVerifier port with `node:crypto`, which Node and Bun both have.
 *
 * @module
 */
import { Layer } from "effect"
import { createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto"
import { type RsaHash, SignatureVerifier } from "../../core/ports/SignatureVerifier.ts"

const minRsaBits = 2048

/** The maximum length, in characters, of a certificate chain and of a key that are read. */
const maxPem = 65_536
const maxKey = 4_096

/** The maximum number of certificates in a chain. */
const maxChain = 8

const begin = "-----BEGIN CERTIFICATE-----"
const end = "-----END CERTIFICATE-----"

/** The result of a function; null if it throws because it cannot read its input. */
const orNull = <A>(read: () => A): A | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const certificatesOf = (pem: string): ReadonlyArray<X509Certificate> | null => {
  if (pem.length > maxPem) return null
  const blocks = pem.split(begin).slice(1)
  if (blocks.length === 0 || blocks.length > maxChain) return null
  return orNull(() =>
    blocks.map((block) => new X509Certificate(`${begin}${block.slice(0, block.indexOf(end))}${end}\n`))
  )
}

/** Whether each certificate is issued by the next. */
const isChain = (certificates: ReadonlyArray<X509Certificate>): boolean =>
  certificates.every((certificate, index) => {
    const issuer = certificates[index + 1]
    return (
      issuer === undefined ||
      (certificate.checkIssued(issuer) && orNull(() => certificate.verify(issuer.publicKey)) === true)
    )
  })

const rsaKeyOf = (pem: string, at: number): KeyObject | null => {
  const certificates = certificatesOf(pem)
  const leaf = certificates?.[0]
  if (leaf === undefined || !isChain(certificates!)) return null
  if (!(Date.parse(leaf.validFrom) <= at && at <= Date.parse(leaf.validTo))) return null
  const key = orNull(() => leaf.publicKey)
  const isStrong =
    key?.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= minRsaBits
  return isStrong ? key : null
}

const ecKeyOf = (text: string): KeyObject | null => {
  if (text.length > maxKey) return null
  const body = text.replaceAll(/-----[A-Z ]{1,40}-----|\s/g, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return null
  const key = orNull(() => createPublicKey({ key: Buffer.from(body, "base64"), format: "der", type: "spki" }))
  const isP256 = key?.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1"
  return isP256 ? key : null
}

const hashes: Readonly<Record<RsaHash, string>> = { sha1: "RSA-SHA1", sha256: "RSA-SHA256" }

/** Verifies signatures with the platform's functions. */
export const layer = Layer.succeed(SignatureVerifier, {
  byCertificate: (pem, hash, data, signature, at) => {
    const key = rsaKeyOf(pem, at)
    return key !== null && orNull(() => verify(hashes[hash], Buffer.from(data), key, signature)) === true
  },
  byEcKey: (publicKey, data, signature) => {
    const key = ecKeyOf(publicKey)
    return key !== null && orNull(() => verify("sha256", data, key, signature)) === true
  },
  isEcKey: (publicKey) => ecKeyOf(publicKey) !== null
})
