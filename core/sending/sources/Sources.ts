/**
 * The use cases of operators on sources and pools.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Exit, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { noAccount } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import { returnPathDomain } from "../../model/Domain.ts"
import { nodeGoneAfter } from "../../model/Node.ts"
import {
  defaultPool,
  type MailSource,
  noCounts,
  type ReverseName,
  type SourceCounts,
  sourceOfLane,
  type SourcePool
} from "../../model/Source.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Dns } from "../../ports/Dns.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { InstallationStore } from "../../ports/InstallationStore.ts"
import { NodeStore } from "../../ports/NodeStore.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { SourceStore } from "../../ports/SourceStore.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { formatIp, parseIp } from "../../shared/Network.ts"
import { maxPageSize, type Page, pageOfAll, type PageRequest } from "../../shared/Page.ts"
import { Issues, Problem } from "../../shared/Problem.ts"
import { checkText, formats } from "../../shared/Validate.ts"
import { unlistedIn } from "../domains/Spf.ts"
import { lookUpReverse } from "./ReverseNames.ts"
import { conditionOf, hasAddress, isStillKnown, poolsFrom, type SourceCondition } from "./SourceRules.ts"
import { spfRecordOf } from "./SpfAdvice.ts"
import {
  added,
  afterBlock,
  afterDay,
  capOf,
  dayOf,
  quietDays,
  warmUpFrom,
  warmUpGroups
} from "./WarmUpRules.ts"

/** The maximum number of sources and of pools, and the maximum number of characters of a name. */
export const sourceLimits = { sources: 200, pools: 50, name: 200 } as const

const dayMillis = 86_400_000
/** For how many days the counts of messages are kept, for groups of providers and for single sites. */
const keptDays = { groups: 60, sites: 2 }
/**
 * How far back blocks are read at first, and at later reads, since the clocks of processes differ, milliseconds; and how many
 * at a time.
 */
const readFirst = dayMillis
const readAgain = 60_000
const perRead = 1_000

/** The number of concurrent lookups of reverse names. */
const lookUpsAtOnce = 10

/**
 * For the SPF records that permit a source: the maximum number of domains, the number of concurrent lookups, their time limit,
 * and how long the result is cached.
 */
const spfBounds = { domains: 500, atOnce: 50, within: "8 seconds", kept: "1 minute" } as const

/** A source as the API shows it. */
export interface ShownSource extends MailSource, SourceCondition {
  /** The machines that have its address. */
  readonly hosts: ReadonlyArray<string>
  /** The name under which it sends. */
  readonly sendsAs: string
  /** The number of messages sent today, and their maximum; null for no limit. */
  readonly sentToday: number
  readonly capToday: number | null
  /** The messages sent today, by group of providers. */
  readonly groups: ReadonlyArray<SourceGroup>
  /**
   * The verified domains, by name, whose mail may be sent from the source but whose SPF record does not permit it; null if
   * they were not looked up.
   */
  readonly spfMissing: ReadonlyArray<string> | null
}

/** What a source sent to a group of providers today. */
export interface SourceGroup extends SourceCounts {
  readonly group: string
  /** The maximum; null for no limit. */
  readonly cap: number | null
}

/** A pool as the API shows it. */
export interface ShownPool extends SourcePool {
  readonly sources: number
}

/** The remedy for an address whose reverse name does not resolve back to it. */
const reverseFix = (address: string, name: string): string =>
  `Have the network's provider set the PTR record of ${address} to ${name}, and let ${name} lead to ${address}.`

/** A new source. */
export interface NewSource {
  readonly address: string
  readonly name: string | null
  readonly pool: string
  readonly isForced: boolean
}

/** The fields of a source that can be changed. */
export type SourceChange = Partial<Pick<MailSource, "name" | "pool" | "mode" | "isForced">>

/** The fields of a pool that can be changed. */
export type PoolChange = Partial<Pick<SourcePool, "name" | "overflow">>

const builtIn: SourcePool = { key: defaultPool, name: "Default", overflow: null }

/** All pools, including the one that always exists. */
const withDefault = (pools: ReadonlyArray<SourcePool>): ReadonlyArray<SourcePool> =>
  pools.some(({ key }) => key === defaultPool) ? pools : [builtIn, ...pools]

/** Manages sources and pools. */
export class Sources extends Context.Service<Sources>()("svc/sending/Sources", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const dns = yield* Dns
    const domains = yield* DomainStore
    const ids = yield* Ids
    const installation = yield* InstallationStore
    const shaping = yield* ShapingStore
    const nodes = yield* NodeStore
    const store = yield* SourceStore
    const { mailHost } = yield* PublicEndpoint
    const { record } = yield* AuditTrail

    const audit = (
      actor: Actor,
      action: string,
      target: string,
      before: object | null,
      after: object | null
    ) =>
      record(actor, {
        accountId: noAccount,
        action,
        target,
        before: before === null ? null : { ...before },
        after: after === null ? null : { ...after }
      })

    const summaryOf = ({ address, isForced, mode, name, pool, warmUp }: MailSource) => ({
      address,
      name,
      pool,
      mode,
      force: isForced,
      warmUpDay: warmUp?.day ?? null
    })

    const presence = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const whole = { page: 1, pageSize: maxPageSize }
      return (yield* nodes.list({ since: now - nodeGoneAfter }, whole)).items
    })

    const show = Effect.fnUntraced(function* (sources: ReadonlyArray<MailSource>) {
      const present = yield* presence
      const addresses = new Set(present.flatMap((node) => node.addresses))
      const today = yield* store.daysSince(dayOf(yield* Clock.currentTimeMillis), warmUpGroups)
      const groupsOf = ({ id, warmUp }: MailSource) => {
        const cap = warmUp === null ? null : capOf(warmUp.day)
        const own = new Map(today.flatMap((row) => (row.sourceId === id ? [[row.bucket, row] as const] : [])))
        return warmUpGroups.map((group): SourceGroup => ({
          group,
          cap,
          ...added(noCounts, own.get(group) ?? noCounts)
        }))
      }
      const withGroups = sources.map((source) => ({ source, groups: groupsOf(source) }))
      return withGroups.map(({ groups, source }): ShownSource => ({
        ...source,
        groups,
        sentToday: groups.reduce((sum, { sent }) => sum + sent, 0),
        capToday: source.warmUp === null ? null : capOf(source.warmUp.day) * groups.length,
        ...conditionOf(source, addresses),
        hosts: [
          ...new Set(
            present.flatMap((node) => (hasAddress(node.addresses, source.address) ? [node.host] : []))
          )
        ],
        sendsAs: source.name ?? mailHost,
        spfMissing: null
      }))
    })

    const shown = (source: MailSource) => Effect.map(show([source]), ([one]) => one!)

    /** The verified domains of accounts whose mail may be sent from the sources of a pool. */
    const domainsOfPool = Effect.fnUntraced(function* (pool: string) {
      const known = yield* store.all
      const found = new Set<string>()
      for (let page = 1; found.size < spfBounds.domains; page++) {
        const { items } = yield* accounts.companies({ page, pageSize: maxPageSize })
        const live = yield* accounts.find(
          items.flatMap(({ deletedAt, liveAccountId }) => (deletedAt === null ? [liveAccountId] : []))
        )
        const using = live.filter(
          ({ settings: { delivery, pools } }) =>
            Object.values(pools).some((key) => poolsFrom(key, known).includes(pool)) &&
            [delivery?.transactional, delivery?.marketing].some((ways) => ways?.includes("Direct") !== false)
        )
        for (const { domain } of yield* domains.verified(using.map(({ id }) => id))) found.add(domain)
        if (items.length < maxPageSize) break
      }
      return [...found].toSorted().slice(0, spfBounds.domains)
    })

    const spfMissing = yield* Cache.makeWith(
      Effect.fnUntraced(function* (key: string) {
        const [address, pool] = key.split(" ") as [string, string]
        const lacking = Effect.filter(
          yield* domainsOfPool(pool),
          (domain) =>
            unlistedIn(dns, returnPathDomain(domain), [address]).pipe(
              Effect.map((unlisted) => unlisted.length > 0),
              // If a domain's name servers do not reply, it is not reported as missing the source.
              Effect.orElseSucceed(() => false)
            ),
          { concurrency: spfBounds.atOnce }
        )
        return yield* Effect.timeoutOrElse(lacking, {
          duration: spfBounds.within,
          orElse: () => Effect.succeed(null)
        })
      }),
      {
        capacity: sourceLimits.sources,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? spfBounds.kept : 0)
      }
    )

    /** As `shown`, with the domains whose SPF record does not permit the source. */
    const shownWhole = Effect.fnUntraced(function* (source: MailSource, isNew = false) {
      const key = `${source.address} ${source.pool}`
      if (isNew) yield* Cache.invalidate(spfMissing, key)
      return { ...(yield* shown(source)), spfMissing: yield* Cache.get(spfMissing, key) }
    })

    const find = Effect.fnUntraced(function* (id: string) {
      const { sources } = yield* store.all
      return sources.find((source) => source.id === id) ?? (yield* Problem.of("common.not_found"))
    })

    const lookUp = (source: MailSource) =>
      dns.names === undefined
        ? Effect.succeed(source.reverse)
        : Effect.catchTag(
            lookUpReverse(dns, dns.names, source.address, source.name ?? mailHost),
            "DnsUnavailable",
            () =>
              Effect.map(Clock.currentTimeMillis, (now): ReverseName | null =>
                isStillKnown(source, now) ? source.reverse : null
              )
          )

    /**
     * Looks up the reverse names of sources and stores them. A name that cannot be determined now keeps its previous result
     * for three days.
     */
    const checkReverse = Effect.fnUntraced(function* (sources: ReadonlyArray<MailSource>) {
      const found = yield* Effect.forEach(
        sources,
        (source) => Effect.map(lookUp(source), (reverse) => ({ ...source, reverse })),
        { concurrency: lookUpsAtOnce }
      )
      yield* store.saveReverse(
        new Map(found.flatMap(({ id, reverse }) => (reverse === null ? [] : [[id, reverse] as const])))
      )
      return found
    })

    const nameOf = (text: string | null, issues: Issues): string | null => {
      const name = text === null ? null : parseDomain(text)
      if (text !== null && name === null)
        issues.add("validation.format", "name", null, { expected: formats.domain })
      return name
    }

    const requirePool = Effect.fnUntraced(function* (key: string, field: string) {
      const { pools } = yield* store.all
      if (!withDefault(pools).some((pool) => pool.key === key))
        return yield* Problem.of("shaping.pool_unknown", field)
    })

    const findPool = Effect.fnUntraced(function* (key: string) {
      const { pools } = yield* store.all
      return withDefault(pools).find((pool) => pool.key === key) ?? (yield* Problem.of("common.not_found"))
    })

    const poolName = (text: string) => {
      const issues = new Issues()
      const name = checkText(text, "name", sourceLimits.name, issues)
      if (name === "") issues.add("validation.required", "name")
      return Effect.fromResult(issues.result(name))
    }

    let readAt: number | null = null

    /** The addresses that providers blocked, and when, since the last read. */
    const blocksUntil = Effect.fnUntraced(function* (now: number) {
      const found: Array<{ readonly address: string; readonly at: number }> = []
      let since = readAt === null ? now - readFirst : readAt - readAgain
      while (true) {
        const changed = yield* shaping.changed(since, perRead)
        for (const { accountId, action, cause, lane, since: at } of changed) {
          const address = sourceOfLane(lane)
          if (address !== null && cause === "Reply" && action === "PauseSource" && accountId === null)
            found.push({ address, at })
        }
        const last = changed.at(-1)
        if (changed.length < perRead || last === undefined || last.changedAt <= since) break
        since = last.changedAt
      }
      readAt = now
      return found
    })

    return {
      /** Lists sources, latest first. */
      list: Effect.fn("Sources.list")(function* (request: PageRequest) {
        const { sources } = yield* store.all
        const found = pageOfAll(sources.toReversed(), request, ({ createdAt, id }) => [createdAt, id])
        return { ...found, items: yield* show(found.items) } satisfies Page<ShownSource>
      }),
      /** Returns a source. Fails with common.not_found. */
      get: Effect.fn("Sources.get")(function* (id: string) {
        return yield* shownWhole(yield* find(id))
      }),
      /** The SPF record that lists all sources; null without a host name for mail. */
      spf: Effect.map(store.all, ({ sources }) => spfRecordOf(sources, mailHost)),
      /**
       * Adds a source, and looks up its reverse name and the SPF records that should permit it. Fails with shaping.* and
       * validation.*. Recorded in the audit log.
       */
      create: Effect.fn("Sources.create")(function* (given: NewSource, actor: Actor) {
        const issues = new Issues()
        const ip = parseIp(given.address.trim())
        if (ip === null) issues.add("shaping.address_invalid", "address")
        const name = nameOf(given.name, issues)
        const { problem } = issues
        if (problem !== undefined) return yield* problem
        const source: MailSource = {
          id: yield* ids.next,
          address: formatIp(ip!),
          name,
          pool: given.pool,
          mode: "Active",
          isForced: given.isForced,
          reverse: null,
          warmUp: null,
          createdAt: yield* Clock.currentTimeMillis
        }
        yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            yield* requirePool(source.pool, "pool")
            const { sources } = yield* store.all
            if (sources.some(({ address }) => address === source.address))
              return yield* Problem.of("shaping.source_exists", "address")
            if (sources.length >= sourceLimits.sources)
              return yield* Problem.of("shaping.limit_reached", null, null, {
                max: `${sourceLimits.sources} sources`
              })
            yield* store.insert(source)
            yield* audit(actor, "source.created", source.id, null, summaryOf(source))
          })
        )
        const [checked = source] = yield* checkReverse([source])
        return yield* shownWhole(checked, true)
      }),
      /**
       * Changes a source. Fails with common.not_found, shaping.pool_unknown and validation.format. Recorded in the audit log.
       */
      change: Effect.fn("Sources.change")(function* (id: string, given: SourceChange, actor: Actor) {
        const issues = new Issues()
        const changes = given.name === undefined ? given : { ...given, name: nameOf(given.name, issues) }
        const { problem } = issues
        if (problem !== undefined) return yield* problem
        const after = yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const before = yield* find(id)
            if (changes.pool !== undefined) yield* requirePool(changes.pool, "pool")
            const source: MailSource = { ...before, ...changes }
            yield* store.save(source)
            yield* audit(actor, "source.changed", id, summaryOf(before), summaryOf(source))
            return { before, source }
          })
        )
        const isRenamed = after.source.name !== after.before.name
        const [checked = after.source] = isRenamed ? yield* checkReverse([after.source]) : []
        return yield* shown(checked)
      }),
      /**
       * Starts the warm-up of a source at a day of the plan, or ends it (null). Fails with common.not_found. Recorded in the
       * audit log.
       */
      warmUp: Effect.fn("Sources.warmUp")(function* (id: string, day: number | null, actor: Actor) {
        const now = yield* Clock.currentTimeMillis
        const source = yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const before = yield* find(id)
            const after: MailSource = { ...before, warmUp: day === null ? null : warmUpFrom(day, now) }
            yield* store.save(after)
            const action = day === null ? "source.warm_up_ended" : "source.warm_up_started"
            yield* audit(actor, action, id, summaryOf(before), summaryOf(after))
            return after
          })
        )
        return yield* shown(source)
      }),
      /** Advances the warm-ups of sources, after the end of a day and after a provider blocked a source. */
      advance: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { sources } = yield* store.all
        if (sources.every(({ warmUp }) => warmUp === null)) return
        const blocks = yield* blocksUntil(now)
        const days = yield* store.daysSince(dayOf(now - quietDays * dayMillis), warmUpGroups)
        const goOn = (source: MailSource): MailSource => {
          if (source.warmUp === null) return source
          const from = source.warmUp
          const blocked = blocks
            .filter(({ at, address }) => address === source.address && at >= from.startedAt)
            .reduce((warmUp, { at }) => afterBlock(warmUp, at), from)
          const own = days.filter(({ sourceId }) => sourceId === source.id)
          const warmUp = afterDay(blocked, own, now)
          return warmUp === from ? source : { ...source, warmUp }
        }
        if (sources.every((source) => goOn(source) === source)) return
        yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            for (const before of (yield* store.all).sources) {
              const after = goOn(before)
              if (after === before) continue
              yield* store.save(after)
              yield* Effect.annotateLogs(Effect.logInfo("warm-up of a source goes on"), {
                source: after.address,
                from: before.warmUp?.day ?? 0,
                day: after.warmUp?.day ?? "Active"
              })
            }
          })
        )
      }).pipe(Effect.withSpan("Sources.advance")),
      /** Deletes old counts of sources, at most `limit` rows. Returns how many were deleted. */
      prune: Effect.fn("Sources.prune")(function* (now: number, limit: number) {
        const dayBefore = (count: number) => dayOf(now - count * dayMillis)
        const sites = yield* store.pruneDays(dayBefore(keptDays.sites), warmUpGroups, limit)
        return sites + (yield* store.pruneDays(dayBefore(keptDays.groups), [], limit - sites))
      }),
      /** Removes a source. Fails with common.not_found. Recorded in the audit log. */
      remove: Effect.fn("Sources.remove")(function* (id: string, actor: Actor) {
        yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const before = yield* find(id)
            yield* store.remove(id)
            yield* audit(actor, "source.deleted", id, summaryOf(before), null)
          })
        )
      }),
      /** Looks up now the reverse name of a source and the SPF records that should permit it. Fails with common.not_found. */
      check: Effect.fn("Sources.check")(function* (id: string) {
        const source = yield* find(id)
        const [checked = source] = yield* checkReverse([source])
        return yield* shownWhole(checked, true)
      }),
      /**
       * Looks up now the reverse name of a source's address or, for null, of the mail host's addresses. Returns the remedy;
       * null if the name is correct, and `Unknown` if no name server replied.
       */
      reverseFault: Effect.fn("Sources.reverseFault")(function* (address: string | null) {
        const { names } = dns
        const { sources } = yield* store.all
        const source = sources.find((one) => one.address === address)
        if (names === undefined || (address !== null && source === undefined)) return "Unknown"
        const sendsAs = source?.name ?? mailHost
        const found = yield* Effect.gen(function* () {
          const addresses = address === null ? yield* dns.addresses(mailHost) : [address]
          return yield* Effect.forEach(addresses.slice(0, lookUpsAtOnce), (one) =>
            Effect.map(lookUpReverse(dns, names, one, sendsAs), (reverse) => ({ ...reverse, address: one }))
          )
        }).pipe(
          Effect.catchTags({
            DnsMissing: () => Effect.succeed([]),
            DnsUnavailable: () => Effect.succeed(null)
          })
        )
        if (found === null || found.length === 0) return "Unknown"
        const wrong = found.find(({ isConfirmed }) => !isConfirmed)
        return wrong === undefined ? null : reverseFix(wrong.address, sendsAs)
      }),
      /** Checks the reverse names of all sources that were not checked since a time, epoch milliseconds. */
      checkDue: Effect.fn("Sources.checkDue")(function* (since: number) {
        const { sources } = yield* store.all
        yield* checkReverse(
          sources.filter(({ mode, reverse }) => mode !== "Retired" && (reverse?.checkedAt ?? 0) < since)
        )
      }),
      /** Lists the pools by key. */
      pools: Effect.fn("Sources.pools")(function* (request: PageRequest) {
        const { pools, sources } = yield* store.all
        const all = withDefault(pools)
          .toSorted((one, other) => (one.key < other.key ? -1 : 1))
          .map((pool): ShownPool => ({
            ...pool,
            sources: sources.filter((source) => source.pool === pool.key).length
          }))
        return pageOfAll(all, request, ({ key }) => [key])
      }),
      /** Adds a pool. Fails with shaping.pool_exists, shaping.pool_unknown and validation.*. Recorded in the audit log. */
      createPool: Effect.fn("Sources.createPool")(function* (given: SourcePool, actor: Actor) {
        if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(given.key))
          return yield* Problem.of("validation.format", "key", null, {
            expected: "1 to 40 lower case letters, digits and hyphens"
          })
        const pool = { ...given, name: yield* poolName(given.name) }
        return yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const pools = withDefault((yield* store.all).pools)
            if (pools.some(({ key }) => key === pool.key))
              return yield* Problem.of("shaping.pool_exists", "key")
            if (pools.length >= sourceLimits.pools)
              return yield* Problem.of("shaping.limit_reached", null, null, {
                max: `${sourceLimits.pools} pools`
              })
            if (pool.overflow !== null) yield* requirePool(pool.overflow, "overflow")
            yield* store.putPool(pool)
            yield* audit(actor, "pool.created", pool.key, null, pool)
            return { ...pool, sources: 0 } satisfies ShownPool
          })
        )
      }),
      /** Changes a pool. Fails with common.not_found, shaping.pool_unknown and validation.*. Recorded in the audit log. */
      changePool: Effect.fn("Sources.changePool")(function* (key: string, given: PoolChange, actor: Actor) {
        const name = given.name === undefined ? {} : { name: yield* poolName(given.name) }
        return yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const before = yield* findPool(key)
            const after = { ...before, ...given, ...name }
            if (after.overflow !== null) yield* requirePool(after.overflow, "overflow")
            yield* store.putPool(after)
            yield* audit(actor, "pool.changed", key, before, after)
            const { sources } = yield* store.all
            return {
              ...after,
              sources: sources.filter(({ pool }) => pool === key).length
            } satisfies ShownPool
          })
        )
      }),
      /** Removes a pool. Fails with common.not_found and shaping.pool_in_use. Recorded in the audit log. */
      removePool: Effect.fn("Sources.removePool")(function* (key: string, actor: Actor) {
        yield* atomically(
          Effect.gen(function* () {
            yield* installation.lock
            const before = yield* findPool(key)
            const { pools, sources } = yield* store.all
            const isUsed =
              key === defaultPool ||
              sources.some(({ pool }) => pool === key) ||
              pools.some(({ overflow }) => overflow === key) ||
              (yield* accounts.countInPool(key)) > 0
            if (isUsed) return yield* Problem.of("shaping.pool_in_use")
            yield* store.removePool(key)
            yield* audit(actor, "pool.deleted", key, before, null)
          })
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Sources, Sources.make)
}
