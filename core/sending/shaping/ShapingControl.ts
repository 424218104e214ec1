/**
 * Shows held mail to operators, and lets them hold, release and end it.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { campaignJob } from "../../jobs/definitions/CampaignJobs.ts"
import { heldEndJob, laneReleaseJob } from "../../jobs/definitions/DomainJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { TransportSecurity } from "../../kernel/TransportSecurity.ts"
import { noAccount } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import {
  begunSlowly,
  currentlyStated,
  flowAt,
  type LaneRules,
  newLane,
  rateAt,
  reached,
  restored,
  type SharedLane,
  widthAt
} from "../../model/Lane.ts"
import type { TlsPolicyType } from "../../model/TlsTerms.ts"
import { senderOfLine } from "../../model/Submission.ts"
import { isOpen, longestSuspension, type Suspension, suspensionKey } from "../../model/Suspension.ts"
import { laneFrom, lanesOver, laneWithoutSource, sourceOfLane } from "../../model/Source.ts"
import { type ShownSource, type SourceGroup, Sources } from "../sources/Sources.ts"
import { groupOf } from "../sources/WarmUpRules.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { Dns } from "../../ports/Dns.ts"
import { JobQueue, type NewJob } from "../../ports/JobQueue.ts"
import { ShapingStore, type SuspensionFilter } from "../../ports/ShapingStore.ts"
import { type HeldCount, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { domainOfAddress, parseDomain } from "../../shared/EmailAddress.ts"
import { formatIp, parseIp } from "../../shared/Network.ts"
import { type Page, pageOfAll, type PageRequest, readAll } from "../../shared/Page.ts"
import { Problem } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { KnownProviders, type Provider, type RuleValue } from "./Providers.ts"
import { Shaping } from "./Shaping.ts"
import { resolved } from "./SuspensionRules.ts"

/** How many jobs are enqueued by one statement. */
const perStatement = 500
/**
 * How long releases continue after a suspension was ended, milliseconds. All processes read within a few seconds that it
 * ended.
 */
const readMillis = 20_000
/** After this time, every process has read that a suspension ended, milliseconds. */
const allReadMillis = 6_000
/** The concurrency limit of a lane of no provider whose servers accepted no message within a day. */
const unprovenLimit = 2
/** The maximum number of servers of a domain that are looked up. */
const maxServers = 10

/** The target that an operator names: exactly one of provider, site and domain, and an account or null for all accounts. */
export interface Named {
  readonly provider: string | null
  readonly site: string | null
  readonly domain: string | null
  /** The address of a source, with a provider or a site; left out or null for mail from all sources. */
  readonly source?: string | null
  readonly accountId: string | null
}

/** Mail of a sending domain that is held on a lane. */
interface HeldOn {
  readonly lane: string
  readonly sender: string
}

/** The form of a site: its addresses, with the prefix of its provider if it has one; or `relay`, or the lane of a relay. */
const siteForm = /^(?:relay(?::[0-9a-f-]{1,40})?|[0-9a-z_-]{1,60}:[0-9a-f.:+/]{1,400})$/

/** A site with its addresses in the canonical order. */
const siteNamed = (text: string): string => {
  const start = text.indexOf(":") + 1
  const addresses = text.slice(start).split("+")
  return text.slice(0, start) + [...new Set(addresses)].toSorted().join("+")
}

/** A filter of suspensions, by whether they have ended among others. */
export interface NoticeFilter extends Omit<SuspensionFilter, "open"> {
  readonly open?: boolean | null
}

/** A suspension as it is shown: once its time has ended, it counts as ended. */
export interface Notice extends Suspension {
  /** The provider's page for senders; null if there is none. */
  readonly help: string | null
  /** The number of deliveries that it holds. */
  readonly held: number
}

/** A server that takes the mail of a domain. */
export interface ExplainedServer {
  readonly host: string
  readonly preference: number
  readonly addresses: ReadonlyArray<string>
}

/** Where the mail of a domain goes, and why it waits. */
export interface Explained {
  readonly domain: string
  readonly mx: ReadonlyArray<ExplainedServer>
  readonly provider: Provider | null
  /** The lane that this process last used for the domain; null if it sent nothing there. */
  readonly lane: string | null
  readonly rules: Readonly<Record<string, RuleValue>>
  /** The shared state of the lane; null if no process sent there within a day. */
  readonly shared: ShownLane | null
  /** The sources, and what each may send there. */
  readonly sources: ReadonlyArray<ExplainedSource>
  /** How connections to the first server must be encrypted; null if that is not known yet. */
  readonly tls: { readonly policy: TlsPolicyType; readonly isRequired: boolean } | null
  readonly notices: ReadonlyArray<Notice>
  /** The replies of the lane's servers that suspended mail, latest first. */
  readonly lastReplies: ReadonlyArray<Suspension>
  /** The concurrency limit of the lane. */
  readonly width: number
  /** The longest hold of its mail; null if there is none. */
  readonly pause: { readonly until: number; readonly words: string } | null
  /** The number of held deliveries to the lane and the domain. */
  readonly held: number
  /** When the next email may be sent, epoch milliseconds; null for now. */
  readonly next: number | null
}

/** A source as it applies to a lane. */
export interface ExplainedSource {
  readonly source: ShownSource
  /** Until when mail from it to the lane is held, epoch milliseconds; null if it is not held. */
  readonly heldUntil: number | null
  /** What it sent today to the lane's group of providers; null if the lane is not known. */
  readonly group: SourceGroup | null
}

/** A lane as the API shows it. */
export interface ShownLane {
  readonly lane: SharedLane
  readonly provider: Provider | null
  /** The concurrency limit now. */
  readonly width: number
  /** Messages a minute; null if there is no pace. */
  readonly rate: number | null
  readonly pausedUntil: number | null
  /** The number of deliveries that it holds, and since when it holds the first. */
  readonly held: number
  readonly oldest: number | null
}

/** A provider as the API shows it. */
export interface ShownProvider {
  readonly provider: Provider
  readonly rules: Readonly<Record<string, RuleValue>>
  readonly lanes: number
  readonly held: number
  /** In the last whole minute. */
  readonly delivered: number
  readonly deferred: number
  readonly isPaused: boolean
}

/** The rules that an operator sets for a lane in place of the usual ones. */
export interface OverrideInput {
  readonly rules: Partial<LaneRules>
  readonly until: number | null
  readonly reason: string
}

/** The scope of an operator's suspension of a lane, for all accounts. */
const operatorScope = (lane: string) => ({ lane, accountId: null, sender: null, cause: "Operator" }) as const

const countOf = (held: ReadonlyArray<HeldCount>): number => held.reduce((sum, { count }) => sum + count, 0)

/** The concurrency limit of a lane that was never used. */
const firstWidthOf = (provider: Provider | null, { maxWidth, startWidth }: LaneRules): number =>
  Math.min(startWidth, maxWidth, provider === null ? unprovenLimit : Infinity)

/** Shows held mail to operators, and changes it. */
export class ShapingControl extends Context.Service<ShapingControl>()("svc/sending/ShapingControl", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const campaigns = yield* CampaignStore
    const dns = yield* Dns
    const ids = yield* Ids
    const queue = yield* JobQueue
    const shaping = yield* Shaping
    const sources = yield* Sources
    const store = yield* ShapingStore
    const submissions = yield* SubmissionStore
    const security = yield* TransportSecurity
    const table = yield* KnownProviders
    const { record } = yield* AuditTrail

    /** Fails with common.not_found for an account that does not exist, since nothing would ever be held for it. */
    const checkAccount = Effect.fnUntraced(function* (accountId: string | null) {
      if (accountId === null) return
      const [found] = yield* accounts.find([accountId])
      if (found === undefined) return yield* Problem.of("common.not_found", "accountId")
    })

    const nameOf = ({ domain, provider, site, source = null }: Named): Effect.Effect<string, Problem> => {
      const given = [provider, site, domain].filter((one) => one !== null)
      const isKnown = provider === null || (table.withKey(provider)?.mx.length ?? 0) > 0
      const isSite = site === null || siteForm.test(site)
      const name = domain === null ? null : parseDomain(domain)
      const isFrom = source === null || (domain === null && parseIp(source) !== null)
      if (given.length !== 1 || !isKnown || !isSite || !isFrom || (domain !== null && name === null))
        return Problem.of("shaping.lane_invalid")
      const from = source === null ? null : { address: formatIp(parseIp(source)!) }
      if (name !== null) return Effect.succeed(`domain:${name}`)
      return Effect.succeed(laneFrom(provider ?? siteNamed(site!), from))
    }

    const laneOf = (named: Named) => Effect.andThen(checkAccount(named.accountId), nameOf(named))

    /** @param seenBy counts only the held deliveries of this account; null for all accounts */
    const noticesOf = Effect.fnUntraced(function* (
      found: ReadonlyArray<Suspension>,
      seenBy: string | null = null
    ) {
      const counts = yield* submissions.countHeld([...new Set(found.map(({ lane }) => lane))])
      const now = yield* Clock.currentTimeMillis
      return found.map((one): Notice => ({
        ...one,
        resolvedAt: isOpen(one, now) ? null : (one.resolvedAt ?? one.until),
        help: table.ofLane(one.lane)?.help ?? null,
        held: !isOpen(one, now)
          ? 0
          : counts
              .filter(
                ({ accountId, lane }) =>
                  lane === one.lane &&
                  (one.accountId ?? accountId) === accountId &&
                  (seenBy ?? accountId) === accountId
              )
              .reduce((sum, { count }) => sum + count, 0)
      }))
    })

    const page = Effect.fn("ShapingControl.page")(function* (
      { open = null, ...filter }: NoticeFilter,
      request: PageRequest
    ) {
      const at = yield* Clock.currentTimeMillis
      const found = yield* store.page(request, { ...filter, open: open === null ? null : { is: open, at } })
      return { ...found, items: yield* noticesOf(found.items, filter.concerns) } satisfies Page<Notice>
    })

    const boundsOf = (lane: string, override: SharedLane["override"]) => {
      const provider = table.ofLane(lane)
      const { maxWidth, startWidth } = table.rules(provider, override)
      // The limit of a relay is stated in its address.
      if (lane === "relay") return { startLimit: startWidth, maxLimit: Infinity }
      return {
        startLimit: startWidth,
        ...(provider === null ? { unprovenLimit } : {}),
        maxLimit: maxWidth
      }
    }

    const lanesOf = Effect.fnUntraced(function* (found: ReadonlyArray<SharedLane>) {
      const now = yield* Clock.currentTimeMillis
      const names = found.map(({ lane }) => lane)
      const counts = yield* submissions.countHeld(names)
      const over = [...new Set(names.flatMap(lanesOver))]
      const open =
        names.length === 0
          ? []
          : yield* readAll((request) => store.page(request, { lane: over, open: { is: true, at: now } }))
      return found.map((lane): ShownLane => {
        const held = counts.filter((one) => one.lane === lane.lane)
        const since = held.flatMap((one) => one.since ?? [])
        const until = open.flatMap((one) =>
          lanesOver(lane.lane).includes(one.lane) && one.accountId === null && one.sender === null
            ? [one.until]
            : []
        )
        const pausedUntil = Math.max(lane.suspendedUntil, ...until)
        return {
          lane,
          provider: table.ofLane(lane.lane),
          width: widthAt(lane, boundsOf(lane.lane, lane.override), now),
          rate: lane.pace === null || lane.pace.until <= now ? null : rateAt(lane.pace, now),
          pausedUntil: pausedUntil > now || until.length > 0 ? pausedUntil : null,
          held: held.reduce((sum, { count }) => sum + count, 0),
          oldest: since.length === 0 ? null : Math.min(...since)
        }
      })
    })

    const allOpen = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const found = yield* readAll((request) => store.page(request, { open: { is: true, at } }))
      return found
        .filter(({ accountId, sender }) => accountId === null && sender === null)
        .map(({ lane }) => lane)
    })

    /** The lane of an override: the key of a provider, or a site. */
    const overridden = (target: string) => {
      if ((table.withKey(target)?.mx.length ?? 0) > 0) return Effect.succeed(target)
      const isSite = target.startsWith("ip:") || table.ofLane(target)?.perSite === true
      return isSite && siteForm.test(target)
        ? Effect.succeed(siteNamed(target))
        : Problem.of("shaping.lane_invalid")
    }

    const blankLane = (lane: string, now: number): SharedLane => ({
      ...newLane(boundsOf(lane, null)),
      lane,
      leases: [],
      pace: null,
      marks: {},
      override: null,
      changedAt: now
    })

    /**
     * The lanes that are parts of lanes, including parts that were never used: a part for each source that sends and, for a
     * provider with limits by site, for each site that was used. Mail of a domain has no parts. The limit of a relay is known
     * only once it was used.
     */
    const partsOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>, now: number) {
      const whole = names.filter((name) => !name.startsWith("domain:"))
      if (whole.length === 0) return []
      const found = yield* readAll((request) => store.lanes(request, { lane: whole }))
      const all = yield* readAll(sources.list)
      const used = all.filter(({ state }) => state === "Active" || state === "Warming")
      const isSingle = (name: string) => {
        const provider = table.ofLane(name)
        const isSite = laneWithoutSource(name).includes(":")
        return provider === null ? name.startsWith("ip:") : isSite || provider.perSite !== true
      }
      const parts = whole
        .filter(isSingle)
        .flatMap((name) =>
          sourceOfLane(name) === null ? [name, ...used.map((source) => laneFrom(name, source))] : [name]
        )
      const rows = new Map(parts.map((name) => [name, blankLane(name, now)]))
      for (const row of found)
        if (lanesOver(row.lane).some((one) => whole.includes(one))) rows.set(row.lane, row)
      return [...rows.values()]
    })

    const setOverride = (lane: string, override: SharedLane["override"], actor: Actor) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const blank = blankLane(lane, now)
        const [row = blank] = yield* store.lockLanes([blank])
        const changed = { ...row, override, changedAt: now }
        yield* store.putLanes([changed])
        yield* record(actor, {
          accountId: noAccount,
          action: override === null ? "shaping.override_removed" : "shaping.overridden",
          target: lane,
          before: row.override === null ? null : { ...row.override.rules },
          after:
            override === null ? null : { ...override.rules, until: override.until, reason: override.reason }
        })
        return changed
      }).pipe(atomically)

    const openOn = Effect.fnUntraced(function* (lane: string, accountId: string | null) {
      const open = { is: true, at: yield* Clock.currentTimeMillis }
      const of = accountId === null ? {} : { accountId: [accountId] }
      // The suspensions of a provider include those of its sites.
      const on = table.withKey(lane) === null ? { lane: [lane] } : { provider: [lane] }
      return yield* readAll((request) => store.page(request, { ...on, open, ...of }))
    })

    /** The deliveries that lanes hold, of an account or of all. */
    const heldOn = (lanes: ReadonlyArray<string>, accountId: string | null, before: number | null = null) =>
      Effect.map(submissions.countHeld(lanes, before), (found) =>
        found.filter((one) => accountId === null || one.accountId === accountId)
      )

    /** Enqueues a job for each account, lane and sending domain, so that no account waits for another's mail. */
    const inParts = Effect.fnUntraced(function* (
      groups: ReadonlyArray<HeldCount>,
      jobOf: (part: { readonly id: string; readonly accountId: string; readonly on: HeldOn }) => NewJob
    ) {
      const parts = Map.groupBy(groups, ({ accountId, lane, line }) =>
        JSON.stringify([accountId, lane, senderOfLine(line)])
      )
      const newIds = yield* ids.many(parts.size)
      const jobs = [...parts.values()].map(([one], index) => {
        const { accountId, lane, line } = one!
        return jobOf({ id: newIds[index]!, accountId, on: { lane, sender: senderOfLine(line) } })
      })
      for (let from = 0; from < jobs.length; from += perStatement)
        yield* queue.enqueue(jobs.slice(from, from + perStatement))
    })

    /** Enqueues the release of held deliveries, as many at a time as the lanes take. */
    const releaseAll = (groups: ReadonlyArray<HeldCount>, now: number) =>
      inParts(groups, ({ on, ...rest }) =>
        laneReleaseJob.job({ ...rest, payload: { kind: "lane", ...on, until: now + readMillis }, runAt: now })
      )

    /**
     * Makes campaigns decide again, once, on all recipients who wait for servers. This runs as soon as every process has read
     * that the suspension ended.
     */
    const decideAgain = Effect.fnUntraced(function* (accountId: string | null, now: number) {
      const reason = "sending.provider_held"
      const found = yield* campaigns.withWaiting(accountId, reason)
      if (found.length === 0) return
      const newIds = yield* ids.many(found.length)
      const jobs = found.map(({ accountId: own, id: campaignId }, index) =>
        campaignJob.job({
          id: newIds[index]!,
          accountId: own,
          payload: { campaignId, reason },
          runAt: now + allReadMillis
        })
      )
      // A job that an earlier end of a suspension enqueued would run too early.
      for (const [own, group] of Map.groupBy(found, (one) => one.accountId)) {
        yield* campaignJob.cancel(
          queue,
          own,
          group.map(({ id: campaignId }) => ({ campaignId, reason }))
        )
      }
      for (let from = 0; from < jobs.length; from += perStatement)
        yield* queue.enqueue(jobs.slice(from, from + perStatement))
    })

    /** Where the mail of a domain goes: to the lane that this process last used, or else to that of its provider. */
    const routeOf = Effect.fnUntraced(function* (domain: string) {
      const none = { DnsMissing: () => Effect.succeed([]), DnsUnavailable: () => Effect.succeed([]) }
      const records = (yield* Effect.catchTags(dns.mx(domain), none)).slice(0, maxServers)
      const best = records
        .filter(({ preference }) => preference === records[0]?.preference)
        .map(({ exchange }) => exchange)
      const provider = table.of(best)
      const lane = shaping.laneOf(domain) ?? (provider === null || provider.perSite ? null : provider.key)
      return { records, best, provider, lane }
    })

    /** Ends suspensions, and has the deliveries released that the lanes hold. Returns the number of these deliveries. */
    const lift = Effect.fnUntraced(function* (
      open: ReadonlyArray<Suspension>,
      lanes: ReadonlyArray<string>,
      accountId: string | null,
      slowly: boolean,
      action: string,
      actor: Actor,
      reason: string | null = null
    ) {
      const counted = yield* atomically(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          // If an operator's hold has ended by time, its lane is still slowed at first. A flush ends that too.
          const ended =
            slowly || accountId !== null ? [] : lanes.map((lane) => suspensionKey(operatorScope(lane)))
          const locked = yield* store.lock([...new Set([...open.map(suspensionKey), ...ended])].toSorted())
          yield* store.put(
            locked
              .filter(({ resolvedAt }) => resolvedAt === null)
              .map((one) => ({ ...resolved(one, now), refused: [], slowly }))
          )
          // Unreachable lanes are tried again at once.
          const unreached = { lane: lanes, paused: { is: true, at: now, lanes: [] } }
          const paused = yield* readAll((request) => store.lanes(request, unreached))
          const whole = open.flatMap((one) =>
            one.accountId === null && one.sender === null ? [one.lane] : []
          )
          const parts = yield* partsOf(slowly ? whole : accountId === null ? lanes : [], now)
          const isPart = new Set(parts.map(({ lane }) => lane))
          const isPaused = new Set(paused.map(({ lane }) => lane))
          const items = new Map([...paused, ...parts].map((one) => [one.lane, one] as const))
          const rows = yield* store.lockLanes([...items.values()])
          yield* store.putLanes(
            rows.map((row) => {
              const lane = isPaused.has(row.lane) ? reached(row) : row
              const begun = slowly ? { ...lane, ...begunSlowly(lane) } : { ...restored(lane), pace: null }
              return { ...(isPart.has(row.lane) ? begun : lane), changedAt: now }
            })
          )
          const before = { until: open.map(({ until }) => until) }
          yield* record(actor, {
            accountId: accountId ?? noAccount,
            action,
            target: lanes.join(" "),
            before,
            after: reason === null ? null : { reason }
          })
          const held = yield* heldOn(lanes, accountId)
          yield* releaseAll(held, now)
          yield* decideAgain(accountId, now)
          return countOf(held)
        })
      )
      yield* shaping.refreshNow
      return counted
    })

    const liftNamed = (slowly: boolean, action: string) =>
      Effect.fn("ShapingControl.lift")(function* (named: Named, actor: Actor, reason: string | null = null) {
        const lane = yield* laneOf(named)
        // A domain's mail may be held by the suspension of the provider or site to which it goes.
        const leadsTo = named.domain === null ? null : (yield* routeOf(named.domain.toLowerCase())).lane
        const lanes = leadsTo === null ? [lane] : [lane, ...lanesOver(leadsTo)]
        const open = (yield* Effect.forEach(lanes, (one) => openOn(one, named.accountId))).flat()
        // Suspensions of a lane from a single source end too.
        const all = [...new Set([...lanes, ...open.map((one) => one.lane)])]
        return yield* lift(open, all, named.accountId, slowly, action, actor, reason)
      })

    return {
      /** Lists suspensions, latest first. */
      notices: page,
      /**
       * Holds the mail of a provider, a site or a recipient's domain until a time, at most 5 days from now, for all accounts
       * or one. Recorded in the audit log.
       */
      suspend: Effect.fn("ShapingControl.suspend")(function* (
        named: Named,
        until: number | null,
        reason: string,
        actor: Actor
      ) {
        const lane = yield* laneOf(named)
        const now = yield* Clock.currentTimeMillis
        const end = until ?? now + longestSuspension
        if (end <= now || end > now + longestSuspension)
          return yield* Problem.of("shaping.until_invalid", "until")
        const { accountId } = named
        const minutes = Math.ceil((end - now) / 60_000)
        const suspension: Suspension = {
          id: yield* ids.next,
          lane,
          accountId,
          sender: null,
          cause: "Operator",
          action: "PauseSite",
          rule: "",
          words: reason,
          remedy: "",
          minutes,
          mostMinutes: minutes,
          since: now,
          until: end,
          resolvedAt: null,
          probeUntil: null,
          refused: [],
          slowly: true,
          changedAt: now
        }
        yield* atomically(
          Effect.gen(function* () {
            yield* store.lock([suspensionKey(suspension)])
            yield* store.put([suspension])
            // However the hold ends, its mail is sent slowly at first.
            const parts = accountId === null ? yield* partsOf([lane], now) : []
            const rows = yield* store.lockLanes(parts)
            yield* store.putLanes(rows.map((row) => ({ ...row, ...begunSlowly(row) })))
            yield* record(actor, {
              accountId: accountId ?? noAccount,
              action: "shaping.suspended",
              target: lane,
              before: null,
              after: { until: end, reason }
            })
          })
        )
        yield* shaping.refreshNow
        return (yield* noticesOf([suspension]))[0]!
      }),
      /**
       * Ends suspensions. The mail is sent slowly at first. Returns the number of deliveries released. Recorded in the audit
       * log.
       */
      resume: liftNamed(true, "shaping.resumed"),
      /** Ends the suspensions of a lane that replies caused, as `resume` does. Nothing is recorded if there are none. */
      resumeLane: Effect.fn("ShapingControl.resumeLane")(function* (lane: string, actor: Actor) {
        const open = (yield* openOn(lane, null)).filter(({ cause }) => cause === "Reply")
        return open.length === 0 ? 0 : yield* lift(open, [lane], null, true, "shaping.resumed", actor)
      }),
      /** As `resume`, for one suspension. Fails with common.not_found of `noticeId` if it has ended. */
      resumeNotice: Effect.fn("ShapingControl.resumeNotice")(function* (
        id: string,
        actor: Actor,
        reason: string | null = null
      ) {
        const found = isUuid(id) ? yield* store.find(id) : null
        if (found === null || found.resolvedAt !== null)
          return yield* Problem.of("common.not_found", "noticeId")
        return yield* lift([found], [found.lane], found.accountId, true, "shaping.resumed", actor, reason)
      }),
      /** As `resume`, without the slow start: at the concurrency limit that the lane had before. */
      flush: liftNamed(false, "shaping.flushed"),
      /**
       * Fails the deliveries that are held, or that have been held since before a time, in several steps. No address is
       * suppressed. `confirm` must be their number, otherwise it fails with shaping.count_changed. Returns the number.
       * Deliveries held later are not affected. Recorded in the audit log.
       */
      bounce: Effect.fn("ShapingControl.bounce")(function* (
        named: Named,
        reason: string,
        confirm: number,
        before: number | null,
        actor: Actor
      ) {
        const lane = yield* laneOf(named)
        const { accountId } = named
        const lanes = [...new Set([lane, ...(yield* openOn(lane, accountId)).map((one) => one.lane)])]
        const held = yield* heldOn(lanes, accountId, before)
        const count = countOf(held)
        if (count !== confirm)
          return yield* Problem.of("shaping.count_changed", "confirm", null, { count: String(count) })
        const now = yield* Clock.currentTimeMillis
        yield* atomically(
          Effect.gen(function* () {
            yield* record(actor, {
              accountId: accountId ?? noAccount,
              action: "shaping.bounced",
              target: lane,
              before: null,
              after: { count, reason }
            })
            yield* inParts(held, ({ on, ...rest }) =>
              heldEndJob.job({
                ...rest,
                payload: { kind: "end", ...on, before: before ?? now + 1 },
                runAt: now
              })
            )
          })
        )
        return count
      }),
      /**
       * The suspensions by which servers' replies hold mail of an account now, on lanes and the wider lanes that contain them.
       */
      holding: Effect.fn("ShapingControl.holding")(function* (
        accountId: string,
        lanes: ReadonlyArray<string>
      ) {
        if (lanes.length === 0) return []
        const lane = [...new Set(lanes.flatMap(lanesOver))]
        const at = yield* Clock.currentTimeMillis
        const found = yield* readAll((request) =>
          store.page(request, { lane, concerns: accountId, open: { is: true, at } })
        )
        return found.filter(({ cause }) => cause === "Reply")
      }),
      /**
       * The lanes that were used within a day, of providers or sites or all, and from sources; optionally only those that are
       * suspended, or only those that are not.
       */
      lanes: Effect.fn("ShapingControl.lanes")(function* (
        names: ReadonlyArray<string> | null,
        isPaused: boolean | null,
        request: PageRequest,
        source: ReadonlyArray<string> | null = null
      ) {
        const paused =
          isPaused === null
            ? null
            : { is: isPaused, at: yield* Clock.currentTimeMillis, lanes: yield* allOpen }
        const found = yield* store.lanes(request, { lane: names, paused, source })
        return { ...found, items: yield* lanesOf(found.items) } satisfies Page<ShownLane>
      }),
      /**
       * The providers of the table with their rules, by key; those whose key or name contains a text, optionally by whether
       * they are suspended.
       */
      providers: Effect.fn("ShapingControl.providers")(function* (
        text: string,
        request: PageRequest,
        isPaused: boolean | null = null
      ) {
        const now = yield* Clock.currentTimeMillis
        const wanted = text.toLowerCase()
        const listed = table.entries
          .filter(({ key, name }) => key.includes(wanted) || name.toLowerCase().includes(wanted))
          .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        const keys = listed.map(({ key }) => key)
        const open = yield* allOpen
        const rows = yield* readAll((each) => store.lanes(each, { lane: keys }))
        const lanes = yield* lanesOf(rows)
        const counts = yield* submissions.countHeld([...new Set([...keys, ...rows.map(({ lane }) => lane)])])
        const all = listed.map((provider): ShownProvider => {
          const own = lanes.filter((lane) => lane.provider?.key === provider.key)
          const override = rows.find(({ lane }) => lane === provider.key)?.override ?? null
          return {
            provider,
            rules: table.shownRules(provider, override),
            lanes: own.length,
            held: counts
              .filter(({ lane }) => table.ofLane(lane)?.key === provider.key)
              .reduce((sum, { count }) => sum + count, 0),
            delivered: own.reduce((sum, { lane }) => sum + flowAt(lane, now).delivered, 0),
            deferred: own.reduce((sum, { lane }) => sum + flowAt(lane, now).deferred, 0),
            isPaused:
              own.some(({ pausedUntil }) => pausedUntil !== null) ||
              open.some((lane) => table.ofLane(lane)?.key === provider.key)
          }
        })
        const shown = all.filter((one) => isPaused === null || one.isPaused === isPaused)
        return pageOfAll(shown, request, ({ provider }) => [provider.key])
      }),
      /**
       * Overrides rules of a provider or a site, until a time or until the override is removed. Processes apply it within five
       * seconds. Recorded in the audit log.
       */
      override: Effect.fn("ShapingControl.override")(function* (
        target: string,
        { reason, rules, until }: OverrideInput,
        actor: Actor
      ) {
        const lane = yield* overridden(target)
        if (until !== null && until <= (yield* Clock.currentTimeMillis))
          return yield* Problem.of("validation.format", "until", null, { expected: "a time in the future" })
        const { maxWidth } = table.rules(table.ofLane(lane), { rules, until, reason })
        if ((rules.startWidth ?? 0) > maxWidth)
          return yield* Problem.of("validation.format", "startWidth", null, { expected: `1 to ${maxWidth}` })
        return yield* setOverride(lane, { rules, until, reason }, actor)
      }),
      /** Removes an override. Fails with common.not_found if there is none. Recorded in the audit log. */
      removeOverride: Effect.fn("ShapingControl.removeOverride")(function* (target: string, actor: Actor) {
        const lane = yield* overridden(target)
        const rows = yield* readAll((request) => store.lanes(request, { lane: [lane] }))
        if (!rows.some((one) => one.lane === lane && one.override !== null))
          return yield* Problem.of("common.not_found")
        yield* setOverride(lane, null, actor)
      }),
      /** Explains where the mail to an address or a domain goes and what holds it, for all accounts or one. */
      explain: Effect.fn("ShapingControl.explain")(function* (to: string, accountId: string | null) {
        yield* checkAccount(accountId)
        const domain = parseDomain(domainOfAddress(to))
        if (domain === null)
          return yield* Problem.of("validation.format", "to", null, {
            expected: "an email address or a domain name"
          })
        const { best, lane, provider, records } = yield* routeOf(domain)
        const none = { DnsMissing: () => Effect.succeed([]), DnsUnavailable: () => Effect.succeed([]) }
        const mx = yield* Effect.forEach(
          records,
          ({ exchange, preference }) =>
            Effect.map(Effect.catchTags(dns.addresses(exchange), none), (addresses) => ({
              host: exchange,
              preference,
              addresses
            })),
          { concurrency: "unbounded" }
        )
        const rows = lane === null ? [] : yield* readAll((request) => store.lanes(request, { lane: [lane] }))
        const known = (yield* lanesOf(rows)).filter((one) => laneWithoutSource(one.lane.lane) === lane)
        const shared = known.find((one) => one.lane.lane === lane) ?? known[0] ?? null
        const over = lane ?? provider?.key ?? null
        const names = [...(over === null ? [] : lanesOver(over)), `domain:${domain}`]
        const concerns = { lane: names, concerns: accountId }
        const now = yield* Clock.currentTimeMillis
        const open = yield* readAll((request) =>
          store.page(request, { ...concerns, open: { is: true, at: now } })
        )
        const lastReplies = (yield* store.page({ page: 1, pageSize: 5 }, concerns)).items
        const override = shared?.lane.override ?? null
        const rules = table.shownRules(provider, override, currentlyStated(shared?.lane.stated ?? {}, now))
        const next = Math.max(
          shared?.pausedUntil ?? 0,
          shared?.lane.pace?.notBefore ?? 0,
          ...open.map(({ until }) => until)
        )
        const held = countOf(yield* heldOn(names, accountId))
        const longestOpen = open.toSorted((one, other) => other.until - one.until)[0]
        const lastUntil = Math.max(shared?.pausedUntil ?? 0, longestOpen?.until ?? 0)
        const terms =
          best.length === 0
            ? null
            : yield* security.terms({
                accountId: accountId ?? "",
                domain,
                hosts: mx.map(({ host }) => host),
                level: rules["tls"]!.value as LaneRules["tls"]
              })
        const first = terms?._tag === "Hosts" ? terms.of(best[0]!) : null
        const untilOn = (name: string) =>
          open.flatMap((one) => (one.lane === name && one.sender === null ? [one.until] : []))
        const all = yield* readAll(sources.list)
        const explained = all.map((source): ExplainedSource => {
          const times = lane === null ? [] : untilOn(laneFrom(lane, source))
          const group = lane === null ? null : source.groups.find((one) => one.group === groupOf(lane))
          return { source, heldUntil: times.length === 0 ? null : Math.max(...times), group: group ?? null }
        })
        return {
          domain,
          mx,
          provider,
          lane,
          rules,
          shared,
          sources: explained,
          tls: first === null ? null : { policy: first.policy, isRequired: first.isRequired },
          notices: yield* noticesOf(open),
          width: shared?.width ?? firstWidthOf(provider, table.rules(provider, override)),
          pause:
            longestOpen === undefined && lastUntil <= now
              ? null
              : { until: lastUntil, words: longestOpen?.words ?? "" },
          held,
          lastReplies: lastReplies.filter(({ cause }) => cause === "Reply"),
          next: next > now ? next : null
        } satisfies Explained
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ShapingControl, ShapingControl.make).pipe(
    Layer.provide([Shaping.layer, Sources.layer]),
    builtOnce
  )
}
