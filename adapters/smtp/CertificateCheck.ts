/**
 * Checks a server's certificate against the terms of the connection, after a handshake that accepts any certificate.
 *
 * @module
 */
import { createHash, X509Certificate } from "node:crypto"
import type { DetailedPeerCertificate, TLSSocket } from "node:tls"
import type { CertificateTerms, TlsaRecord, TlsResult } from "../../core/model/TlsTerms.ts"

/** The maximum number of certificates of a chain that are read. */
const maxChain = 10

const digests = { 1: "sha256", 2: "sha512" } as const

const contentOf = (certificate: X509Certificate, { matching, selector }: TlsaRecord): string => {
  const content =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: "spki", format: "der" })
  return matching === 0
    ? content.toString("hex")
    : createHash(digests[matching]).update(content).digest("hex")
}

const matches = (certificate: X509Certificate, record: TlsaRecord): boolean => {
  try {
    return contentOf(certificate, record) === record.data
  } catch {
    // The runtime cannot export a key of this kind.
    return false
  }
}

/** The certificates that the server sent, with its own first. */
const chainOf = (socket: TLSSocket): ReadonlyArray<X509Certificate> => {
  const chain: Array<X509Certificate> = []
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  // The last certificate of a chain can be its own issuer.
  for (let last: unknown = null; next?.raw !== undefined && next !== last && chain.length < maxChain;) {
    chain.push(new X509Certificate(next.raw))
    last = next
    next = next.issuerCertificate as DetailedPeerCertificate | undefined
  }
  return chain
}

const isCurrent = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now <= validToDate.getTime()

/** Whether each certificate is issued by the next, up to the anchor, and all are currently valid. */
const leadsTo = (chain: ReadonlyArray<X509Certificate>, anchor: X509Certificate, now: number): boolean =>
  [...chain, anchor].every((certificate, index) => {
    if (!isCurrent(certificate, now)) return false
    const issuer = index === chain.length ? null : (chain[index + 1] ?? anchor)
    return (
      issuer === null ||
      (issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
    )
  })

/** The certificates in records that contain a whole certificate, which the server need not send (RFC 7671, 5.2.2). */
const anchorsIn = (records: ReadonlyArray<TlsaRecord>): ReadonlyArray<X509Certificate> =>
  records.flatMap((record) => {
    if (record.usage !== 2 || record.selector !== 0 || record.matching !== 0) return []
    try {
      return [new X509Certificate(Buffer.from(record.data, "hex"))]
    } catch {
      return []
    }
  })

const hasName = (certificate: X509Certificate, names: ReadonlyArray<string>): boolean =>
  names.some((name) => certificate.checkHost(name, { partialWildcards: false }) !== undefined)

/** Whether a chain, with the server's own certificate first, satisfies TLSA records (RFC 7672, 3.1). */
export const fulfilsTlsa = (
  chain: ReadonlyArray<X509Certificate>,
  records: ReadonlyArray<TlsaRecord>,
  names: ReadonlyArray<string>,
  now: number
): boolean => {
  const [own, ...issuers] = chain
  if (own === undefined) return false
  // DANE-EE: neither the name nor the validity period is checked (RFC 7672, 3.1.1).
  if (records.some((record) => record.usage === 3 && matches(own, record))) return true
  if (!hasName(own, names)) return false
  const named = issuers.flatMap((issuer, index) =>
    records.some((record) => record.usage === 2 && matches(issuer, record))
      ? [{ issuer, below: chain.slice(0, index + 1) }]
      : []
  )
  return (
    named.some(({ below, issuer }) => leadsTo(below, issuer, now)) ||
    anchorsIn(records).some((anchor) =>
      chain.some((_, last) => leadsTo(chain.slice(0, last + 1), anchor, now))
    )
  )
}

const resultOfCode = (code: string): TlsResult => {
  if (code === "CERT_HAS_EXPIRED") return "certificate-expired"
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" ? "certificate-host-mismatch" : "certificate-not-trusted"
}

/** The result of a handshake; `success` if the certificate satisfies the terms. */
export const checkCertificate = (socket: TLSSocket, terms: CertificateTerms, now: number): TlsResult => {
  if (terms._tag === "Issued") {
    if (socket.authorized) return "success"
    const error: unknown = socket.authorizationError
    return resultOfCode(
      typeof error === "string" ? error : error instanceof Error && "code" in error ? String(error.code) : ""
    )
  }
  try {
    return fulfilsTlsa(chainOf(socket), terms.records, terms.names, now) ? "success" : "validation-failure"
  } catch {
    return "validation-failure"
  }
}
