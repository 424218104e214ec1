/**
 * Sending domains, the DNS records they need, and the keys that sign their email.
 *
 * @module
 */

/** Every status of a domain. */
export const domainStatuses = ["Pending", "Verified", "Failing"] as const

/** The verification status of a domain. */
export type DomainStatus = (typeof domainStatuses)[number]

/** The purpose of a DNS record. */
export type RecordPurpose = "DKIM" | "ReturnPath" | "SPF" | "DMARC" | "TLS"

/** A DNS record for the customer to publish. */
export interface DomainRecord {
  readonly type: "TXT" | "MX" | "CNAME"
  /** The full name, without a trailing dot. */
  readonly name: string
  readonly value: string
  readonly purpose: RecordPurpose
  /** Whether the last look-up found it. */
  readonly found: boolean
  /** The values that the last look-up found at the name; absent before the first. */
  readonly seen?: ReadonlyArray<string>
}

/** The algorithms of DKIM keys (RFC 6376, RFC 8463). */
export type DkimAlgorithm = "rsa" | "ed25519"

/**
 * A DKIM key of a domain. A `Next` key does not sign until its published record is found. A `Retired` key no longer signs; its
 * record stays until email signed with it has arrived.
 */
export interface DkimKey {
  /** Unique among the domain's keys. */
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** The `p=` tag of the record, base64. */
  readonly publicKey: string
  /** The private key (PKCS 8 PEM), sealed by SecretBox. */
  readonly sealedKey: string
  readonly state: "Next" | "Active" | "Retired"
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When it was retired, epoch milliseconds; null before. */
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
  /** The keys. A sandbox, which needs no DNS, may have none yet (`SandboxKeys`). */
  readonly keys: ReadonlyArray<DkimKey>
  /** The number of consecutive failed checks; a Verified domain is checked once a day. The third failure makes it Failing. */
  readonly failedChecks: number
  /** Epoch milliseconds; null before the first. */
  readonly checkedAt: number | null
  /** Epoch milliseconds. */
  readonly verifiedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A new domain, either Verified at once or Pending. */
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

/** The subdomain of the envelope sender, to which delivery reports are sent. */
export const returnPathDomain = (domain: string): string => `bounces.${domain}`

/** The purpose with which SecretBox seals a DKIM key, so that no key can be replaced by another. */
export const dkimPurpose = ({ domain, selector }: Pick<SigningKey, "domain" | "selector">): string =>
  `dkim ${selector}._domainkey.${domain}`

/** The keys that may have signed email of a domain, including keys that no longer sign. */
export const verifyingKeys = ({ domain, keys }: SendingDomain): ReadonlyArray<VerifyingKey> =>
  keys.map(({ algorithm, publicKey, selector }) => ({ domain, selector, algorithm, publicKey }))

/** The keys that now sign email of a domain; with `selectors`, those keys that signed an earlier email and still exist. */
export const signingKeys = (
  { domain, keys }: SendingDomain,
  selectors?: ReadonlyArray<string>
): ReadonlyArray<SigningKey> =>
  keys
    .filter(({ selector, state }) => selectors?.includes(selector) ?? state === "Active")
    .map(({ algorithm, sealedKey, selector }) => ({ domain, selector, algorithm, sealedKey }))
