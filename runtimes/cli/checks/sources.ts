/**
 * Checks the addresses from which mail is sent: their reverse names, the name with which they send, and the SPF records that must
 * allow them.
 *
 * @module
 */
import { Effect } from "effect"
import { returnPathDomain } from "../../../core/model/Domain.ts"
import type { MailSource } from "../../../core/model/Source.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import { unlistedIn } from "../../../core/sending/domains/Spf.ts"
import { lookUpReverse } from "../../../core/sending/sources/ReverseNames.ts"
import { spfAdvice } from "../../../core/sending/domains/DomainRecords.ts"
import { spfRecordOf } from "../../../core/sending/sources/SpfAdvice.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

/** The properties of a source that concern the DNS. */
export type SeenSource = Pick<MailSource, "address" | "isForced" | "mode" | "name">

const unanswered = "Check SVC_DNS_SERVERS, or try again later"

const checkReverse = Effect.fnUntraced(function* (
  dns: Dns["Service"],
  names: NonNullable<Dns["Service"]["names"]>,
  { address, isForced, name }: SeenSource,
  mailHost: string
) {
  const check = `source ${address}`
  const sendsAs = name ?? mailHost
  if (!sendsAs.includes("."))
    return fail(check, `its EHLO name ${sendsAs} is not a full host name`, "Give the source a public name")
  const looked = yield* Effect.result(lookUpReverse(dns, names, address, sendsAs))
  if (looked._tag === "Failure")
    return warn(check, `its PTR record could not be looked up: ${looked.failure.reason}`, unanswered)
  const { isConfirmed, names: found } = looked.success
  if (isConfirmed) return ok(check, `its PTR record is its EHLO name ${sendsAs}, which resolves to it`)
  const serves = isForced ? warn : fail
  return found.includes(sendsAs)
    ? serves(
        check,
        `its PTR record is ${sendsAs}, which does not resolve to it`,
        `Publish an A or AAAA record for ${sendsAs}: ${address}`
      )
    : serves(
        check,
        `its EHLO name is ${sendsAs}, but its PTR record is ${found.length === 0 ? "missing" : found.join(", ")}`,
        `Ask the network provider to set the PTR record of ${address} to ${sendsAs}`
      )
})

const checkSpf = Effect.fnUntraced(function* (
  dns: Dns["Service"],
  check: string,
  name: string,
  addresses: ReadonlyArray<string>,
  fix: string
) {
  const unlisted = yield* Effect.result(unlistedIn(dns, name, addresses))
  if (unlisted._tag === "Failure")
    return [
      warn(check, `the SPF record of ${name} could not be looked up: ${unlisted.failure.reason}`, unanswered)
    ]
  return unlisted.success.length === 0
    ? []
    : [warn(check, `the SPF record of ${name} does not allow the source ${unlisted.success.join(", ")}`, fix)]
})

/** Checks the sources in use, and whether the SPF records of sending domains allow them. */
export const checkSources = Effect.fnUntraced(function* (
  sources: ReadonlyArray<SeenSource>,
  domains: ReadonlyArray<{ readonly domain: string }>,
  mailHost: string
) {
  const dns = yield* Dns
  const { names } = dns
  const used = sources.filter(({ mode }) => mode !== "Retired")
  const record = spfRecordOf(used, mailHost)
  if (record === null || names === undefined) return []
  const reverse = yield* Effect.forEach(used, (source) => checkReverse(dns, names, source, mailHost), {
    concurrency: 4
  })
  const addresses = used.map(({ address }) => address)
  const own = yield* checkSpf(
    dns,
    "SPF of the sources",
    record.name,
    addresses,
    `Publish a TXT record at ${record.name}: ${record.value}`
  )
  const ofDomains = yield* Effect.forEach(
    domains,
    ({ domain }) => {
      const path = returnPathDomain(domain)
      const advice = spfAdvice({ mailHost, takesReports: false, hasSources: true })
      const fix = `Publish TXT ${path} "${advice}"`
      return checkSpf(dns, `SPF of ${domain}`, path, addresses, fix)
    },
    { concurrency: 4 }
  )
  return [...reverse, ...own, ...ofDomains.flat()] satisfies ReadonlyArray<Finding>
})
