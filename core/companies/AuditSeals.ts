/**
 * Seals the entries of each company's audit log day by day, finds the days whose entries no longer match their seal, and deletes
 * entries whose retention has ended (docs/contributing/people.md 6).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { digestsWith, firstLink, linkOf, pruneMark } from "../accounts/AuditDigests.ts"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { type Company, defaultPolicy } from "../model/Account.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AuditLog, type AuditPlace, type AuditScope } from "../ports/AuditLog.ts"
import { Crypto } from "../ports/Crypto.ts"
import { type AuditSeal, SealStore } from "../ports/SealStore.ts"
import { deepEqual } from "../shared/Json.ts"
import { maxPageSize, type Place } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { formatDateTime } from "../shared/Validate.ts"

const dayMillis = 86_400_000

/**
 * How long after its end a day is sealed, milliseconds. By then all of its entries are written, even by nodes with a slow clock.
 */
const sealedAfter = 3_600_000

/** The number of entries that are read, or deleted, together. */
const perRound = 1_000

/** Why a day does not match: its entries, seal or mark were changed, or its seal is missing. */
export interface SealFailure {
  readonly companyId: string
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  readonly why: "Changed" | "Missing"
}

/** The result of a verification. */
export interface Verification {
  /** The number of days that were compared. */
  readonly days: number
  /** The last sealed day; null before the first. */
  readonly last: AuditSeal | null
  readonly failures: ReadonlyArray<SealFailure>
}

/** The day that contains a time. */
const dayOf = (time: number): string => formatDateTime(time).slice(0, 10)
const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)
const nextDay = (day: string): string => dayOf(startOf(day) + dayMillis)

/** The scope of all entries of a company. */
const wholeScope = ({ id, liveAccountId, sandboxAccountId }: Company): AuditScope => ({
  _tag: "Company",
  companyId: id,
  accountIds: [liveAccountId, sandboxAccountId]
})

/** The seals of audit logs. */
export class AuditSeals extends Context.Service<AuditSeals>()("svc/companies/AuditSeals", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const log = yield* AuditLog
    const store = yield* SealStore

    const hashing = Effect.map(keys.get, ({ audit }) => digestsWith(crypto, audit))

    /** The seal of a day, computed from its current entries. */
    const sealOf = Effect.fnUntraced(function* (company: Company, day: string, previous: string) {
      const hash = yield* hashing
      const range = { since: startOf(day), until: startOf(day) + dayMillis }
      const draft = { companyId: company.id, day, previous, pruned: null }
      let link = firstLink(hash, { ...draft, entries: 0 })
      let entries = 0
      let after: AuditPlace | null = null
      while (true) {
        const found: Effect.Success<ReturnType<typeof log.span>> = yield* log.span(
          wholeScope(company),
          range,
          after,
          perRound
        )
        for (const entry of found) link = linkOf(hash, link, entry)
        entries += found.length
        after = found.at(-1) ?? null
        if (found.length < perRound) return { ...draft, entries, hash: link } satisfies AuditSeal
      }
    })

    /** Seals the days of a company that have ended and are not sealed yet. */
    const seal = Effect.fn("AuditSeals.seal")(function* (company: Company) {
      const now = yield* Clock.currentTimeMillis
      let last = yield* store.last(company.id)
      let day: string
      if (last === null) {
        const [first] = yield* log.span(wholeScope(company), { since: 0, until: now }, null, 1)
        if (first === undefined) return
        day = dayOf(first.at)
      } else day = nextDay(last.day)
      for (; startOf(day) + dayMillis + sealedAfter <= now; day = nextDay(day)) {
        last = yield* sealOf(company, day, last?.hash ?? "")
        yield* store.insert(last)
      }
    })

    /** Deletes whole days of a company's entries whose retention has ended, after marking their seals. */
    const prune = Effect.fn("AuditSeals.prune")(function* (company: Company) {
      const now = yield* Clock.currentTimeMillis
      const hash = yield* hashing
      const day = dayOf(now - company.auditRetentionDays * dayMillis)
      while (true) {
        const kept = yield* store.kept(company.id, day, perRound)
        yield* store.mark(kept.map((one) => ({ ...one, pruned: pruneMark(hash, one) })))
        if (kept.length < perRound) break
      }
      while ((yield* log.prune(wholeScope(company), startOf(day), perRound)) === perRound) continue
    })

    const eachCompany = Effect.fnUntraced(function* (
      act: (company: Company) => Effect.Effect<void, Unavailable>
    ) {
      let after: Place | null = null
      do {
        const page: Effect.Success<ReturnType<typeof accounts.companies>> = yield* accounts.companies({
          page: 1,
          pageSize: maxPageSize,
          after,
          total: "Bounded"
        })
        yield* Effect.forEach(page.items, act, { discard: true })
        after = page.next
      } while (after !== null)
    })

    return {
      /** Seals the days that have ended, and deletes entries whose retention has ended. Repeating it is harmless. */
      maintain: Effect.gen(function* () {
        yield* eachCompany((company) => Effect.andThen(seal(company), prune(company)))
        const now = yield* Clock.currentTimeMillis
        const before = now - defaultPolicy.auditRetentionDays * dayMillis
        while ((yield* log.prune({ _tag: "Installation" }, before, perRound)) === perRound) continue
      }),
      /** Compares the seals of a company with its entries. */
      verify: Effect.fn("AuditSeals.verify")(function* (
        company: Company
      ): Effect.fn.Return<Verification, Unavailable> {
        const hash = yield* hashing
        const failures: Array<SealFailure> = []
        const fail = (day: string, why: SealFailure["why"]) =>
          failures.push({ companyId: company.id, day, why })
        let last: AuditSeal | null = null
        let days = 0
        while (true) {
          const found: ReadonlyArray<AuditSeal> = yield* store.list(company.id, last?.day ?? null, perRound)
          for (const one of found) {
            // Seals are never deleted, so only the first one has no predecessor.
            const isNext: boolean = last === null || one.day === nextDay(last.day)
            if (!isNext) fail(nextDay(last!.day), "Missing")
            const previous: string = isNext ? (last?.hash ?? "") : one.previous
            const expected: AuditSeal =
              one.pruned === null
                ? yield* sealOf(company, one.day, previous)
                : { ...one, previous, pruned: pruneMark(hash, one) }
            if (!deepEqual({ ...one }, { ...expected })) fail(one.day, "Changed")
            last = one
            days++
          }
          if (found.length < perRound) return { days, last, failures }
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AuditSeals, AuditSeals.make)
}
