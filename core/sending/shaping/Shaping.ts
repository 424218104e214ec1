/**
 * Decides which mail may be sent now and which must wait, by the suspensions and paces that all processes share, and learns
 * from the replies of servers. A message costs no statement: suspensions are read every five seconds, and written with the
 * results of a batch.
 *
 * A lane is one destination (a provider, a site or a relay) from one source. A suspension holds the mail to a lane, or an
 * account's or sending domain's part of it, until a time. After that time, one message at a time probes whether the suspension
 * can end.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric, Semaphore } from "effect"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Ids } from "../../kernel/Ids.ts"
import { LaneShares } from "../../kernel/LaneShares.ts"
import type { Pace } from "../../model/Lane.ts"
import type { Hold, Outcome, Rejection } from "../../model/Message.ts"
import { isOpen, maxRefused, type Suspension, suspensionKey } from "../../model/Suspension.ts"
import {
  type AddressFamily,
  defaultPool,
  laneFrom,
  lanesOver,
  laneWithoutSource,
  type SendingSource,
  sourceOfLane
} from "../../model/Source.ts"
import type { SubmissionContent } from "../../model/Submission.ts"
import { ShapingStore } from "../../ports/ShapingStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { SendingSources } from "../sources/SendingSources.ts"
import type { SourceChoice } from "../sources/SourceRules.ts"
import { Paces, resumePace } from "./Paces.ts"
import { KnownProviders } from "./Providers.ts"
import { sourceCountsOf } from "./SourceResults.ts"
import {
  afterRejection,
  heldReason,
  rejectionIn,
  type RejectedDelivery,
  resolved,
  scopeOf,
  scopesOver,
  unreachable
} from "./SuspensionRules.ts"

/** How often suspensions are read, milliseconds. */
const readEvery = 5_000
/** How far back changes are read again, milliseconds: the clocks of processes differ, and transactions take time. */
const readAgain = 30_000
/** How far back changes are read at first, milliseconds. No suspension is longer. */
const readFirst = 7 * 86_400_000
/** The maximum number of suspensions read at a time, and kept in memory. */
const perRead = 1_000
const maxKnown = 20_000
/** The maximum number of domains whose lanes are kept in memory. */
const maxDomains = 50_000
/**
 * The maximum number of kinds of rejections that are counted, and their minimum interval, milliseconds: rejections within it
 * count as one.
 */
const maxStrikes = 10_000
const strikeEvery = 10_000
/** How long no other message is sent while one probes a suspension, milliseconds. */
const probeMillis = 120_000
/** After this time, a rejected message may itself probe its suspension, because there was no other message. */
const otherMillis = 60_000
const minute = 60_000
/** How soon a message is tried again whose source belongs to another process, milliseconds. */
const elsewhereMillis = 2_000
/** For how long an account is left to the processes that have its sources, milliseconds. */
const leftMillis = 10_000
/** How soon a message is tried again that asked for a share of a source, milliseconds. */
const askedMillis = 1_000
/** How long after a lane accepted a message its mail may use the places that a process reserves, milliseconds. */
const reservedFor = 3_600_000
/**
 * A notice appears if a server that never took mail stays silent for this long, milliseconds, and for this many recipients.
 */
const silentFor = { millis: 2 * 3_600_000, recipients: 10 } as const
/** After this time without mail to a silent server, counting starts again, milliseconds. */
const silentGap = 86_400_000
/** The prefix of the lane on which a message is held if no source may be used. The key of the pool follows. */
export const poolLane = "pool:"

const isPoolLane = (lane: string): boolean => lane.startsWith(poolLane)
const isDomainLane = (lane: string): boolean => lane.startsWith("domain:")
const isRelayLane = (lane: string): boolean => lane === "relay" || lane.startsWith("relay:")

const answers = Metric.counter("svc_shaping_answers_total", {
  description:
    "Replies of mail servers that concern more than a recipient, by provider and what they lead to",
  incremental: true
})

const delivered = Metric.counter("svc_shaping_delivered_total", {
  description: "Messages that recipients' servers and relays accepted, by provider",
  incremental: true
})

const deferred = Metric.counter("svc_shaping_deferred_total", {
  description: "Messages that they rejected for the time being, by provider",
  incremental: true
})

const sentBySource = Metric.counter("svc_source_sent_total", {
  description: "Messages that left from sources, by address and provider",
  incremental: true
})

/** The origin of an email's content, as far as it is known. */
export type ContentOrigin = Pick<SubmissionContent, "flowId" | "id" | "marketing" | "templateId">

/**
 * The origin of an email's content: a campaign, a template, a flow, or the email itself. Servers' objections to content are
 * counted by it.
 */
export const contentOf = ({ flowId, id, marketing, templateId }: ContentOrigin): string =>
  marketing?.campaign?.id ?? templateId ?? flowId ?? id

/** A message to be sent, in the form in which the limits of lanes are decided. */
export interface ShapedMessage extends RejectedDelivery {
  /** The recipient's address. */
  readonly recipient: string
  /** The origin of its content (`contentOf`). */
  readonly content: string
  /** The recipient's domain. */
  readonly domain: string
  /** The lane on which the delivery was last held; null if there is none. */
  readonly lane: string | null
  /** The key of the pool of sources that its account chose for its stream; left out for the default pool. */
  readonly pool?: string
  /** The keys of the pools of all the account's streams; left out if some of the account's mail is sent in another way. */
  readonly pools?: ReadonlyArray<string>
  /** Whether it waits while sources are warmed up. */
  readonly isMarketing?: boolean
  /**
   * The lanes of the ways that the account chose, in order, with null for the recipient's own servers; left out for the
   * default.
   */
  readonly ways?: ReadonlyArray<string | null>
}

/** A wait: its end, epoch milliseconds, and its reason. */
export interface Wait {
  readonly at: number
  readonly hold: Hold
  /** The pace of the lane after the wait; left out if it is not known. */
  readonly pace?: Pace
}

/** A hold of mail that is not submitted yet: its end, epoch milliseconds, and its reason. */
export interface Held {
  readonly at: number
  readonly reason: "sending.provider_held" | "sending.warming_up"
}

/** Whether a message may use a lane, and from which source; null for the address that the system chooses. */
export type LaneDecision =
  | { readonly _tag: "From"; readonly source: SendingSource | null }
  | { readonly _tag: "Wait"; readonly wait: Wait }
  /** The process has no place for the message. */
  | { readonly _tag: "Crowded" }

/** An outcome in which a server accepted the message. */
type Accepted = Extract<Outcome, { readonly _tag: "Accepted" | "Delivered" | "Sent" }>

const isSent = (outcome: Outcome): outcome is Accepted =>
  outcome._tag === "Delivered" || outcome._tag === "Accepted" || outcome._tag === "Sent"

/** The result of an attempt. */
export interface ShapedResult {
  readonly message: ShapedMessage
  readonly outcome: Outcome
}

/** What follows for a rejected delivery: it waits, or has failed. */
export type Sequel = Wait | "Refused"

/** Decides which mail must wait. */
export class Shaping extends Context.Service<Shaping>()("svc/sending/Shaping", {
  make: Effect.gen(function* () {
    const ids = yield* Ids
    const store = yield* ShapingStore
    const submissions = yield* SubmissionStore
    const known = new Map<string, Suspension>()
    const lanes = new Map<string, string>()
    const strikes = new Map<string, ReadonlyArray<number>>()
    const acceptedAt = new Map<string, number>()
    /** Lanes on which no server has ever replied: since when, and the recipients whose mail shows it. */
    const silent = new Map<
      string,
      { readonly since: number; readonly recipients: ReadonlySet<string>; readonly at: number }
    >()
    const { memory } = yield* LaneShares
    const sources = yield* SendingSources
    const table = yield* KnownProviders
    const context = yield* Effect.context()
    const paces = new Paces(memory)
    const reading = yield* Semaphore.make(1)
    let readAt: number | null = null
    for (const counter of [delivered, deferred])
      yield* Metric.update(Metric.withAttributes(counter, { provider: "other" }), 0)

    /** Until when accounts are left to other processes, epoch milliseconds. */
    const leftUntil = new Map<string, number>()

    /** The lanes of the deliveries that probe a suspension. */
    const probing = new Map<string, string | null>()

    const note = (suspension: Suspension, now: number) => {
      const key = suspensionKey(suspension)
      const { accountId, cause, lane, resolvedAt, slowly, until } = suspension
      const isNew = known.get(key)?.resolvedAt !== resolvedAt
      known.delete(key)
      known.set(key, suspension)
      if (known.size > maxKnown) known.delete(known.keys().next().value!)
      // The suspension of a single account says nothing about other accounts' mail.
      if (!isNew || resolvedAt === null || accountId !== null) return
      if (cause === "Unreachable") {
        memory?.reach(lane, now)
        if (!slowly) return
      }
      if (slowly) paces.resume(lane, cause === "Operator" ? Math.min(resolvedAt, until) : resolvedAt, now)
      else {
        paces.clear(lane, resolvedAt)
        memory?.restore(lane, now)
      }
    }

    const read = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (readAt !== null && Math.abs(now - readAt) < readEvery) return
      let since = readAt === null ? now - readFirst : readAt - readAgain
      while (true) {
        const changed = yield* store.changed(since, perRead)
        for (const suspension of changed) note(suspension, now)
        const last = changed.at(-1)
        if (changed.length < perRead || last === undefined || last.changedAt <= since) break
        since = last.changedAt
      }
      if (memory !== null) yield* memory.refresh
      yield* sources.refresh
      readAt = now
    })

    /** The lane that a message is expected to use, without its source; if it has several ways, the first. */
    const laneOf = ({ domain, lane, ways }: Pick<ShapedMessage, "domain" | "lane" | "ways">) => {
      const last = ways?.[0] ?? lanes.get(domain) ?? (ways === undefined ? lane : null)
      return last === null || isPoolLane(last) ? null : laneWithoutSource(last)
    }

    /** When a lane last accepted a message, epoch milliseconds; 0 if that is not known. */
    const lastAccepted = (lane: string): number =>
      Math.max(acceptedAt.get(lane) ?? 0, memory?.acceptedAt(lane) ?? 0)

    const ofLane = (lane: string, cause: Suspension["cause"]): Suspension | undefined =>
      known.get(suspensionKey({ lane, accountId: null, sender: null, cause }))

    /** Whether a suspension matches that holds a lane, or all sites of the lane's provider from the same source. */
    const isSuspended = (lane: string, isMeant: (suspension: Suspension) => boolean): boolean =>
      lanesOver(lane)
        .filter((one) => sourceOfLane(one) === sourceOfLane(lane))
        .some((one) =>
          (["Reply", "Operator"] as const).some((cause) => {
            const found = ofLane(one, cause)
            return found !== undefined && isMeant(found)
          })
        )

    /** Slows a lane at first whose suspension by an operator has ended. */
    const resumeEnded = (lane: string, now: number) => {
      const found = ofLane(lane, "Operator")
      if (found?.resolvedAt === null && found.until <= now) paces.resume(lane, found.until, now)
    }

    /**
     * Chooses the source of a message on a lane; `lane` is null if it is not known. A relay has no source. With `isProbed`,
     * only sources are chosen for whose lanes it returns true.
     */
    const choiceOn = (
      message: ShapedMessage,
      lane: string | null,
      now: number,
      families: ReadonlySet<AddressFamily> | null = null,
      isProbed: ((from: string) => boolean) | null = null
    ): SourceChoice => {
      if (lane !== null && isRelayLane(lane)) return { _tag: "System" }
      const probed = probing.get(message.id) ?? null
      const isProbe = probed !== null && lane !== null && laneWithoutSource(probed) === lane
      return sources.choose(
        message.id,
        // A probe may exceed the share of its source.
        lane === null || isProbe || isProbed !== null || isDomainLane(lane) ? null : lane,
        {
          pool: message.pool ?? defaultPool,
          stream: `${message.accountId} ${message.domain}`,
          sender: message.sender,
          // `families` is known once a transport has found the servers, and `checkSources` was called before that.
          isChecked: families !== null,
          families,
          isHeld: (source) => {
            if (lane === null) return false
            const from = laneFrom(lane, source)
            if (isProbe) return from !== probed
            return isProbed === null ? isSuspended(from, (one) => isOpen(one, now)) : !isProbed(from)
          },
          isMarketing: message.isMarketing === true
        },
        now
      )
    }

    /** The lane of a choice. */
    const laneBy = (lane: string, choice: SourceChoice): string =>
      "source" in choice ? laneFrom(lane, choice.source) : lane

    /** The lane that a message would probe: that of a source whose suspension's time has ended, if there is one. */
    const probeLaneOf = (message: ShapedMessage, now: number): string | null => {
      const lane = laneOf(message)
      if (lane === null) return null
      const isOver = ({ cause, probeUntil, resolvedAt, until }: Suspension) =>
        cause === "Reply" && resolvedAt === null && until <= now && (probeUntil ?? 0) <= now
      const over = choiceOn(message, lane, now, null, (from) => isSuspended(from, isOver))
      return laneBy(lane, over._tag === "Source" ? over : choiceOn(message, lane, now))
    }

    /** Leaves an account to the processes that have the sources of all its mail, if this process has none of them. */
    const leave = (message: ShapedMessage, now: number) => {
      const isElsewhere = (pool: string) => {
        const choice = choiceOn({ ...message, pool }, null, now)
        return choice._tag === "None" && choice.isElsewhere
      }
      if (message.pools?.every(isElsewhere) === true) leftUntil.set(message.accountId, now + leftMillis)
    }

    /** How long a message waits if this process has no source for it, or no share of one. */
    const waitForSource = (choice: SourceChoice, lane: string | null, now: number): Wait | null => {
      if (choice._tag === "None") {
        const reason = choice.isElsewhere ? "sending.retrying" : "sending.provider_held"
        const millis = choice.isElsewhere ? elsewhereMillis : minute
        return { at: now + millis, hold: { reason, lane: `${poolLane}${choice.pool}` } }
      }
      if (lane === null) return null
      if (choice._tag === "Asked") {
        sources.ask(choice.source, lane, now)
        return { at: now + askedMillis, hold: { reason: "sending.retrying", lane: laneBy(lane, choice) } }
      }
      if (choice._tag !== "Warming") return null
      const at = sources.waitUntil(choice.source, lane, choice.until)
      return { at, hold: { reason: "sending.warming_up", lane: laneBy(lane, choice) } }
    }

    /** Takes the share that a choice needs. */
    const takeShare = (message: ShapedMessage, lane: string, choice: SourceChoice, now: number) => {
      if (choice._tag === "Source") sources.take(message.id, choice.source, lane, now)
    }

    /** How long a message waits that can take several ways: until the first of them is free. */
    const waitOnWays = (
      message: ShapedMessage,
      ways: ReadonlyArray<string | null>,
      now: number
    ): Wait | null => {
      let first: Wait | null = null
      for (const way of ways) {
        const lane = way ?? lanes.get(message.domain) ?? null
        const choice = choiceOn(message, lane, now)
        const wait =
          waitForSource(choice, lane, now) ??
          waitOn(message, lane === null ? null : laneBy(lane, choice), [], now)
        if (wait === null) {
          if (lane !== null) takeShare(message, lane, choice, now)
          return null
        }
        if (first === null || wait.at < first.at) first = wait
      }
      return first
    }

    const openOver = (message: ShapedMessage, lane: string | null, now: number): ReadonlyArray<Suspension> =>
      known.size === 0
        ? []
        : scopesOver(lane, message.domain, message.accountId, message.sender).flatMap((scope) =>
            (["Reply", "Operator"] as const).flatMap((cause) => {
              const found = known.get(suspensionKey({ ...scope, cause }))
              return found !== undefined && isOpen(found, now) ? [found] : []
            })
          )

    /** @param paced the lanes whose pace applies */
    const waitOn = (
      message: ShapedMessage,
      lane: string | null,
      paced: ReadonlyArray<string>,
      now: number
    ): Wait | null => {
      const [first, ...others] = openOver(message, lane, now)
      if (first !== undefined) {
        const last = others.reduce((one, other) => (other.until > one.until ? other : one), first)
        const at = last.until > now ? last.until : Math.max(last.probeUntil ?? 0, now + otherMillis)
        return {
          at,
          hold: { reason: heldReason(last), lane: last.lane },
          ...(last.cause === "Reply" ? { pace: resumePace(at) } : {})
        }
      }
      for (const one of new Set(paced.flatMap(lanesOver))) {
        resumeEnded(one, now)
        const at = paces.take(one, now)
        const pace = at === null ? null : paces.of(one)
        if (at !== null)
          return {
            at,
            hold: { reason: "sending.retrying", lane: one },
            ...(pace === null ? {} : { pace })
          }
      }
      return null
    }

    const admit = (
      message: ShapedMessage,
      lane: string,
      now: number,
      families: ReadonlySet<AddressFamily> | null,
      enter: (fromReserve: boolean) => boolean
    ): LaneDecision => {
      const isAssumed = message.ways === undefined && laneOf(message) === lane
      // A relay that an account chose says nothing about other accounts' mail to the domain.
      if (message.ways?.includes(lane) !== true) {
        lanes.delete(message.domain)
        lanes.set(message.domain, lane)
        if (lanes.size > maxDomains) lanes.delete(lanes.keys().next().value!)
      }
      const choice = choiceOn(message, lane, now, families)
      const from = laneBy(lane, choice)
      const source = choice._tag === "Source" ? choice.source : null
      const isProbe = probing.has(message.id)
      const elsewhere = waitForSource(choice, lane, now)
      if (elsewhere === null && !enter(isProbe || now - lastAccepted(from) <= reservedFor))
        return { _tag: "Crowded" }
      const wait = elsewhere ?? (isProbe ? null : waitOn(message, from, isAssumed ? [] : [from], now))
      if (wait === null) takeShare(message, lane, choice, now)
      return wait === null ? { _tag: "From", source } : { _tag: "Wait", wait }
    }

    const keepStrikes = (lane: string, key: string, times: ReadonlyArray<number>) => {
      if (memory !== null) return memory.setMarks(lane, key, times)
      strikes.delete(key)
      if (times.length > 0) strikes.set(key, times)
      if (strikes.size > maxStrikes) strikes.delete(strikes.keys().next().value!)
    }

    const strike = (rejection: Rejection, { accountId, content }: ShapedMessage, now: number) => {
      const { answer } = rejection
      const rule = answer.strikes
      if (rule === undefined) return rejection
      const isOfContent = answer.action === "FailMessage"
      // Content is rejected whatever address it is sent from.
      const lane = isOfContent ? laneWithoutSource(rejection.lane) : rejection.lane
      const key = [answer.rule, lane, ...(isOfContent ? [accountId, content] : [])].join(" ")
      const marks = memory === null ? (strikes.get(key) ?? []) : memory.marksOf(lane, key)
      const earlier = marks.filter((at) => at > now - rule.withinMinutes * minute)
      const isBurst = !isOfContent && now - (earlier.at(-1) ?? -Infinity) < strikeEvery
      const all = isBurst ? earlier : [...earlier, now]
      if (!isBurst) keepStrikes(lane, key, all)
      // The first rejection only starts the count.
      if (all.length < rule.count + (isOfContent ? 0 : 1)) return rejection
      keepStrikes(lane, key, [])
      const { perMinute: _perMinute, strikes: _strikes, ...rest } = answer
      return {
        ...rejection,
        answer: { ...rest, action: rule.action, scope: rule.scope, minutes: rule.minutes }
      }
    }

    /**
     * Whether a lane has rejected mail of two accounts for a reason that names neither, more than one message of at least one
     * of them, and has accepted none since. The rejections then concern all mail.
     */
    const concernsAll = ({ accountId, action, lane }: Suspension, now: number): boolean => {
      const last = lastAccepted(lane)
      for (const one of known.values())
        if (
          one.lane === lane &&
          one.sender !== null &&
          one.accountId !== accountId &&
          one.refused.length > 0 &&
          [one.action, action].includes("PauseSender") &&
          isOpen(one, now) &&
          last < one.since
        )
          return true
      return false
    }

    /** The origins of content (`contentOf`) of the first delivery that each suspension of an account rejected. */
    const refusedContents = Effect.fnUntraced(function* (suspensions: ReadonlyArray<Suspension>) {
      const refs = suspensions.flatMap(({ accountId, refused: [id] }) =>
        accountId === null || id === undefined ? [] : [{ accountId, id }]
      )
      const found = refs.length === 0 ? [] : yield* submissions.unloaded(refs)
      return new Set(found.map(contentOf))
    })

    /** The recipients of the deliveries that suspensions of accounts rejected, by delivery id. */
    const refusedOf = Effect.fnUntraced(function* (suspensions: ReadonlyArray<Suspension>) {
      const refs = suspensions.flatMap(({ accountId, refused }) =>
        accountId === null ? [] : refused.map((id) => ({ accountId, id }))
      )
      const found = refs.length === 0 ? [] : yield* submissions.deliveries(refs)
      return new Map(found.map(({ email, id }) => [id, email] as const))
    })

    const learn = (outcome: Outcome, message: ShapedMessage, now: number): Outcome => {
      probing.delete(message.id)
      const lane = "lane" in outcome ? outcome.lane : undefined
      const counts = sourceCountsOf(outcome)
      const address = lane === undefined ? null : sourceOfLane(lane)
      if (lane === undefined || address === null || counts === null) sources.giveBack(message.id)
      else {
        sources.sent(message.id, address, laneWithoutSource(lane), counts, now)
        const labels = { source: address, provider: table.ofLane(lane)?.key ?? "other" }
        Metric.withAttributes(sentBySource, labels).updateUnsafe(1, context)
      }
      if (lane === undefined) return outcome
      const provider = table.ofLane(lane)?.key ?? "other"
      const isDeferred = outcome._tag === "Deferred" || outcome._tag === "Held"
      if (isDeferred) Metric.withAttributes(deferred, { provider }).updateUnsafe(1, context)
      const concernsLane =
        (outcome._tag === "Deferred" && outcome.isNeutral !== true) ||
        outcome._tag === "Held" ||
        outcome._tag === "Unknown"
      if (concernsLane) for (const one of lanesOver(lane)) paces.deferred(one, now)
      if (isSent(outcome)) {
        Metric.withAttributes(delivered, { provider }).updateUnsafe(1, context)
        paces.accepted(lane, now)
        acceptedAt.delete(lane)
        acceptedAt.set(lane, now)
        if (acceptedAt.size > maxStrikes) acceptedAt.delete(acceptedAt.keys().next().value!)
      }
      if (outcome._tag !== "Held" && outcome._tag !== "Refused") return outcome
      if (outcome.rejection === undefined) return outcome
      const rejection = strike(outcome.rejection, message, now)
      const { action, minutes, perMinute, scope } = rejection.answer
      Metric.withAttributes(answers, { provider, action }).updateUnsafe(1, context)
      const wait = outcome._tag === "Held" ? (outcome.retryAfter ?? 0) : 0
      // If there are too many connections, or too many messages on one, the service uses fewer. A rate limits neither.
      const isFitted = scope === "connection" && (memory?.statedOf(lane, now).connections?.most ?? 1) > 1
      if (action === "SlowDown" && (!isFitted || wait > 0))
        paces.slow(lane, perMinute ?? null, minutes ?? null, wait, now)
      return { ...outcome, rejection }
    }

    /** Counts mail to which a server did not reply. Returns whether the silence has lasted, and concerns many recipients. */
    const isSilent = (lane: string, recipient: string, now: number): boolean => {
      const last = silent.get(lane)
      const before = last === undefined || now - last.at > silentGap ? null : last
      const recipients = new Set(before?.recipients)
      if (recipients.size < silentFor.recipients) recipients.add(recipient)
      const since = before?.since ?? now
      silent.delete(lane)
      silent.set(lane, { since, recipients, at: now })
      if (silent.size > maxStrikes) silent.delete(silent.keys().next().value!)
      return recipients.size >= silentFor.recipients && now - since >= silentFor.millis
    }

    /**
     * The changes of suspensions for lanes that were unreachable several times in a row, and for lanes that take mail again.
     */
    const reachabilityOf = Effect.fnUntraced(function* (results: ReadonlyArray<ShapedResult>, now: number) {
      const found = new Map<string, Suspension>()
      for (const { message, outcome } of results) {
        const lane = "lane" in outcome ? outcome.lane : undefined
        if (lane === undefined || memory === null) continue
        const scope = { lane, accountId: null, sender: null, cause: "Unreachable" } as const
        const before = known.get(suspensionKey(scope))
        const open = before === undefined || before.resolvedAt !== null ? null : before
        if (isSent(outcome)) {
          silent.delete(lane)
          if (open !== null) found.set(lane, { ...resolved(open, now), slowly: false })
          continue
        }
        const isUnsent = outcome._tag === "Deferred" || outcome._tag === "Unknown"
        const unreached = isUnsent ? memory.unreached(lane, now) : null
        if (unreached === null) continue
        const { conversation } = outcome as Extract<Outcome, { readonly _tag: "Deferred" | "Unknown" }>
        // For a server that no longer exists, there is a notice only if much mail waits for it.
        const isShown =
          unreached.isProven ||
          isRelayLane(lane) ||
          table.ofLane(lane) !== null ||
          rejectionIn(conversation) !== null ||
          isSilent(lane, message.recipient, now)
        if (!isShown || (open !== null && open.until >= unreached.until)) continue
        found.set(lane, {
          ...unreachable(conversation ?? null, open, unreached.until, now),
          ...scope,
          id: open?.id ?? (yield* ids.next)
        })
      }
      return [...found.values()]
    })

    const apply = Effect.fnUntraced(function* (results: ReadonlyArray<ShapedResult>) {
      const now = yield* Clock.currentTimeMillis
      const reachability = yield* reachabilityOf(results, now)
      const sequels = new Map<string, Sequel>()
      const rejected = results.flatMap(({ message, outcome }) => {
        if ((outcome._tag !== "Held" && outcome._tag !== "Refused") || outcome.rejection === undefined)
          return []
        const { rejection } = outcome
        const scope = scopeOf(rejection, message)
        if (scope === null) {
          const rate = rejection.answer.perMinute ?? 1
          const wait = Math.max(("retryAfter" in outcome ? outcome.retryAfter : 0) ?? 0, minute / rate)
          if (outcome._tag === "Held")
            sequels.set(message.id, {
              at: now + wait,
              hold: { reason: "sending.retrying", lane: rejection.lane }
            })
          return []
        }
        return [{ message, rejection, scope, isHeld: outcome._tag === "Held" }]
      })
      // A message that was accepted after the time of a suspension ends the suspension.
      const accepted = results.flatMap(({ message, outcome }) =>
        isSent(outcome)
          ? openOver(message, outcome.lane ?? null, now).filter(
              ({ cause, until }) => cause === "Reply" && until <= now
            )
          : []
      )
      if (rejected.length === 0 && accepted.length === 0 && reachability.length === 0) return sequels
      const keys = new Set([
        ...accepted.map(suspensionKey),
        ...rejected.map(({ scope }) => suspensionKey({ ...scope, cause: "Reply" }))
      ])
      const rows = new Map(
        (yield* store.lock([...keys].toSorted())).map((row) => [suspensionKey(row), row] as const)
      )
      const before = new Map(rows)
      const probed = rejected.flatMap(({ rejection, scope }) => {
        const row = rows.get(suspensionKey({ ...scope, cause: "Reply" }))
        return rejection.answer.action === "Probe" && row !== undefined ? [row] : []
      })
      const recipients = yield* refusedOf(probed)
      for (const one of accepted) {
        const row = rows.get(suspensionKey(one))
        if (row !== undefined && row.resolvedAt === null && row.until <= now)
          rows.set(suspensionKey(row), resolved(row, now))
      }
      for (const { isHeld, message, rejection, scope } of rejected) {
        const key = suspensionKey({ ...scope, cause: "Reply" })
        const previous = rows.get(key) ?? null
        const isOther = (id: string) => (recipients.get(id) ?? message.recipient) !== message.recipient
        const isToOther = previous?.refused.some(isOther) === true
        const after = afterRejection(previous, rejection, message, scope, yield* ids.next, now, isToOther)
        if (after._tag === "Refused") {
          sequels.set(message.id, "Refused")
          continue
        }
        const { suspension } = after
        rows.set(key, suspension)
        if (rejection.answer.action === "Probe" && concernsAll(suspension, now)) {
          const wider = { lane: scope.lane, accountId: null, sender: null }
          const whole = suspensionKey({ ...wider, cause: "Reply" })
          const [widest = null] = rows.has(whole) ? [rows.get(whole)!] : yield* store.lock([whole])
          const source = { ...rejection, answer: { ...rejection.answer, action: "PauseSource" as const } }
          const paused = afterRejection(widest, source, message, wider, yield* ids.next, now)
          if (paused._tag === "Held") rows.set(whole, paused.suspension)
        }
        if (isHeld)
          sequels.set(message.id, {
            at: suspension.until,
            hold: { reason: heldReason(suspension), lane: suspension.lane }
          })
      }
      const changed = [
        ...[...rows].flatMap(([key, row]) => (before.get(key) === row ? [] : [row])),
        ...reachability
      ]
      yield* store.put(changed)
      for (const suspension of changed) {
        const previous = known.get(suspensionKey(suspension))
        note(suspension, now)
        if (suspension.resolvedAt !== null || previous?.until === suspension.until) continue
        yield* Effect.annotateLogs(Effect.logInfo("mail is held"), {
          lane: suspension.lane,
          account: suspension.accountId ?? "all",
          action: suspension.action,
          rule: suspension.rule,
          until: new Date(suspension.until).toISOString()
        })
      }
      return sequels
    })

    const claimProbes = Effect.fnUntraced(function* (messages: ReadonlyArray<ShapedMessage>) {
      const now = yield* Clock.currentTimeMillis
      const chosen = new Map<
        string,
        {
          readonly message: ShapedMessage
          readonly lane: string | null
          readonly over: ReadonlyArray<Suspension>
        }
      >()
      const taken = new Set<string>()
      if (known.size === 0) return new Set<string>()
      const held = messages.flatMap((message) => {
        const lane = probeLaneOf(message, now)
        const over = openOver(message, lane, now)
        return over.length === 0 ? [] : [{ message, lane, over }]
      })
      const isDue = ({ cause, probeUntil, until }: Suspension) =>
        cause === "Reply" && until <= now && (probeUntil ?? 0) <= now
      const candidates = held.filter(({ over }) => over.every(isDue))
      if (candidates.length === 0) return new Set<string>()
      const recipients = yield* refusedOf([...new Set(candidates.flatMap(({ over }) => over))])
      const contents = yield* refusedContents([...new Set(candidates.flatMap(({ over }) => over))])
      // A message to a new recipient is a better probe than one that was rejected before, and one with other content is better
      // still.
      const isRefused = ({ id, recipient }: ShapedMessage, { refused }: Suspension) =>
        refused.some((one) => one === id || recipients.get(one) === recipient)
      const rankOf = ({ message, over }: (typeof held)[number]) =>
        Number(over.some((one) => isRefused(message, one))) * 4 +
        Number(contents.has(message.content)) * 2 +
        Number(message.isMarketing === true)
      for (const { lane, message, over } of candidates.toSorted((a, b) => rankOf(a) - rankOf(b))) {
        const isOver = over.every(
          (one) =>
            !taken.has(one.id) &&
            (!isRefused(message, one) || one.refused.length >= maxRefused || one.until + otherMillis <= now)
        )
        if (!isOver) continue
        for (const { id } of over) taken.add(id)
        chosen.set(message.id, { message, lane, over })
      }
      if (chosen.size === 0) return new Set<string>()
      const claimed = new Set(yield* store.claimProbes([...taken].toSorted(), now, now + probeMillis))
      for (const { over } of chosen.values())
        for (const one of over) note({ ...one, probeUntil: now + probeMillis }, now)
      const through = [...chosen.values()].filter(({ over }) => over.every(({ id }) => claimed.has(id)))
      for (const { lane, message } of through) probing.set(message.id, lane)
      return new Set(through.map(({ message }) => message.id))
    })

    return {
      /** Reads the suspensions that other processes changed, at most every five seconds. */
      refresh: reading.withPermits(1)(Effect.andThen(read, sources.renew)),
      /** Reads these suspensions now. */
      refreshNow: Effect.suspend(() => {
        if (readAt !== null) readAt -= readEvery
        return reading.withPermits(1)(read)
      }),
      /**
       * Returns the ids of the deliveries that are sent as probes although their mail is suspended. Each suspension whose time
       * has ended gets one probe at a time, however many processes there are.
       */
      claimProbes,
      /** The lane that mail to a domain last used; null if none was sent. */
      laneOf: (domain: string): string | null => lanes.get(domain) ?? null,
      /** The key of the provider to which a message goes; null for no provider, and if its lane is not known yet. */
      providerOf: (message: ShapedMessage): string | null => {
        const lane = laneOf(message)
        return lane === null ? null : (table.ofLane(lane)?.key ?? null)
      },
      /**
       * How long a message has to wait; null if it need not wait, and it then takes a turn of its lane's pace, if the lane is
       * known.
       */
      waitOf: (message: ShapedMessage, now: number): Wait | null => {
        if (message.ways !== undefined) return waitOnWays(message, message.ways, now)
        const lane = laneOf(message)
        const choice = choiceOn(message, lane, now)
        const without = waitForSource(choice, lane, now)
        if (choice._tag === "None" && choice.isElsewhere) leave(message, now)
        if (without !== null) return without
        const ofDomain = `domain:${message.domain}`
        if (lane === null || lane === ofDomain) return waitOn(message, lane, [ofDomain], now)
        const from = laneBy(lane, choice)
        const wait = waitOn(message, from, [from, ofDomain], now)
        if (wait === null) takeShare(message, lane, choice, now)
        return wait
      },
      /**
       * Until when mail such as this message is held (epoch milliseconds), and why. Null if it is not held, or if one message
       * should probe whether it still is. It is called before an email is submitted, and takes no turn.
       */
      heldUntil: (message: ShapedMessage, now: number): Held | null => {
        const heldOn = (lane: string | null): Held | null => {
          const choice = choiceOn(message, lane, now)
          if (choice._tag === "None") {
            return choice.isElsewhere ? null : { at: now + minute, reason: "sending.provider_held" }
          }
          if (choice._tag === "Warming") return { at: choice.until, reason: "sending.warming_up" }
          const open = openOver(message, lane === null ? null : laneBy(lane, choice), now)
          const at = Math.max(...open.map(({ until }) => until))
          return open.length > 0 && at > now ? { at, reason: "sending.provider_held" } : null
        }
        if (message.ways === undefined) return heldOn(laneOf(message))
        let first: Held | null = null
        for (const way of message.ways) {
          const held = heldOn(way ?? lanes.get(message.domain) ?? null)
          if (held === null) return null
          if (first === null || held.at < first.at) first = held
        }
        return first
      },
      /** The accounts whose mail is left to other processes, which have its sources. */
      leftToOthers: (now: number): ReadonlyArray<string> => {
        // The clock may have been set back meanwhile.
        for (const [accountId, until] of leftUntil)
          if (until <= now || until > now + leftMillis) leftUntil.delete(accountId)
        return [...leftUntil.keys()]
      },
      /** Gives back the share of a source that `waitOf` took for a message that is not sent. */
      giveBack: (message: string): void => sources.giveBack(message),
      /** The address of the source from which a message is expected to be sent; null for the one that the system chooses. */
      sourceOf: (message: ShapedMessage, now: number): string | null => {
        const choice = choiceOn(message, laneOf(message), now)
        return choice._tag === "Source" ? choice.source.address : null
      },
      /**
       * Looks up, before `admit`, from which IPv6 sources the sending domain permits its mail. Without such sources it does
       * nothing.
       */
      checkSources: ({ pool = defaultPool, sender, ways }: ShapedMessage): Effect.Effect<void> =>
        ways?.includes(null) === false ? Effect.void : sources.checkListed(pool, sender),
      /**
       * As `waitOf`, after a transport has found the lane; also returns the source of the message. It takes a turn of the
       * lane's pace unless `waitOf` did. `enter` takes a place in the process for the message, from the reserve if the lane
       * takes mail.
       */
      admit,
      /** Learns from an outcome. Returns it with the action that follows once several rejections of its kind have occurred. */
      learn,
      /**
       * Writes the suspensions that begin or end because of results, in the caller's transaction. Returns what follows for the
       * rejected deliveries, by id. Needs no statement if nothing changes.
       */
      apply
    }
  })
}) {
  static readonly layer = Layer.effect(Shaping, Shaping.make).pipe(
    Layer.provide(SendingSources.layer),
    builtOnce
  )
}
