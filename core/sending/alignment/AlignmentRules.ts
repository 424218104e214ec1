/**
 * Decides whether email from a sending domain is authenticated as large providers require: pure functions over the contents of
 * the DNS. The requirements are those of the Google email sender guidelines, the Yahoo Sender Hub and Microsoft (550 5.7.515)
 * for senders of 5,000 messages a day.
 *
 * @module
 */
import {
  type AlignmentCheck,
  type AlignmentCheckName,
  alignmentChecks,
  type AlignmentOutcome
} from "../../model/Alignment.ts"
import type { MailRelay, RelayKind } from "../../model/MailRelay.ts"
import { returnPathDomain } from "../../model/Domain.ts"
import type { MxRecord } from "../../ports/Dns.ts"
import type { Finding } from "../domains/DomainRules.ts"
import { asksForReports, dmarcAdvice, spfAdvice, tagsOf } from "../domains/DomainRecords.ts"

/** The result of a lookup; `Unknown` if no server replied. */
export type LookedUp<A> = ReadonlyArray<A> | "Unknown"

/** An address from which mail is sent, with its reverse names, and whether one of them resolves back to it. */
export interface SourceFacts {
  readonly address: string
  /** The name under which it sends mail. */
  readonly sendsAs: string
  readonly names: LookedUp<string>
  readonly isConfirmed: boolean
}

/** The facts on which the checks of a domain are decided. */
export interface AlignmentFacts {
  readonly domain: string
  readonly mailHost: string
  /** Whether the service receives the reports of mail servers. */
  readonly takesReports: boolean
  readonly organizationalDomain: (name: string) => string
  /** The keys that sign the domain's email. */
  readonly keys: ReadonlyArray<{ readonly selector: string; readonly finding: Finding }>
  /** The SPF records of the return path. */
  readonly spf: LookedUp<string>
  /** The sources that the record does not permit. */
  readonly unlisted: LookedUp<string>
  /** The IPv6 sources that the record does not permit, and that therefore send nothing of the domain. */
  readonly unused: ReadonlyArray<string>
  /** The DMARC records of the domain or, if it has none, of its organizational domain. */
  readonly dmarc: LookedUp<string>
  readonly exchangers: LookedUp<MxRecord>
  /** Whether the domain has an address record, which replaces a missing MX record (RFC 5321, 5.1). */
  readonly hasAddress: boolean
  /** Null if they were not looked up. */
  readonly sources: LookedUp<SourceFacts> | null
  /** Whether mail is sent from addresses other than the mail host's, which an SPF record of their own lists. */
  readonly hasSources: boolean
  /** Whether mail is sent through a relay, from addresses of its operator. */
  readonly isRelayed: boolean
  /** Whether mail programs follow the links of unsubscribe headers. */
  readonly hasSecureLinks: boolean
}

const unanswered = "No name server replied: check again later."

const checkOf = (
  check: AlignmentCheckName,
  outcome: AlignmentOutcome,
  seen: string | null,
  expected: string,
  fix: string
): AlignmentCheck => ({ check, outcome, seen, expected, fix: outcome === "Pass" ? null : fix })

const dkim = ({ domain, keys }: AlignmentFacts): AlignmentCheck => {
  const found = keys.filter(({ finding }) => finding === "Found")
  const isUnknown = keys.some(({ finding }) => finding === "Unknown")
  return checkOf(
    "Dkim",
    found.length > 0 && found.length === keys.length
      ? "Pass"
      : found.length > 0 || isUnknown
        ? "Warn"
        : "Fail",
    keys.map(({ finding, selector }) => `${selector}: ${finding}`).join(", "),
    `The key of every signature is published under _domainkey.${domain}.`,
    isUnknown ? unanswered : `Publish the DKIM records that the domain ${domain} shows.`
  )
}

const policyPattern = /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/

/** The DMARC records among the TXT values of a name. */
export const dmarcRecords = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => policyPattern.test(text))

/** The tags of the single valid DMARC record; null if there is none. */
const policyOf = (records: LookedUp<string>): ReadonlyMap<string, string> | null => {
  const [record, ...others] = records === "Unknown" ? [] : records
  return record === undefined || others.length > 0 ? null : tagsOf(record)
}

const spf = (facts: AlignmentFacts, hasDkim: boolean): AlignmentCheck => {
  const { dmarc, domain, hasSources, isRelayed, mailHost, organizationalDomain, unlisted, unused } = facts
  const path = returnPathDomain(domain)
  const expected = isRelayed
    ? `${path} has one SPF record, and is aligned with ${domain}.`
    : `${path} has one SPF record, which lists ${hasSources ? "every source" : mailHost}, and is aligned with ${domain}.`
  if (facts.spf === "Unknown") return checkOf("Spf", "Warn", null, expected, unanswered)
  const found = facts.spf.length === 0 ? `${path} has no SPF record.` : facts.spf.join(" / ")
  if (facts.spf.length === 1 && !isRelayed && unlisted === "Unknown") {
    return checkOf("Spf", "Warn", found, expected, unanswered)
  }
  const isListed = isRelayed || unlisted.length === 0
  const seen =
    facts.spf.length !== 1 || unlisted === "Unknown"
      ? found
      : !isListed
        ? `${found} (does not allow ${unlisted.join(", ")})`
        : unused.length > 0
          ? `${found} (does not allow ${unused.join(", ")}: no mail of ${domain} leaves from there)`
          : found
  if (facts.spf.length !== 1 || !isListed) {
    return checkOf(
      "Spf",
      isRelayed && hasDkim ? "Warn" : "Fail",
      seen,
      expected,
      facts.spf.length > 1
        ? `Keep one SPF record at ${path}: several are an error.`
        : isRelayed
          ? `Publish an SPF record at ${path} that includes the relay's.`
          : `Publish the SPF record that the domain ${domain} shows, at ${path}: ${spfAdvice(facts)}`
    )
  }
  const isStrict = policyOf(dmarc)?.get("aspf")?.toLowerCase() === "s"
  const isAligned = !isStrict && organizationalDomain(path) === organizationalDomain(domain)
  return checkOf(
    "Spf",
    isAligned ? "Pass" : hasDkim ? "Warn" : "Fail",
    isAligned ? seen : `${seen} (${path} is not aligned with ${domain})`,
    expected,
    isStrict
      ? `Take aspf=s out of the DMARC record: the return path is a subdomain.`
      : `Send from a domain under ${domain}: it is a public suffix, whose subdomains are of others.`
  )
}

const dmarcOf = (facts: AlignmentFacts): AlignmentCheck => {
  const { dmarc, domain, mailHost, takesReports } = facts
  const expected = `_dmarc.${domain}, or that of its organizational domain, has one DMARC record with at least p=none.`
  if (dmarc === "Unknown") return checkOf("Dmarc", "Warn", null, expected, unanswered)
  const policy = policyOf(dmarc)?.get("p")?.toLowerCase() ?? ""
  return checkOf(
    "Dmarc",
    ["none", "quarantine", "reject"].includes(policy) ? "Pass" : "Fail",
    dmarc.length === 0
      ? "There is no DMARC record."
      : takesReports && !dmarc.some((record) => asksForReports(record, mailHost))
        ? `${dmarc.join(" / ")} (asks for no reports at dmarc@${mailHost})`
        : dmarc.join(" / "),
    expected,
    dmarc.length > 1
      ? `Keep one DMARC record: receiving servers ignore all of several.`
      : `Publish a TXT record at _dmarc.${domain}: ${dmarcAdvice(facts)}`
  )
}

const unsubscribe = ({ hasSecureLinks }: AlignmentFacts): AlignmentCheck =>
  checkOf(
    "Unsubscribe",
    hasSecureLinks ? "Pass" : "Fail",
    hasSecureLinks
      ? "The service writes List-Unsubscribe, List-Unsubscribe-Post and List-Id."
      : "The links are not https.",
    "Marketing has List-Unsubscribe with an https link, List-Unsubscribe-Post (RFC 8058) and List-Id.",
    "Serve the installation over https, and set SVC_BASE_URL to that address."
  )

const mx = ({ domain, exchangers, hasAddress }: AlignmentFacts): AlignmentCheck => {
  const expected = `${domain} receives mail, so that people can reply.`
  if (exchangers === "Unknown") return checkOf("Mx", "Warn", null, expected, unanswered)
  const names = exchangers.map(({ exchange }) => (exchange === "" ? "." : exchange))
  const receives = names.length === 0 ? hasAddress : names.some((name) => name !== ".")
  return checkOf(
    "Mx",
    receives ? "Pass" : "Warn",
    names.length > 0 ? names.join(", ") : hasAddress ? "There is no MX, but an address." : "There is no MX.",
    expected,
    `Publish an MX record for ${domain}.`
  )
}

const ptr = (mailHost: string, sources: LookedUp<SourceFacts>): AlignmentCheck => {
  const expected = "Every address that mail leaves from leads to a name that leads back to it."
  if (sources === "Unknown") return checkOf("Ptr", "Warn", null, expected, unanswered)
  if (sources.length === 0) {
    const fix = `The operator publishes an A or AAAA record for ${mailHost}.`
    return checkOf("Ptr", "Fail", `${mailHost} has no address.`, expected, fix)
  }
  const wrong = sources.filter(({ isConfirmed }) => !isConfirmed)
  const isUnknown = wrong.some(({ names }) => names === "Unknown")
  return checkOf(
    "Ptr",
    wrong.length === 0 ? "Pass" : isUnknown ? "Warn" : "Fail",
    sources
      .map(
        ({ address, names }) =>
          `${address}: ${names === "Unknown" ? "unknown" : names.length === 0 ? "no name" : names.join(", ")}`
      )
      .join("; "),
    expected,
    isUnknown
      ? unanswered
      : `The operator has the network's provider set the PTR record of ${wrong.map(({ address, sendsAs }) => `${address} to ${sendsAs}`).join(", ")}.`
  )
}

/** The checks of a domain. If its mail is sent through a relay, the checks of addresses and connections are left out. */
export const alignmentOf = (facts: AlignmentFacts): ReadonlyArray<AlignmentCheck> => {
  const keys = dkim(facts)
  return [
    keys,
    spf(facts, keys.outcome !== "Fail"),
    dmarcOf(facts),
    unsubscribe(facts),
    mx(facts),
    ...(facts.isRelayed || facts.sources === null ? [] : [ptr(facts.mailHost, facts.sources)]),
    ...(facts.isRelayed
      ? []
      : [
          checkOf(
            "Tls",
            "Pass",
            "The service uses TLS with every server that offers it.",
            "Mail leaves over encrypted connections.",
            ""
          )
        ])
  ]
}

/** The requirements of each kind of relay for accepting mail from a domain. */
const needs: Readonly<Record<RelayKind, (domain: string) => string>> = {
  Smtp: (domain) => `Its operator lets this login send from ${domain}.`,
  AmazonSes: (domain) =>
    `Create the identity ${domain} in Amazon SES, and publish its three CNAME records under _domainkey.${domain}.`,
  Postmark: (domain) =>
    `Add ${domain} under Sender Signatures, and publish its DKIM record (TXT, <selector>pm._domainkey.${domain}) and the CNAME of pm-bounces.${domain}.`,
  Mailgun: (domain) =>
    `Add ${domain} under Domains, and publish its SPF record (include:mailgun.org) and its DKIM record (TXT, <selector>._domainkey.${domain}).`,
  SendGrid: (domain) =>
    `Authenticate ${domain} under Sender Authentication, and publish its three CNAME records, two of them under _domainkey.${domain}.`,
  Brevo: (domain) =>
    `Authenticate ${domain} under Senders, Domains, and publish its code (TXT) and its DKIM records under _domainkey.${domain}.`,
  Mailjet: (domain) =>
    `Add ${domain} under Sender domains, and publish its SPF record (include:spf.mailjet.com) and its DKIM record (TXT, mailjet._domainkey.${domain}).`,
  SparkPost: (domain) =>
    `Add ${domain} under Sending Domains, and publish its DKIM record (TXT, <selector>._domainkey.${domain}).`,
  Resend: (domain) =>
    `Add ${domain} under Domains, and publish its MX and SPF records of send.${domain} and its DKIM record (TXT, resend._domainkey.${domain}).`
}

/** Whether the check of the service's own signatures passed. Relays do not change these signatures. */
const signedOf = (checks: ReadonlyArray<AlignmentCheck>): boolean =>
  checks.some(({ check, outcome }) => check === "Dkim" && outcome === "Pass")

/**
 * For each relay of an account: whether mail through it is aligned with a domain, and what the relay requires. The alignment
 * comes from the service's own signature, since the return path may be the relay's.
 */
export const relayAlignment = (
  domain: string,
  relays: ReadonlyArray<Pick<MailRelay, "kind" | "name">>,
  checks: ReadonlyArray<AlignmentCheck>
): ReadonlyArray<AlignmentCheck> =>
  relays.map(({ kind, name }) =>
    checkOf(
      "Relay",
      signedOf(checks) ? "Pass" : "Warn",
      name,
      `Mail by the relay has the DKIM signature of ${domain}. ${needs[kind](domain)}`,
      `Publish the DKIM records that the domain ${domain} shows.`
    )
  )

/** The checks of a sandbox, which looks up nothing and uses no relay. */
export const sandboxAlignment: ReadonlyArray<AlignmentCheck> = alignmentChecks
  .filter((check) => check !== "Relay")
  .map((check) => ({
    check,
    outcome: "Pass",
    seen: null,
    expected: "A sandbox sends to no one, and needs no records.",
    fix: null
  }))
