/**
 * Makes a self-signed certificate (RFC 5280, ECDSA on P-256), so that connections are encrypted even if the operator provides
 * none. It proves no identity, but mail servers that send do not check one.
 *
 * @module
 */
import { generateKeyPair, randomBytes, sign } from "node:crypto"
import { promisify } from "node:util"

/** A certificate and its private key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const day = 86_400_000
/** Valid since before now, because clocks differ. */
const validFromMillis = day
const validForMillis = 3650 * day

const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82
} as const

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length])
  if (length < 0x100) return Buffer.from([0x81, length])
  return Buffer.from([0x82, length >> 8, length & 0xff])
}

/** A value encoded in DER (X.690). */
const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

const oids = {
  /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256 (RFC 5758). */
  signature: Buffer.from("06082a8648ce3d040302", "hex"),
  /** 2.5.4.3, common name. */
  commonName: Buffer.from("0603550403", "hex"),
  /** 2.5.29.17, subject alternative name. */
  alternativeName: Buffer.from("0603551d11", "hex")
} as const

/** The maximum length of a common name (RFC 5280, A.1). */
const maxCommonName = 64

const timeOf = (millis: number): Buffer =>
  der(
    tags.generalizedTime,
    Buffer.from(`${new Date(millis).toISOString().replaceAll(/\D/g, "").slice(0, 14)}Z`, "ascii")
  )

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`

/** Makes a certificate for a host name, valid for ten years from `now` (epoch milliseconds). */
export const selfSigned = async (host: string, now: number): Promise<Certificate> => {
  const { privateKey, publicKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" })
  const algorithm = der(tags.sequence, oids.signature)
  const commonName = der(tags.utf8String, Buffer.from(host.slice(0, maxCommonName), "utf8"))
  const name = der(tags.sequence, der(tags.set, der(tags.sequence, oids.commonName, commonName)))
  const alternatives = der(tags.sequence, der(tags.dnsName, Buffer.from(host, "ascii")))
  // The first byte is from 0x40 to 0x7f, so the number is positive and has no leading zeros.
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x3f) | 0x40
  const content = der(
    tags.sequence,
    der(tags.version, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, serial),
    algorithm,
    name,
    der(tags.sequence, timeOf(now - validFromMillis), timeOf(now + validForMillis)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      tags.extensions,
      der(tags.sequence, der(tags.sequence, oids.alternativeName, der(tags.octetString, alternatives)))
    )
  )
  const signature = der(tags.bitString, Buffer.from([0]), sign("sha256", content, privateKey))
  return {
    cert: pem(der(tags.sequence, content, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
