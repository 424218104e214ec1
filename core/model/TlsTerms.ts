/**
 * The encryption that is required before mail is sent to a mail server, and the results of connections to it.
 *
 * @module
 */

/** The encryption that a lane requires: use it if offered, always use it, or use it with a valid certificate. */
export type TlsLevel = "offered" | "required" | "verified"

/** A TLSA record that SMTP can use (RFC 7672, 3.1): usage 2 is DANE-TA, 3 is DANE-EE. */
export interface TlsaRecord {
  readonly usage: 2 | 3
  /** 0 for the whole certificate, 1 for its public key. */
  readonly selector: 0 | 1
  /** 0 for the content itself, 1 for SHA-256, 2 for SHA-512. */
  readonly matching: 0 | 1 | 2
  /** Lower case hexadecimal digits. */
  readonly data: string
}

/** The certificate that a server must have. */
export type CertificateTerms =
  /** A certificate issued by a known authority and valid for the server's name. */
  | { readonly _tag: "Issued" }
  /** A certificate that the TLSA records name; with DANE-TA, it must also be valid for one of the names. */
  | {
      readonly _tag: "Dane"
      readonly records: ReadonlyArray<TlsaRecord>
      readonly names: ReadonlyArray<string>
    }

/** The type of policy that applies to a connection, as RFC 8460 names it. */
export type TlsPolicyType = "tlsa" | "sts" | "no-policy-found"

/** Why no mail was sent over a connection because of the policy. */
export type TlsError =
  | "dane_no_tls"
  | "dane_mismatch"
  | "dane_unavailable"
  | "sts_mx_mismatch"
  | "sts_no_tls"
  | "sts_certificate"
  | "tls_required"
  | "tls_certificate"

/** The requirements for connections to a host on behalf of a domain. */
export interface HostTerms {
  readonly policy: TlsPolicyType
  /** Why no mail may be sent to the host; null if it may. */
  readonly refusal: TlsError | null
  /** Whether mail is sent only over encrypted connections. */
  readonly isRequired: boolean
  /** The required certificate; null for any. */
  readonly certificate: CertificateTerms | null
  /** Whether a certificate that does not meet the terms is only reported. */
  readonly isTesting: boolean
  /** The errors to report for a host without encryption, and for one with a wrong certificate. */
  readonly errors: { readonly noTls: TlsError; readonly certificate: TlsError }
}

/** The results of a connection, with the names of failures in RFC 8460, 4.3. */
export const tlsResults = [
  "success",
  "starttls-not-supported",
  "certificate-host-mismatch",
  "certificate-expired",
  "certificate-not-trusted",
  "validation-failure",
  "tlsa-invalid",
  "dnssec-invalid",
  "sts-policy-fetch-error",
  "sts-policy-invalid",
  "sts-webpki-invalid"
] as const

/** The result of a connection. */
export type TlsResult = (typeof tlsResults)[number]

/** A connection, or the decision not to make one. */
export interface TlsSession {
  /** The recipients' domain. */
  readonly domain: string
  /** The name of the server; empty if none was reached. */
  readonly host: string
  /** The address from which the connection was made; empty if there was none. */
  readonly source: string
  readonly policy: TlsPolicyType
  readonly result: TlsResult
}
