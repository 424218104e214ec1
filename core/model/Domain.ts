/**
 * Sending domains, the DNS records they need, and the keys that sign their email.
 *
 * @module
 */

/** Every status of a domain. */
export const domainStatuses = ["Pending", "Verified", "Failing"] as const

/** How far a domain is verified. */
export type DomainStatus = (typeof domainStatuses)[number]

/** What a record is for. */
export type RecordPurpose = "DKIM" | "ReturnPath" | "SPF" | "DMARC" | "TLS"

/** A DNS record for the customer to publish. */
export interface DomainRecord {
  readonly type: "TXT" | "MX" | "CNAME"
  /** The full name, without a dot at its end. */
  readonly name: string
  readonly value: string
  readonly purpose: RecordPurpose
  /** Whether the last look-up found it. */
  readonly found: boolean
  /** The values that the last look-up found at the name; left out before the first. */
  readonly seen?: ReadonlyArray<string>
}

/** The algorithms of DKIM keys (RFC 6376, RFC 8463). */
export type DkimAlgorithm = "rsa" | "ed25519"

/**
 * A DKIM key of a domain. `Next` does not sign until its published record is found; `Retired` no longer signs,
 * and its record stays until email signed with it has arrived.
 */
export interface DkimKey {
  /** Unique among the domain's keys. */
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** The `p=` of the record, base64. */
  readonly publicKey: string
  /** The private key (PKCS 8 PEM), sealed by SecretBox. */
  readonly sealedKey: string
  readonly state: "Next" | "Active" | "Retired"
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When it was retired; epoch milliseconds. */
  readonly retiredAt: number | null
}

/** A key that signs a message. */
export interface SigningKey extends Pick<DkimKey, "selector" | "algorithm" | "sealedKey"> {
  readonly domain: string
}

/** A key that verifies the signatures of a message. */
export interface VerifyingKey extends Pick<DkimKey, "selector" | "algorithm" | "publicKey"> {
  readonly domain: string
}

/** A sending domain of an account. */
export interface SendingDomain {
  readonly id: string
  readonly accountId: string
  /** Lower case, IDNA ASCII. */
  readonly domain: string
  readonly status: DomainStatus
  readonly records: ReadonlyArray<DomainRecord>
  /** A sandbox, which needs no DNS, may have none yet (`SandboxKeys`). */
  readonly keys: ReadonlyArray<DkimKey>
  /** How many scheduled checks in a row failed, one a day for a Verified domain. The third makes it Failing. */
  readonly failedChecks: number
  /** Epoch milliseconds; null before the first. */
  readonly checkedAt: number | null
  /** Epoch milliseconds. */
  readonly verifiedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A new domain: Verified at once, or Pending. */
export const newDomain = (
  added: Pick<SendingDomain, "id" | "accountId" | "domain" | "createdAt">,
  isVerified: boolean
): SendingDomain => ({
  ...added,
  status: isVerified ? "Verified" : "Pending",
  records: [],
  keys: [],
  failedChecks: 0,
  checkedAt: null,
  verifiedAt: isVerified ? added.createdAt : null
})

/** The subdomain of the envelope's sender, to which reports return. */
export const returnPathDomain = (domain: string): string => `bounces.${domain}`

/** The purpose with which SecretBox seals a DKIM key, so that no key can replace another. */
export const dkimPurpose = ({ domain, selector }: Pick<SigningKey, "domain" | "selector">): string =>
  `dkim ${selector}._domainkey.${domain}`

/** The keys whose signatures a domain's email may have, those included that sign no longer. */
export const verifyingKeys = ({ domain, keys }: SendingDomain): ReadonlyArray<VerifyingKey> =>
  keys.map(({ algorithm, publicKey, selector }) => ({ domain, selector, algorithm, publicKey }))

/** The keys that sign email of a domain now; with `selectors` those that signed an earlier email and still exist. */
export const signingKeys = (
  { domain, keys }: SendingDomain,
  selectors?: ReadonlyArray<string>
): ReadonlyArray<SigningKey> =>
  keys
    .filter(({ selector, state }) => selectors?.includes(selector) ?? state === "Active")
    .map(({ algorithm, sealedKey, selector }) => ({ domain, selector, algorithm, sealedKey }))
