/**
 * Evaluates SPF records (RFC 7208) for an address, as a receiving server does.
 *
 * @module
 */
import { Effect } from "effect"
import type { Dns, DnsUnavailable } from "../../ports/Dns.ts"
import { type IpAddress, isWithin, parseIp, parseRange } from "../../shared/Network.ts"

/** `Error` stands for a record that receiving servers cannot evaluate (permerror). */
export type SpfResult = "Pass" | "Fail" | "None" | "Error"

/** The maximum number of mechanisms and modifiers with a DNS lookup in a check (RFC 7208, 4.6.4). */
const maxLookUps = 10
/** The maximum number of exchangers of an `mx` mechanism (RFC 7208, 4.6.4). */
const maxExchangers = 10

/** The SPF records among the TXT values of a name. */
export const spfRecords = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => /^v=spf1( |$)/i.test(text))

interface Mechanism {
  readonly qualifier: string
  readonly name: string
  /** The text after `:` without the prefix lengths; empty for the domain of the record. */
  readonly value: string
  readonly bits: { readonly four: number; readonly six: number }
}

/** Parses a mechanism; null for a modifier and for anything else. */
const parseMechanism = (term: string): Mechanism | null => {
  const [, qualifier = "", name = "", rest = ""] = /^([-+~?]?)([a-z0-9]+)([:/].*)?$/.exec(term) ?? []
  if (name === "") return null
  if (name === "ip4" || name === "ip6") {
    return { qualifier, name, value: rest.slice(1), bits: { four: 32, six: 128 } }
  }
  const [, value = "", four, six] = /^(?::([^/]*))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/.exec(rest) ?? []
  return { qualifier, name, value, bits: { four: Number(four ?? 32), six: Number(six ?? 128) } }
}

const namesOf = <A>(
  look: Effect.Effect<ReadonlyArray<A>, { readonly _tag: "DnsMissing" } | DnsUnavailable>
) => Effect.catchTag(look, "DnsMissing", () => Effect.succeed<ReadonlyArray<A>>([]))

/**
 * Evaluates the SPF record of a domain for an address. Macros and `ptr` match nothing: the former depend on the message, and
 * the latter is discouraged.
 *
 * @param address as {@link parseIp} returns it
 */
export const evaluateSpf = (
  dns: Dns["Service"],
  domain: string,
  address: IpAddress
): Effect.Effect<SpfResult, DnsUnavailable> => {
  let lookUps = 0

  const contains = (found: string, { four, six }: Mechanism["bits"]): boolean => {
    const range = parseRange(`${found}/${found.includes(":") ? six : four}`)
    return range !== null && isWithin(address, [range])
  }
  const containsAny = (name: string, bits: Mechanism["bits"]) =>
    Effect.map(namesOf(dns.addresses(name)), (found) => found.some((one) => contains(one, bits)))

  /** Whether a mechanism matches; null if the record has an error. */
  const matches = Effect.fnUntraced(function* (
    { bits, name, value }: Mechanism,
    of: string
  ): Effect.fn.Return<boolean | null, DnsUnavailable> {
    const target = value === "" ? of : value
    switch (name) {
      case "all":
        return true
      case "ip4":
      case "ip6": {
        const range = parseRange(value)
        return range === null ? null : isWithin(address, [range])
      }
      case "a":
      case "mx":
      case "ptr":
      case "exists":
      case "include":
        if (++lookUps > maxLookUps) return null
        break
      default:
        return null
    }
    if (name === "ptr" || target.includes("%")) return false
    if (name === "a") return yield* containsAny(target, bits)
    if (name === "exists") return (yield* namesOf(dns.addresses(target))).length > 0
    if (name === "mx") {
      for (const { exchange } of (yield* namesOf(dns.mx(target))).slice(0, maxExchangers)) {
        if (exchange !== "" && (yield* containsAny(exchange, bits))) return true
      }
      return false
    }
    const included = yield* evaluate(target)
    return included === "Error" || included === "None" ? null : included === "Pass"
  })

  const evaluate = (of: string): Effect.Effect<SpfResult, DnsUnavailable> =>
    Effect.gen(function* () {
      const [record, ...others] = spfRecords(yield* namesOf(dns.txt(of)))
      if (record === undefined) return "None"
      if (others.length > 0) return "Error"
      const terms = record
        .toLowerCase()
        .split(" ")
        .slice(1)
        .filter((term) => term !== "")
      for (const term of terms.filter((one) => !/^[a-z][a-z0-9_.-]*=/.test(one))) {
        const mechanism = parseMechanism(term)
        const isMatch = mechanism === null ? null : yield* matches(mechanism, of)
        if (mechanism === null || isMatch === null) return "Error"
        if (isMatch) return mechanism.qualifier === "" || mechanism.qualifier === "+" ? "Pass" : "Fail"
      }
      const redirect = terms.find((term) => term.startsWith("redirect="))?.slice("redirect=".length)
      if (redirect === undefined || redirect.includes("%")) return "Fail"
      if (++lookUps > maxLookUps) return "Error"
      const redirected = yield* evaluate(redirect)
      return redirected === "None" ? "Error" : redirected
    })

  return evaluate(domain)
}

/** The addresses that the SPF record of a domain does not permit. */
export const unlistedIn = (
  dns: Dns["Service"],
  domain: string,
  addresses: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, DnsUnavailable> =>
  Effect.filter(addresses, (address) => {
    const ip = parseIp(address)
    return ip === null
      ? Effect.succeed(false)
      : Effect.map(evaluateSpf(dns, domain, ip), (result) => result !== "Pass")
  })
