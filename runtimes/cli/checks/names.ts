/**
 * Checks the DNS records of the mail host, forward and reverse, and of every sending domain.
 *
 * @module
 */
import { Effect } from "effect"
import { isIP } from "node:net"
import { Dns } from "../../../core/ports/Dns.ts"
import { SecureDns } from "../../../core/ports/SecureDns.ts"
import type { DomainRecord, DomainStatus } from "../../../core/model/Domain.ts"
import { exchangersMatch, textsMatch } from "../../../core/sending/domains/DomainRecords.ts"
import type { Configuration } from "../../config/config.ts"
import { publicEndpointOf, mailHostWarning } from "../../server/publicEndpoint.ts"
import { checkBlockLists } from "./blockLists.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

const unanswered = "Check SVC_DNS_SERVERS, or try again later"

/**
 * Checks that the mail host's name resolves to addresses, and each address back to the name.
 *
 * @param asksBlockLists whether to query public block lists for the addresses
 */
export const checkMailHost = Effect.fnUntraced(function* (
  configured: Configuration,
  asksBlockLists: boolean
) {
  const { publicEndpoint } = publicEndpointOf(configured)
  const { mailHost } = publicEndpoint
  const unknown = mailHostWarning(configured)
  if (unknown !== null)
    return [warn("mail host", `${mailHost} is only the local name of this machine`, unknown)]
  if (mailHost === "localhost" || isIP(configured.smtpHost) !== 0) {
    return [ok("mail host", `${mailHost}; set SVC_SMTP_HOST to a public name before you send live mail`)]
  }
  const dns = yield* Dns
  const looked = yield* Effect.result(dns.addresses(mailHost))
  if (looked._tag === "Failure") {
    return looked.failure._tag === "DnsMissing"
      ? [fail("mail host", `${mailHost} has no address`, `Publish an A or AAAA record for ${mailHost}`)]
      : [warn("mail host", `${mailHost} could not be looked up: ${looked.failure.reason}`, unanswered)]
  }
  const addresses = looked.success
  const findings: Array<Finding> = [ok("mail host", `${mailHost} resolves to ${addresses.join(", ")}`)]
  for (const address of addresses) {
    const names = yield* Effect.catchTags(dns.names!(address), {
      DnsMissing: () => Effect.succeed("missing"),
      DnsUnavailable: ({ reason }) => Effect.succeed(reason)
    })
    findings.push(
      typeof names !== "string" && names.includes(mailHost)
        ? ok("reverse DNS", `${address} resolves to ${mailHost}`)
        : warn(
            "reverse DNS",
            `${address} ${typeof names === "string" ? `resolves to no name (${names})` : `resolves to ${names.join(", ")}`}`,
            `Ask the provider of ${address} to set its PTR record to ${mailHost}. Mail servers reject mail from addresses without one`
          )
    )
  }
  if (asksBlockLists) findings.push(...(yield* checkBlockLists(addresses)))
  if (configured.inboundPort === null) {
    findings.push(
      warn(
        "reports",
        "SVC_INBOUND_PORT is not set, so bounces and complaints that arrive by mail remain unknown",
        "Set SVC_INBOUND_PORT=25, or forward port 25 of the mail host to the port that you set"
      )
    )
  } else findings.push(yield* checkReportRecord(mailHost))
  return findings
})

/** Checks whether messages are also signed by the mail host, so that feedback loops like Yahoo's work for all companies. */
export const checkHostSignature = (
  mailHost: string,
  domains: ReadonlyArray<Pick<NeededRecords, "domain" | "status">>
): Finding =>
  domains.some(({ domain, status }) => domain === mailHost && status === "Verified")
    ? ok("host signature", `each message is also signed by ${mailHost}`)
    : ok(
        "host signature",
        `messages are not also signed by ${mailHost}. Feedback loops that use the signing domain, such as that of Yahoo, need one ` +
          `registration per sending domain; to need only one, add ${mailHost} as a domain of your own live account and publish its records`
      )

/** Checks whether the name servers validate, which DANE needs; null if mail is sent through a relay. */
export const checkValidation = Effect.fnUntraced(function* ({ dnsValidates, transport }: Configuration) {
  if (transport._tag === "Relay") return null
  if (yield* (yield* SecureDns).validates) {
    const reason = dnsValidates === true ? "as set by SVC_DNS_VALIDATES" : "on this machine"
    return ok("DNSSEC", `the name servers validate, ${reason}, so DANE is used`)
  }
  return ok("DNSSEC", "the name servers do not validate on this machine, so DANE is not used")
})

/** Checks that the mail host agrees to take other domains' DMARC reports (RFC 9990, 4): by a record that covers a sample name. */
const checkReportRecord = Effect.fnUntraced(function* (mailHost: string) {
  const name = `svc._report._dmarc.${mailHost}`
  const texts = yield* Effect.catch((yield* Dns).txt(name), ({ _tag }) =>
    Effect.succeed(_tag === "DnsMissing" ? [] : null)
  )
  if (texts === null) return warn("DMARC reports", `${name} could not be looked up`, unanswered)
  return texts.some((text) => /^v=DMARC1(?:$|[; ])/.test(text))
    ? ok("DMARC reports", `${mailHost} accepts reports about other domains`)
    : warn(
        "DMARC reports",
        `${mailHost} does not declare that it accepts reports about other domains`,
        `Publish a TXT record at *._report._dmarc.${mailHost}: v=DMARC1`
      )
})

const look = Effect.fnUntraced(function* (record: DomainRecord) {
  const dns = yield* Dns
  const found =
    record.type === "MX"
      ? Effect.map(dns.mx(record.name), (exchangers) => exchangersMatch(record, exchangers))
      : Effect.map(dns.txt(record.name), (texts) => textsMatch(record, texts))
  return yield* Effect.match(found, {
    onSuccess: (matches) => (matches ? null : "has another value"),
    onFailure: (error) =>
      error._tag === "DnsMissing" ? "is missing" : `could not be looked up: ${error.reason}`
  })
})

/** Whether a record is required for sending mail. Others are recommended, and only cause a warning. */
const isRequired = ({ purpose }: DomainRecord): boolean => purpose === "DKIM" || purpose === "ReturnPath"

/** A sending domain, and the records that it needs. */
export interface NeededRecords {
  readonly domain: string
  readonly status: DomainStatus
  readonly records: ReadonlyArray<DomainRecord>
}

/** Looks up the records of sending domains. */
export const checkDomains = Effect.fnUntraced(function* (domains: ReadonlyArray<NeededRecords>) {
  const findings = yield* Effect.forEach(
    domains,
    Effect.fnUntraced(function* (domain) {
      const check = `domain ${domain.domain}`
      const answers = yield* Effect.forEach(
        domain.records,
        (record) => Effect.map(look(record), (wrong) => ({ record, wrong })),
        { concurrency: 4 }
      )
      const faults = answers.flatMap(({ record, wrong }): ReadonlyArray<Finding> => {
        if (wrong === null) return []
        const { name, purpose, type, value } = record
        const find = isRequired(record) && !wrong.startsWith("could not") ? fail : warn
        const detail = `${type} record of ${name} (${purpose}) ${wrong}`
        return [
          find(
            check,
            detail,
            wrong.startsWith("could not") ? unanswered : `Publish ${type} ${name} "${value}"`
          )
        ]
      })
      return faults.length > 0
        ? faults
        : [
            ok(
              check,
              `all ${answers.length} records are published; the status of the domain is ${domain.status}`
            )
          ]
    }),
    { concurrency: 4 }
  )
  return findings.flat()
})
