/**
 * Checks whether email from sending domains is authenticated as large providers require.
 *
 * @module
 */
import { Cache, Context, Effect, Exit, Layer } from "effect"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { PublicSuffixes } from "../../kernel/PublicSuffixes.ts"
import { type Account, relayOfWay } from "../../model/Account.ts"
import type { AlignmentCheck } from "../../model/Alignment.ts"
import { returnPathDomain, type SendingDomain } from "../../model/Domain.ts"
import { Dns, type DnsMissing, type DnsUnavailable } from "../../ports/Dns.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { SourceStore, type StoredSources } from "../../ports/SourceStore.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { isLoopbackUrl } from "../../shared/Network.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { formats } from "../../shared/Validate.ts"
import { isNamed, poolsFrom, unusedOf } from "../sources/SourceRules.ts"
import { isRecordOf, textsMatch } from "../domains/DomainRecords.ts"
import { type Finding, refreshRecords } from "../domains/DomainRules.ts"
import {
  alignmentOf,
  dmarcRecords,
  type LookedUp,
  relayAlignment,
  sandboxAlignment,
  type SourceFacts
} from "./AlignmentRules.ts"
import { spfRecords, unlistedIn } from "../domains/Spf.ts"
import { defaultPool } from "../../model/Source.ts"

/**
 * How long checks are cached that all passed. Others are looked up again, so that a corrected record is noticed immediately.
 */
const keptFor = "1 hour"
/** The part of the cache key for accounts whose mail is never sent from the service's own addresses. */
const relayed = "relayed"
const maxKept = 1_000
/** The maximum number of addresses that are checked, of sources or of the mail host. */
const maxSources = 10

type LookUp<A> = Effect.Effect<ReadonlyArray<A>, DnsMissing | DnsUnavailable>

const lookedUp = <A>(look: LookUp<A>): Effect.Effect<LookedUp<A>> =>
  Effect.catchTags(look, {
    DnsMissing: () => Effect.succeed([]),
    DnsUnavailable: () => Effect.succeed("Unknown" as const)
  })

const has = (found: LookedUp<string>, wanted: string): boolean =>
  found !== "Unknown" && found.includes(wanted)

/** The addresses from which mail may be sent, by pool. For pools without sources, the system chooses the address. */
type Addresses = ReadonlyArray<ReadonlyArray<Sender>>

/** An address, with the name under which it sends mail. */
type Sender = Pick<SourceFacts, "address" | "sendsAs">

/**
 * The addresses of each of an account's streams. An address without a confirmed name sends nothing: another one does instead,
 * or the system chooses one for mail of the default pool, unless one of that pool's sources is paused.
 */
const addressesOf = (known: StoredSources, { settings: { pools } }: Account, mailHost: string): Addresses =>
  [...new Set([pools.transactional, pools.marketing])].flatMap((pool) => {
    const keys = poolsFrom(pool, known)
    const active = known.sources.filter((source) => source.mode === "Active" && keys.includes(source.pool))
    const named = active.filter(isNamed)
    const isPaused = known.sources.some(({ mode, pool: own }) => own === defaultPool && mode === "Paused")
    const isOfSystem = keys.includes(defaultPool) && !isPaused
    const used = (named.length > 0 ? named : isOfSystem ? [] : active).slice(0, maxSources)
    return used.length === 0
      ? []
      : [used.map(({ address, name }) => ({ address, sendsAs: name ?? mailHost }))]
  })

/** Addresses as a part of a cache key. Neither addresses nor names contain the separators. */
const keyOf = (groups: Addresses): string =>
  groups.map((group) => group.map(({ address, sendsAs }) => `${address}=${sendsAs}`).join(",")).join(";")

const addressesIn = (key: string): Addresses =>
  key === ""
    ? []
    : key.split(";").map((group) =>
        group.split(",").map((one) => {
          const [address, sendsAs] = one.split("=") as [string, string]
          return { address, sendsAs }
        })
      )

/** The ways of an account's streams; null for the installation's default. */
const waysOf = ({ settings: { delivery } }: Account) => [
  delivery?.transactional ?? null,
  delivery?.marketing ?? null
]

/** Checks sending domains. */
export class Alignment extends Context.Service<
  Alignment,
  {
    /**
     * Returns the checks of an account's domain, verified or not. Fails with validation.format of `domain`, and with
     * common.not_found for a domain that the account does not have.
     */
    readonly check: (
      account: Account,
      domain: string
    ) => Effect.Effect<ReadonlyArray<AlignmentCheck>, Problem | Unavailable>
    /** Fails with deliverability.sender_not_aligned if a check of an account's domain fails, and with the codes of `check`. */
    readonly require: (account: Account, domain: string) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/sending/Alignment", {
  make: Effect.gen(function* () {
    const dns = yield* Dns
    const domains = yield* DomainStore
    const relays = yield* RelayStore
    const sources = yield* SourceStore
    const { organizationalDomain } = yield* PublicSuffixes
    const endpoint = yield* PublicEndpoint
    const { baseUrl, isLocal, isRelayed: isRelayedByDefault = false, mailHost, takesReports } = endpoint
    const { names: reverse } = dns

    const keysOf = (domain: SendingDomain) => {
      const { records } = refreshRecords(domain, endpoint)
      return Effect.forEach(
        domain.keys.filter(({ state }) => state === "Active"),
        (key) => {
          const record = records.find((one) => isRecordOf(one, key, domain.domain))!
          return Effect.map(lookedUp(dns.txt(record.name)), (texts) => {
            const isFound = texts !== "Unknown" && textsMatch(record, texts)
            const finding: Finding = texts === "Unknown" ? "Unknown" : isFound ? "Found" : "Missing"
            return { selector: key.selector, finding }
          })
        },
        { concurrency: "unbounded" }
      )
    }

    /** The addresses that the SPF record of the domain's return path does not permit; the mail host itself if it has no address. */
    const unlistedOf = (
      domain: SendingDomain,
      texts: LookedUp<string>,
      from: LookedUp<string>,
      hasSources: boolean
    ): Effect.Effect<LookedUp<string>> => {
      const wanted = refreshRecords(domain, endpoint).records.find(({ purpose }) => purpose === "SPF")!
      if (!hasSources && texts !== "Unknown" && textsMatch(wanted, texts)) return Effect.succeed([])
      if (texts === "Unknown" || from === "Unknown") return Effect.succeed("Unknown")
      if (from.length === 0) return Effect.succeed([mailHost])
      return Effect.orElseSucceed(unlistedIn(dns, wanted.name, from), () => "Unknown" as const)
    }

    const sourceOf = Effect.fnUntraced(function* (sender: Sender, look: NonNullable<typeof reverse>) {
      const { address } = sender
      const names = yield* lookedUp(look(address))
      const back = names === "Unknown" ? [] : names.slice(0, maxSources)
      const led = yield* Effect.forEach(back, (name) => lookedUp(dns.addresses(name)))
      return { ...sender, names, isConfirmed: led.some((found) => has(found, address)) } satisfies SourceFacts
    })

    const dmarcOf = Effect.fnUntraced(function* (name: string) {
      const own = yield* lookedUp(dns.txt(`_dmarc.${name}`))
      const records = own === "Unknown" ? own : dmarcRecords(own)
      const organization = organizationalDomain(name)
      if (records === "Unknown" || records.length > 0 || organization === name) return records
      const inherited = yield* lookedUp(dns.txt(`_dmarc.${organization}`))
      return inherited === "Unknown" ? inherited : dmarcRecords(inherited)
    })

    const look = Effect.fnUntraced(function* (domain: SendingDomain, isRelayed: boolean, groups: Addresses) {
      const names = new Map(groups.flat().map(({ address, sendsAs }) => [address, sendsAs]))
      const addresses = [...names.keys()].slice(0, maxSources)
      const hasSources = addresses.length > 0
      const name = domain.domain
      const [keys, texts, dmarc, exchangers, address, from] = yield* Effect.all(
        [
          keysOf(domain),
          lookedUp(dns.txt(returnPathDomain(name))),
          dmarcOf(name),
          lookedUp(dns.mx(name)),
          lookedUp(dns.addresses(name)),
          hasSources
            ? Effect.succeed(addresses)
            : lookedUp(Effect.map(dns.addresses(mailHost), (found) => found.slice(0, maxSources)))
        ],
        { concurrency: "unbounded" }
      )
      const unlisted = isRelayed ? [] : yield* unlistedOf(domain, texts, from, hasSources)
      const unused =
        hasSources && unlisted !== "Unknown"
          ? unusedOf(
              unlisted,
              groups.map((group) => group.map(({ address: own }) => own))
            )
          : []
      const sending = from === "Unknown" ? from : from.filter((one) => !unused.includes(one))
      return alignmentOf({
        domain: name,
        mailHost,
        takesReports,
        organizationalDomain,
        keys,
        spf: texts === "Unknown" ? texts : spfRecords(texts),
        unlisted: unlisted === "Unknown" ? unlisted : unlisted.filter((one) => !unused.includes(one)),
        unused,
        hasSources,
        dmarc,
        exchangers,
        hasAddress: address !== "Unknown" && address.length > 0,
        sources:
          reverse === undefined || isRelayed
            ? null
            : sending === "Unknown"
              ? sending
              : yield* Effect.forEach(
                  sending,
                  (one) => sourceOf({ address: one, sendsAs: names.get(one) ?? mailHost }, reverse),
                  { concurrency: "unbounded" }
                ),
        isRelayed,
        hasSecureLinks: baseUrl().startsWith("https:") || (isLocal ?? isLoopbackUrl(baseUrl()))
      })
    })

    const passed = yield* Cache.makeWith(
      Effect.fnUntraced(function* (key: string) {
        const [accountId, id, ways, addresses] = key.split(" ") as [string, string, string, string]
        const domain = yield* domains.get(accountId, id)
        return domain === null
          ? yield* Problem.of("common.not_found")
          : yield* look(domain, ways === relayed, addressesIn(addresses))
      }),
      {
        capacity: maxKept,
        timeToLive: (exit) =>
          Exit.isSuccess(exit) && exit.value.every(({ outcome }) => outcome === "Pass") ? keptFor : 0
      }
    )

    /** The relays that an account chose and may use. */
    const relaysOf = Effect.fnUntraced(function* (account: Account) {
      const ids = waysOf(account).flatMap((ways) => (ways ?? []).flatMap((way) => relayOfWay(way) ?? []))
      const found = ids.length === 0 ? [] : yield* relays.find([...new Set(ids)])
      return found.filter(({ companyId, shared }) =>
        companyId === null ? shared : companyId === account.companyId
      )
    })

    const check = Effect.fn("Alignment.check")(function* (account: Account, text: string) {
      const name = parseDomain(text)
      if (name === null)
        return yield* Problem.of("validation.format", "domain", null, { expected: formats.domain })
      const domain = yield* domains.named(account.id, name)
      if (domain === null) return yield* Problem.of("common.not_found")
      if (account.mode === "Sandbox") return sandboxAlignment
      const isRelayed = waysOf(account).every((ways) =>
        ways === null ? isRelayedByDefault : !ways.includes("Direct")
      )
      const addresses = isRelayed ? [] : addressesOf(yield* sources.all, account, mailHost)
      const ways = isRelayed ? relayed : "direct"
      const checks = yield* Cache.get(passed, `${account.id} ${domain.id} ${ways} ${keyOf(addresses)}`)
      return [...checks, ...relayAlignment(name, yield* relaysOf(account), checks)]
    })

    return {
      check,
      require: Effect.fn("Alignment.require")(function* (account, domain) {
        const failed = (yield* check(account, domain)).filter(({ outcome }) => outcome === "Fail")
        if (failed.length === 0) return
        return yield* Problem.of("deliverability.sender_not_aligned", null, null, {
          domain,
          checks: failed.map((one) => one.check).join(", "),
          fix: failed[0]!.fix!
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Alignment, Alignment.make)
}
