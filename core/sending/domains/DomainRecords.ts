/**
 * Computes the DNS records of a sending domain, and checks whether the DNS has them. A record that a receiving server would
 * not accept counts as missing, however similar it is: a record shown as found must work.
 *
 * @module
 */
import type { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { MxRecord } from "../../ports/Dns.ts"
import { type DkimAlgorithm, type DkimKey, type DomainRecord, returnPathDomain } from "../../model/Domain.ts"
import { destinationsOf } from "./TlsDestinations.ts"

/** The maximum number of characters of a DNS name in text form. */
const maxName = 253
/** The maximum length of a selector: up to four digits for a generation of keys, and the rest, make 19 characters. */
const maxSelector = 19
/** The local part of a return path and the `@` take up to 65 of the 254 characters of an address. */
const maxLocalAndAt = 65
const maxAddress = 254
/** How many values of a name are stored, and how many characters of each. */
const maxKept = 10
const maxKeptText = 1_000
/** How many characters of the domain's id a selector contains: 40 random bits. */
const tagLength = 10

const dkimName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

/** Whether all names and addresses of a domain are within the limits of the DNS and of SMTP. */
export const isShortEnough = (domain: string): boolean =>
  dkimName("s".repeat(maxSelector), domain).length <= maxName &&
  maxLocalAndAt + returnPathDomain(domain).length <= maxAddress

/**
 * The selector of a domain's key. It contains the random end of the domain's id, since two accounts may add the same domain,
 * each with its own keys. Neither account's records then replace the other's, and verification for one does not affect the
 * other. Keys of one generation are published together.
 */
export const selectorOf = (domainId: string, generation: number, algorithm: DkimAlgorithm): string =>
  `svc${generation}${algorithm === "rsa" ? "r" : "e"}-${domainId.slice(-tagLength).toLowerCase()}`

/** The generation of a domain's next keys, from 1. */
export const nextGeneration = (keys: ReadonlyArray<Pick<DkimKey, "selector">>): number =>
  1 + Math.max(0, ...keys.map(({ selector }) => Number.parseInt(/^svc(\d+)/.exec(selector)?.[1] ?? "0", 10)))

/** The service as a receiver of mail: the mail exchanger of return paths, and whether it receives reports. */
export interface ReportReceiver extends Pick<PublicEndpoint["Service"], "mailHost" | "takesReports"> {
  /** Whether mail is sent from addresses other than the mail host's. */
  readonly hasSources?: boolean
}

/** The name of the SPF record that lists all sources. */
export const spfNameOf = (mailHost: string): string => `_spf.${mailHost}`

/** The SPF record of return paths. */
export const spfAdvice = ({ hasSources = false, mailHost }: ReportReceiver): string =>
  ["v=spf1", `a:${mailHost}`, ...(hasSources ? [`include:${spfNameOf(mailHost)}`] : []), "~all"].join(" ")

/** The recommended DMARC record. If the service receives reports, the record asks for reports to be sent to it (RFC 9990). */
export const dmarcAdvice = ({ mailHost, takesReports }: ReportReceiver): string =>
  takesReports ? `v=DMARC1; p=none; rua=mailto:dmarc@${mailHost}` : "v=DMARC1; p=none"

/**
 * The records of a domain, none of them marked as found: DKIM for each key, MX and SPF of the return path, and two
 * recommendations: DMARC and, if the service receives reports, the record for reports on TLS connections to the return path
 * (RFC 8460, 3). The publisher splits a long value into strings of at most 255 characters.
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

/** Whether a DMARC record asks for reports to the mail host. */
export const asksForReports = (text: string, mailHost: string): boolean =>
  (tagsOf(text)?.get("rua") ?? "")
    .split(",")
    .some((uri) => uri.trim().split("!", 1)[0]!.toLowerCase() === `mailto:dmarc@${mailHost}`)

/** Whether a record is the record of a key. */
export const isRecordOf = (record: DomainRecord, key: DkimKey, domain: string): boolean =>
  record.purpose === "DKIM" && record.name === dkimName(key.selector, domain)

/** Whether the TXT values at a record's name match the record. The strings of each value are joined. */
export const textsMatch = (record: DomainRecord, texts: ReadonlyArray<string>): boolean => {
  switch (record.purpose) {
    case "DKIM":
      return dkimMatches(record.value, texts)
    case "SPF":
      return spfMatches(record.value, texts)
    case "DMARC":
      // RFC 7489, 6.6.3: if there are several records, receivers ignore all of them.
      return texts.filter((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text)).length === 1
    case "TLS":
      return destinationsOf(texts).some((uri) =>
        record.value.toLowerCase().endsWith(`rua=${uri.toLowerCase()}`)
      )
    case "ReturnPath":
      return false
  }
}

/** Whether the most preferred mail exchangers at a record's name include the required one, since reports go to those first. */
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

/** The values of a name in the form in which they are stored to be shown: printable, and only a few. */
export const keptValues = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.slice(0, maxKept).map((value) =>
    value
      .slice(0, maxKeptText)
      .replaceAll(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?")
      .toWellFormed()
  )

/**
 * Parses a tag list (RFC 6376, 3.2). Null if it is invalid: a tag without a name or value, or a name that occurs twice. Names
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

/** Whether a key record (RFC 6376, 3.6.1) has the required key, is valid for email and for SHA-256, with any other tags. */
const isKey = (wanted: ReadonlyMap<string, string>, tags: ReadonlyMap<string, string>): boolean =>
  (!tags.has("v") || ([...tags.keys()][0] === "v" && tags.get("v") === "DKIM1")) &&
  (tags.get("k") ?? "rsa") === wanted.get("k") &&
  tags.get("p")?.replace(/\s/g, "") === wanted.get("p") &&
  lists(tags.get("h"), "sha256") &&
  lists(tags.get("s"), "*", "email")

/** If a name has two keys, verifiers may use either (RFC 6376, 3.6.2.2), so each must be the required one. */
const dkimMatches = (value: string, texts: ReadonlyArray<string>): boolean => {
  const wanted = tagsOf(value)
  const keys = texts.flatMap((text) => {
    const tags = tagsOf(text)
    return tags?.has("p") === true ? [tags] : []
  })
  return wanted !== null && keys.length > 0 && keys.every((tags) => isKey(wanted, tags))
}

/**
 * Whether the only SPF record (two are an error: RFC 7208, 4.5) permits the required host before any `all`, by name or as the
 * return path's mail exchanger. Includes and redirects are not followed.
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
