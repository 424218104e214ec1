/**
 * Decides the terms of connections to a host from the policies of its domain: DANE, otherwise MTA-STS, otherwise the TLS level
 * of the lane (RFC 7672; RFC 8461, 2 and 5).
 *
 * @module
 */
import type { StsRules } from "../../model/StsPolicy.ts"
import type { HostTerms, TlsaRecord, TlsLevel } from "../../model/TlsTerms.ts"
import { termsOfLevel } from "../../kernel/TransportSecurity.ts"
import type { PublishedTlsa } from "../../ports/SecureDns.ts"
import { namesServer } from "./StsRules.ts"

/** The maximum number of records of a host that are compared with a certificate. */
const maxRecords = 20
/** The number of hexadecimal digits of each digest, by matching type. */
const digits = { 1: 64, 2: 128 } as const
const maxContent = 16_384

/** Whether hexadecimal digits are a single DER sequence, as certificates and keys are. */
const isSequence = (data: string): boolean => {
  const first = Number.parseInt(data.slice(2, 4), 16)
  const bytes = Math.max(0, first - 0x80)
  const length = bytes === 0 ? first : Number.parseInt(data.slice(4, 4 + 2 * bytes), 16)
  return data.startsWith("30") && data.length === 2 * (2 + bytes + length)
}

/**
 * The records that SMTP can use. Records with usages 0 and 1 are excluded (RFC 7672, 3.1.3), and so are records with malformed
 * data (RFC 7671, 5).
 */
export const usableRecords = (published: ReadonlyArray<PublishedTlsa>): ReadonlyArray<TlsaRecord> =>
  published
    .filter(
      ({ data, matching, selector, usage }) =>
        (usage === 2 || usage === 3) &&
        (selector === 0 || selector === 1) &&
        (matching === 0
          ? data.length <= maxContent && isSequence(data)
          : (matching === 1 || matching === 2) && data.length === digits[matching])
    )
    .slice(0, maxRecords) as ReadonlyArray<TlsaRecord>

/**
 * The terms of a host with TLSA records, of which possibly none is usable. `names` are the names that its certificate may
 * have.
 */
export const daneTerms = (
  published: ReadonlyArray<PublishedTlsa>,
  names: ReadonlyArray<string>
): HostTerms => {
  const records = usableRecords(published)
  return {
    policy: "tlsa",
    refusal: null,
    isRequired: true,
    certificate: records.length === 0 ? null : { _tag: "Dane", records, names },
    isTesting: false,
    errors: { noTls: "dane_no_tls", certificate: "dane_mismatch" }
  }
}

/** The terms of a host whose TLSA records cannot be determined, which may be due to an attack. */
export const withoutAnswer: HostTerms = { ...daneTerms([], []), refusal: "dane_unavailable" }

/** The terms of a host whose domain has an MTA-STS policy. */
export const stsTerms = (rules: StsRules, host: string, level: TlsLevel): HostTerms => {
  if (rules.mode === "none") return termsOfLevel(level)
  const isTesting = rules.mode === "testing"
  const isNamed = namesServer(rules, host)
  return {
    policy: "sts",
    refusal: isNamed || isTesting ? null : "sts_mx_mismatch",
    isRequired: !isTesting || level !== "offered",
    certificate: { _tag: "Issued" },
    isTesting: isTesting && level !== "verified",
    errors: isTesting
      ? { noTls: "tls_required", certificate: "tls_certificate" }
      : { noTls: "sts_no_tls", certificate: "sts_certificate" }
  }
}
