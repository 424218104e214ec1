/**
 * The encryption that a mail server must have before mail is sent to it, and what its connections showed.
 *
 * @module
 */

/** What a lane asks of encryption: to be used where it is offered, to be used, to be used with a valid certificate. */
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

/** Which certificate a server must have. */
export type CertificateTerms =
  /** One that a known authority issued, valid for the server's name. */
  | { readonly _tag: "Issued" }
  /** One that the records name; with DANE-TA valid for one of the names. */
  | {
      readonly _tag: "Dane"
      readonly records: ReadonlyArray<TlsaRecord>
      readonly names: ReadonlyArray<string>
    }

/** The policy that a connection falls under, as RFC 8460 names it. */
export type TlsPolicyType = "tlsa" | "sts" | "no-policy-found"

/** Why a server got no mail over a connection that its policy asks for. */
export type TlsError =
  | "dane_no_tls"
  | "dane_mismatch"
  | "dane_unavailable"
  | "sts_mx_mismatch"
  | "sts_no_tls"
  | "sts_certificate"
  | "tls_required"
  | "tls_certificate"

/** What holds for connections to a host on behalf of a domain. */
export interface HostTerms {
  readonly policy: TlsPolicyType
  /** Why no mail may go to the host; null where it may. */
  readonly refusal: TlsError | null
  /** Whether mail goes over encrypted connections alone. */
  readonly isRequired: boolean
  /** Null for any certificate. */
  readonly certificate: CertificateTerms | null
  /** Whether a certificate that does not fulfil the terms is reported only. */
  readonly isTesting: boolean
  /** The errors of a host without encryption, and with another certificate. */
  readonly errors: { readonly noTls: TlsError; readonly certificate: TlsError }
}

/** The results of a connection, as RFC 8460, 4.3 names failures. */
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
  /** The name of its server; empty where none was reached. */
  readonly host: string
  /** The address that the connection came from; empty where there was none. */
  readonly source: string
  readonly policy: TlsPolicyType
  readonly result: TlsResult
}
