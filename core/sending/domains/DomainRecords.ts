/**
 * Computes the DNS records of a sending domain, and checks whether the DNS has them. A record that a receiving server would
 * not accept counts as missing, however similar: a record shown as found must work.
 *
 * @module
 */
import type { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { MxRecord } from "../../ports/Dns.ts"
import { type DkimAlgorithm, type DkimKey, type DomainRecord, returnPathDomain } from "../../model/Domain.ts"
import { destinationsOf } from "./TlsDestinations.ts"

/** The most characters of a DNS name in text. */
const maxName = 253
/** A generation of keys has up to four digits; with the rest of a selector that makes 19 characters. */
const maxSelector = 19
/** The local part of a return path takes up to 64 of the 254 characters of an address, and the `@` one. */
const maxLocalAndAt = 65
const maxAddress = 254
/** How many of the values that a name has are kept, and how many characters of each. */
const maxKept = 10
const maxKeptText = 1_000
/** How many characters of the domain's id its selectors contain: 40 random bits. */
const tagLength = 10

const dkimName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

/** Whether all names and addresses of a domain are within the limits of the DNS and of SMTP. */
export const isShortEnough = (domain: string): boolean =>
  dkimName("s".repeat(maxSelector), domain).length <= maxName &&
  maxLocalAndAt + returnPathDomain(domain).length <= maxAddress

/**
 * The selector of a domain's key. It contains the random end of the domain's id, since two accounts may add the same
 * domain, each with its own keys: neither's records replace the other's, and verification for one has no effect on the
 * other. Keys of one generation are published together.
 */
export const selectorOf = (domainId: string, generation: number, algorithm: DkimAlgorithm): string =>
  `svc${generation}${algorithm === "rsa" ? "r" : "e"}-${domainId.slice(-tagLength).toLowerCase()}`

/** The generation of a domain's next keys, from 1. */
export const nextGeneration = (keys: ReadonlyArray<Pick<DkimKey, "selector">>): number =>
  1 + Math.max(0, ...keys.map(({ selector }) => Number.parseInt(/^svc(\d+)/.exec(selector)?.[1] ?? "0", 10)))

/** The service as a receiver of mail: the exchanger of return paths, and whether it takes reports. */
export interface ReportReceiver extends Pick<PublicEndpoint["Service"], "mailHost" | "takesReports"> {
  /** Whether mail leaves from addresses other than the mail host's. */
  readonly hasSources?: boolean
}

/** The name of the SPF record that lists all sources. */
export const spfNameOf = (mailHost: string): string => `_spf.${mailHost}`

/** The SPF record of return paths. */
export const spfAdvice = ({ hasSources = false, mailHost }: ReportReceiver): string =>
  ["v=spf1", `a:${mailHost}`, ...(hasSources ? [`include:${spfNameOf(mailHost)}`] : []), "~all"].join(" ")

/** The DMARC record that is recommended: where the service takes reports, receivers send it theirs (RFC 9990). */
export const dmarcAdvice = ({ mailHost, takesReports }: ReportReceiver): string =>
  takesReports ? `v=DMARC1; p=none; rua=mailto:dmarc@${mailHost}` : "v=DMARC1; p=none"

/**
 * The records of a domain, none of them found: DKIM for each key, MX and SPF of the return path, and two recommendations:
 * DMARC and, where the service takes reports, those of TLS connections to the return path (RFC 8460, 3). The publisher
 * splits a long value into strings of at most 255 characters.
 */
export const recordsOf = (
  domain: string,
  keys: ReadonlyArray<DkimKey>,
  receiver: ReportReceiver
): ReadonlyArray<DomainRecord> => [
  ...keys.map(({ algorithm, publicKey, selector }): DomainRecord => ({
    type: "TXT",
    name: dkimName(selector, domain),
    value: `v=DKIM1; k=${algorithm}; p=${publicKey}`,
    purpose: "DKIM",
    found: false
  })),
  {
    type: "MX",
    name: returnPathDomain(domain),
    value: `10 ${receiver.mailHost}`,
    purpose: "ReturnPath",
    found: false
  },
  {
    type: "TXT",
    name: returnPathDomain(domain),
    value: spfAdvice(receiver),
    purpose: "SPF",
    found: false
  },
  { type: "TXT", name: `_dmarc.${domain}`, value: dmarcAdvice(receiver), purpose: "DMARC", found: false },
  ...(receiver.takesReports
    ? [
        {
          type: "TXT",
          name: `_smtp._tls.${returnPathDomain(domain)}`,
          value: `v=TLSRPTv1; rua=mailto:tls-reports@${receiver.mailHost}`,
          purpose: "TLS",
          found: false
        } as const
      ]
    : [])
]

/** Whether a DMARC record has reports sent to the mail host. */
export const asksForReports = (text: string, mailHost: string): boolean =>
  (tagsOf(text)?.get("rua") ?? "")
    .split(",")
    .some((uri) => uri.trim().split("!", 1)[0]!.toLowerCase() === `mailto:dmarc@${mailHost}`)

/** Whether a record is that of a key. */
export const isRecordOf = (record: DomainRecord, key: DkimKey, domain: string): boolean =>
  record.purpose === "DKIM" && record.name === dkimName(key.selector, domain)

/** Whether the TXT values at a record's name, the strings of each joined, match the record. */
export const textsMatch = (record: DomainRecord, texts: ReadonlyArray<string>): boolean => {
  switch (record.purpose) {
    case "DKIM":
      return dkimMatches(record.value, texts)
    case "SPF":
      return spfMatches(record.value, texts)
    case "DMARC":
      // RFC 7489, 6.6.3: receivers ignore all of several.
      return texts.filter((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text)).length === 1
    case "TLS":
      return destinationsOf(texts).some((uri) =>
        record.value.toLowerCase().endsWith(`rua=${uri.toLowerCase()}`)
      )
    case "ReturnPath":
      return false
  }
}

/** Whether the most preferred mail exchangers at a record's name include the wanted one: reports go to those first. */
export const exchangersMatch = (record: DomainRecord, found: ReadonlyArray<MxRecord>): boolean => {
  const wanted = record.value.slice(record.value.indexOf(" ") + 1).toLowerCase()
  const preferred = Math.min(...found.map(({ preference }) => preference))
  return found.some(
    ({ exchange, preference }) =>
      preference === preferred && exchange.toLowerCase().replace(/\.$/, "") === wanted
  )
}

/** A mail exchanger as the value of a record. */
export const exchangerValue = ({ exchange, preference }: MxRecord): string =>
  `${preference} ${exchange === "" ? "." : exchange}`

/** The values that a name has, as they are kept to be shown: printable, and no more than a few. */
export const keptValues = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.slice(0, maxKept).map((value) =>
    value
      .slice(0, maxKeptText)
      .replaceAll(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?")
      .toWellFormed()
  )

/**
 * Parses a tag list (RFC 6376, 3.2); null when it is invalid: a tag without a name or value, or a name given twice. Names
 * are case-sensitive.
 */
export const tagsOf = (text: string): ReadonlyMap<string, string> | null => {
  const specs = text.split(";")
  if (specs.at(-1)?.trim() === "") specs.pop()
  const tags = new Map<string, string>()
  for (const spec of specs) {
    const equals = spec.indexOf("=")
    const name = spec.slice(0, Math.max(0, equals)).trim()
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || tags.has(name)) return null
    tags.set(name, spec.slice(equals + 1).trim())
  }
  return tags
}

const lists = (tag: string | undefined, ...wanted: ReadonlyArray<string>): boolean =>
  tag === undefined || tag.split(":").some((item) => wanted.includes(item.trim()))

/** Whether a key record (RFC 6376, 3.6.1) is the wanted key: for email, for SHA-256, with any other tags. */
const isKey = (wanted: ReadonlyMap<string, string>, tags: ReadonlyMap<string, string>): boolean =>
  (!tags.has("v") || ([...tags.keys()][0] === "v" && tags.get("v") === "DKIM1")) &&
  (tags.get("k") ?? "rsa") === wanted.get("k") &&
  tags.get("p")?.replace(/\s/g, "") === wanted.get("p") &&
  lists(tags.get("h"), "sha256") &&
  lists(tags.get("s"), "*", "email")

/** With two keys at one name, verifiers may use either (RFC 6376, 3.6.2.2): every one must be the wanted one. */
const dkimMatches = (value: string, texts: ReadonlyArray<string>): boolean => {
  const wanted = tagsOf(value)
  const keys = texts.flatMap((text) => {
    const tags = tagsOf(text)
    return tags?.has("p") === true ? [tags] : []
  })
  return wanted !== null && keys.length > 0 && keys.every((tags) => isKey(wanted, tags))
}

/**
 * Whether the one SPF record (two are an error: RFC 7208, 4.5) lets the wanted host pass, by name or as the return path's
 * mail exchanger, before an `all`. Includes and redirects are not followed.
 */
const spfMatches = (value: string, texts: ReadonlyArray<string>): boolean => {
  const policies = texts.filter((text) => /^v=spf1( |$)/i.test(text))
  if (policies.length !== 1) return false
  const terms = policies[0]!.toLowerCase().split(/ +/)
  const end = terms.findIndex((term) => /^[-+~?]?all$/.test(term))
  const wanted = value.toLowerCase().split(" ")[1]!
  return terms
    .slice(0, end === -1 ? terms.length : end)
    .some((term) => [wanted, "mx"].includes(term.replace(/^\+/, "")))
}
