/**
 * Domains an account sends from, the records they need, and the keys their mail is signed with.
 *
 * @module
 */

/** How far a domain is verified. */
export type DomainStatus = "Pending" | "Verified" | "Failing"

/** What a record is for. */
export type RecordPurpose = "DKIM" | "ReturnPath" | "SPF" | "DMARC"

/** A DNS record the customer publishes. */
export interface DomainRecord {
  readonly type: "TXT" | "MX" | "CNAME"
  /** The full name, without a dot at its end. */
  readonly name: string
  readonly value: string
  readonly purpose: RecordPurpose
  /** Whether the last look-up found it. */
  readonly found: boolean
}

/** The algorithms of DKIM keys (RFC 6376, RFC 8463). */
export type DkimAlgorithm = "rsa" | "ed25519"

/**
 * A DKIM key of a domain. `Next` is published and not signed with until its record is found; `Retired` signs no more,
 * its record stays until mail signed with it has arrived.
 */
export interface DkimKey {
  /** Unique among the domain's keys. */
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** The `p=` of the record, base64. */
  readonly publicKey: string
  /** The private key (PKCS 8 PEM), sealed by SecretBox: readable with the installation's secret key only. */
  readonly sealedKey: string
  readonly state: "Next" | "Active" | "Retired"
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When it was retired; epoch milliseconds. */
  readonly retiredAt: number | null
}

/** What a message is signed with. */
export interface SigningKey extends Pick<DkimKey, "selector" | "algorithm" | "sealedKey"> {
  readonly domain: string
}

/** A domain an account sends from. */
export interface SendingDomain {
  readonly id: string
  readonly accountId: string
  /** Lower case, IDNA ASCII. */
  readonly domain: string
  readonly status: DomainStatus
  readonly records: ReadonlyArray<DomainRecord>
  /** Empty in a sandbox, whose mail reaches nobody and is not signed. */
  readonly keys: ReadonlyArray<DkimKey>
  /** How many scheduled checks in a row failed: of a Verified domain one a day. Its Failing begins with the third. */
  readonly failedChecks: number
  /** Epoch milliseconds; null before the first. */
  readonly checkedAt: number | null
  /** Epoch milliseconds. */
  readonly verifiedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A domain as it is added: verified from then on, or Pending. */
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

/** The subdomain that reports come back to: the envelope's sender is of it. */
export const returnPathDomain = (domain: string): string => `bounces.${domain}`

/** What a DKIM key is sealed for (SecretBox): no key opens in the place of another. */
export const dkimPurpose = ({ domain, selector }: Pick<SigningKey, "domain" | "selector">): string =>
  `dkim ${selector}._domainkey.${domain}`

/** The keys mail of a domain is signed with now. */
export const signingKeys = ({ domain, keys }: SendingDomain): ReadonlyArray<SigningKey> =>
  keys
    .filter((key) => key.state === "Active")
    .map(({ algorithm, sealedKey, selector }) => ({ domain, selector, algorithm, sealedKey }))
