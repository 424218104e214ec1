/**
 * What operators see of mail that is held, and do with it.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { noAccount } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import type { Delivery } from "../../model/Submission.ts"
import { type Suspension, suspensionKey } from "../../model/Suspension.ts"
import { Dns } from "../../ports/Dns.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { ShapingStore, type SuspensionFilter } from "../../ports/ShapingStore.ts"
import { type DeliveryMove, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { maxPageSize, type Page, type PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { type Provider, providerOf, providerOfLane, providerWithKey } from "./Providers.ts"
import { Shaping } from "./Shaping.ts"
import { resolved } from "./SuspensionRules.ts"

/** The longest suspension by an operator, milliseconds. */
const longest = 5 * 24 * 3_600_000
/** How many deliveries are released or ended in one transaction. */
const perTransaction = 500
/** Lists are read in pages of this size to their end. */
const whole = { page: 1, pageSize: maxPageSize }

/** What an operator names: exactly one of provider, site and domain, and an account or null for all. */
export interface Named {
  readonly provider: string | null
  readonly site: string | null
  readonly domain: string | null
  readonly accountId: string | null
}

/** A suspension as it is shown. */
export interface Notice extends Suspension {
  /** The provider's page for senders; null for none. */
  readonly help: string | null
  /** How many deliveries it holds, of those that met it. */
  readonly held: number
}

/** Where the mail of a domain goes, and why it waits. */
export interface Explained {
  readonly domain: string
  readonly provider: Provider | null
  /** The lane that this process last used for the domain; null where it sent nothing there. */
  readonly lane: string | null
  readonly notices: ReadonlyArray<Notice>
}

/** What operators see and do. */
export class ShapingControl extends Context.Service<ShapingControl>()("svc/sending/ShapingControl", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const dns = yield* Dns
    const ids = yield* Ids
    const queue = yield* JobQueue
    const shaping = yield* Shaping
    const store = yield* ShapingStore
    const submissions = yield* SubmissionStore
    const { record } = yield* AuditTrail

    const laneOf = ({ domain, provider, site }: Named): Effect.Effect<string, Problem> => {
      const given = [provider, site, domain].filter((one) => one !== null)
      const isKnown = provider === null || (providerWithKey(provider)?.mx.length ?? 0) > 0
      if (given.length !== 1 || !isKnown || given[0] === "") return Problem.of("shaping.lane_invalid")
      return Effect.succeed(domain === null ? given[0]! : `domain:${domain.toLowerCase()}`)
    }

    const noticesOf = Effect.fnUntraced(function* (found: ReadonlyArray<Suspension>) {
      const counts = yield* submissions.countHeld([...new Set(found.map(({ lane }) => lane))])
      return found.map((one): Notice => ({
        ...one,
        help: providerOfLane(one.lane)?.help ?? null,
        held:
          one.resolvedAt !== null
            ? 0
            : counts
                .filter(
                  ({ accountId, lane }) =>
                    lane === one.lane && (one.accountId === null || one.accountId === accountId)
                )
                .reduce((sum, { count }) => sum + count, 0)
      }))
    })

    const page = Effect.fn("ShapingControl.page")(function* (filter: SuspensionFilter, request: PageRequest) {
      const found = yield* store.page(request, filter)
      return { ...found, items: yield* noticesOf(found.items) } satisfies Page<Notice>
    })

    const openOn = (lane: string, accountId: string | null) =>
      Effect.map(
        store.page(whole, {
          lane: [lane],
          open: true,
          ...(accountId === null ? {} : { accountId: [accountId] })
        }),
        ({ items }) => items
      )

    /** Does something to all deliveries that a lane holds, page by page, each in a transaction; returns how many. */
    const forHeld = Effect.fnUntraced(function* (
      lane: string,
      accountId: string | null,
      act: (held: ReadonlyArray<Delivery>, now: number) => Effect.Effect<number, Unavailable>
    ) {
      let after: string | null = null
      let count = 0
      while (true) {
        const held: ReadonlyArray<Delivery> = yield* submissions.held(lane, accountId, after, perTransaction)
        const last = held.at(-1)
        if (last === undefined) return count
        const now = yield* Clock.currentTimeMillis
        count += yield* atomically(
          Effect.gen(function* () {
            for (const [owner, group] of Map.groupBy(held, (one) => one.accountId)) {
              yield* deliveryJob.cancel(
                queue,
                owner,
                group.map(({ id }) => ({ deliveryId: id }))
              )
            }
            return yield* act(held, now)
          })
        )
        after = last.id
      }
    })

    const makeDue = (held: ReadonlyArray<Delivery>, now: number) =>
      Effect.gen(function* () {
        const newIds = yield* ids.many(held.length)
        yield* queue.enqueue(
          held.map(({ accountId, id }, index) =>
            deliveryJob.job({ id: newIds[index]!, accountId, payload: { deliveryId: id }, runAt: now })
          )
        )
        return held.length
      })

    const endHeld = (held: ReadonlyArray<Delivery>, now: number) =>
      Effect.gen(function* () {
        const move = ({ accountId, attempts, claims, id }: Delivery): DeliveryMove => ({
          accountId,
          id,
          from: "Queued",
          to: "PendingReview",
          reason: null,
          attempts,
          claim: claims,
          at: now
        })
        const moved = yield* submissions.move(held.map(move))
        yield* submissions.move(
          moved.map((one) => ({
            ...move(one),
            from: "PendingReview",
            to: "Failed",
            reason: "sending.given_up"
          }))
        )
        return moved.length
      })

    /** Ends suspensions, and makes what they hold due. */
    const lift = Effect.fnUntraced(function* (
      open: ReadonlyArray<Suspension>,
      lane: string,
      accountId: string | null,
      slowly: boolean,
      action: string,
      actor: Actor
    ) {
      yield* atomically(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const locked = yield* store.lock(open.map(suspensionKey).toSorted())
          yield* store.put(
            locked
              .filter(({ resolvedAt }) => resolvedAt === null)
              .map((one) => ({ ...resolved(one, now), refused: [], slowly }))
          )
          const before = { until: open.map(({ until }) => until) }
          yield* record(actor, {
            accountId: accountId ?? noAccount,
            action,
            target: lane,
            before,
            after: null
          })
        })
      )
      yield* shaping.refreshNow
      return yield* forHeld(lane, accountId, makeDue)
    })

    const liftNamed = (slowly: boolean, action: string) =>
      Effect.fn("ShapingControl.lift")(function* (named: Named, actor: Actor) {
        const lane = yield* laneOf(named)
        const open = yield* openOn(lane, named.accountId)
        return yield* lift(open, lane, named.accountId, slowly, action, actor)
      })

    return {
      /** Suspensions, the one that began last first. */
      notices: page,
      /**
       * Holds mail until a time, 5 days from now at most: of a provider, a site or a recipient's domain, of all accounts or
       * one. Recorded in the audit log.
       */
      suspend: Effect.fn("ShapingControl.suspend")(function* (
        named: Named,
        until: number | null,
        reason: string,
        actor: Actor
      ) {
        const lane = yield* laneOf(named)
        const now = yield* Clock.currentTimeMillis
        const end = until ?? now + longest
        if (end <= now || end > now + longest) return yield* Problem.of("shaping.until_invalid", "until")
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
      /** Ends suspensions; their mail is sent slowly at first. Returns how many deliveries are due now. Recorded. */
      resume: liftNamed(true, "shaping.resumed"),
      /** As `resume`, of one suspension. common.not_found where it has ended. */
      resumeNotice: Effect.fn("ShapingControl.resumeNotice")(function* (id: string, actor: Actor) {
        const found = yield* store.find(id)
        if (found === null || found.resolvedAt !== null) return yield* Problem.of("common.not_found")
        return yield* lift([found], found.lane, found.accountId, true, "shaping.resumed", actor)
      }),
      /** As `resume`, without the slow start. */
      flush: liftNamed(false, "shaping.flushed"),
      /**
       * Ends the deliveries that are held, as Failed; no address is suppressed. `confirm` has to be their number, else
       * shaping.count_changed. Returns how many. Recorded.
       */
      bounce: Effect.fn("ShapingControl.bounce")(function* (
        named: Named,
        reason: string,
        confirm: number,
        actor: Actor
      ) {
        const lane = yield* laneOf(named)
        const { accountId } = named
        const count = (yield* submissions.countHeld([lane]))
          .filter((one) => accountId === null || one.accountId === accountId)
          .reduce((sum, one) => sum + one.count, 0)
        if (count !== confirm)
          return yield* Problem.of("shaping.count_changed", "confirm", null, { count: String(count) })
        yield* atomically(
          record(actor, {
            accountId: accountId ?? noAccount,
            action: "shaping.bounced",
            target: lane,
            before: null,
            after: { count, reason }
          })
        )
        return yield* forHeld(lane, accountId, endHeld)
      }),
      /** Where the mail to an address or a domain goes, and what holds it, of all accounts or one. */
      explain: Effect.fn("ShapingControl.explain")(function* (to: string, accountId: string | null) {
        const domain = to.slice(to.lastIndexOf("@") + 1).toLowerCase()
        const records = yield* Effect.catchTags(dns.mx(domain), {
          DnsMissing: () => Effect.succeed([]),
          DnsUnavailable: () => Effect.succeed([])
        })
        const best = records.filter(({ preference }) => preference === records[0]?.preference)
        const provider = providerOf(best.map(({ exchange }) => exchange))
        const lane = shaping.laneOf(domain) ?? (provider === null || provider.perSite ? null : provider.key)
        const open = yield* Effect.forEach([...(lane === null ? [] : [lane]), `domain:${domain}`], (one) =>
          openOn(one, null)
        )
        const over = open
          .flat()
          .filter((one) => accountId === null || (one.accountId ?? accountId) === accountId)
        return { domain, provider, lane, notices: yield* noticesOf(over) } satisfies Explained
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ShapingControl, ShapingControl.make).pipe(Layer.provide(Shaping.layer))
}
