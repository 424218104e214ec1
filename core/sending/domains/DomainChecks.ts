/**
 * Checks the DNS records of sending domains, at the request of an operator and on a schedule.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { type Actor, systemActor } from "../../model/Actor.ts"
import { AuditTrail, type Change } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { Dns } from "../../ports/Dns.ts"
import { type DomainRef, DomainStore } from "../../ports/DomainStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { SourceStore } from "../../ports/SourceStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { DomainRecord, SendingDomain } from "../../model/Domain.ts"
import {
  exchangersMatch,
  exchangerValue,
  keptValues,
  type ReportReceiver,
  textsMatch
} from "./DomainRecords.ts"
import { unlistedIn } from "./Spf.ts"
import {
  type Checked,
  decideCheck,
  type Findings,
  nextCheckAt,
  recordKey,
  type RecordLookUp,
  refreshRecords
} from "./DomainRules.ts"
import { wakeSending } from "../../jobs/definitions/CampaignJobs.ts"
import { checkJob, releaseJob } from "../../jobs/definitions/DomainJobs.ts"

/** The maximum number of concurrent lookups. */
const maxLookUps = 64

const signersOf = (domain: SendingDomain): string =>
  domain.keys
    .filter((key) => key.state === "Active")
    .map((key) => key.selector)
    .join(" ")

/** The changes made by a check that the audit log records. */
const changesOf = (before: SendingDomain, after: SendingDomain): ReadonlyArray<Change> => {
  const of = { accountId: after.accountId, target: after.id }
  const changes: Array<Change> = []
  if (before.status !== after.status) {
    changes.push({
      ...of,
      action: after.status === "Verified" ? "domain.verified" : "domain.failing",
      before: { domain: before.domain, status: before.status },
      after: { domain: after.domain, status: after.status }
    })
  }
  if (signersOf(before) !== signersOf(after)) {
    changes.push({
      ...of,
      action: "domain.dkim_activated",
      before: { domain: before.domain, selectors: signersOf(before) },
      after: { domain: after.domain, selectors: signersOf(after) }
    })
  }
  return changes
}

const lookedUp = (values: ReadonlyArray<string>, matches: boolean): RecordLookUp => ({
  finding: matches ? "Found" : "Missing",
  seen: keptValues(values)
})

/** Checks sending domains. */
export class DomainChecks extends Context.Service<DomainChecks>()("svc/sending/DomainChecks", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const campaigns = yield* CampaignStore
    const dns = yield* Dns
    const domains = yield* DomainStore
    const jobs = yield* JobQueue
    const atomically = yield* Atomically
    const ids = yield* Ids
    const endpoint = yield* PublicEndpoint
    const sources = yield* SourceStore
    const { record } = yield* AuditTrail

    /** The service as a receiver of mail, and the addresses from which mail is sent. */
    const situation = Effect.map(sources.all, (known) => {
      const addresses = known.sources.flatMap(({ address, mode }) => (mode === "Retired" ? [] : [address]))
      const receiver: ReportReceiver = { ...endpoint, hasSources: addresses.length > 0 }
      return { receiver, addresses }
    })
    type Situation = Effect.Success<typeof situation>

    const lookUp = (wanted: DomainRecord, addresses: ReadonlyArray<string>): Effect.Effect<RecordLookUp> => {
      const found =
        wanted.type === "MX"
          ? Effect.map(dns.mx(wanted.name), (exchangers) =>
              lookedUp(exchangers.map(exchangerValue), exchangersMatch(wanted, exchangers))
            )
          : Effect.flatMap(dns.txt(wanted.name), (texts) =>
              wanted.purpose === "SPF" && addresses.length > 0
                ? Effect.map(unlistedIn(dns, wanted.name, addresses), (unlisted) =>
                    lookedUp(texts, unlisted.length === 0)
                  )
                : Effect.succeed(lookedUp(texts, textsMatch(wanted, texts)))
            )
      return Effect.catchTags(found, {
        DnsMissing: () => Effect.succeed<RecordLookUp>({ finding: "Missing", seen: [] }),
        DnsUnavailable: () => Effect.succeed<RecordLookUp>({ finding: "Unknown" })
      })
    }

    /** Looks up all records of the domains. It is slow, and called outside transactions. */
    const look = Effect.fnUntraced(function* (
      found: ReadonlyArray<SendingDomain>,
      { addresses, receiver }: Situation
    ) {
      const wanted = new Map(
        found
          .flatMap((domain) => refreshRecords(domain, receiver).records)
          .map((one) => [recordKey(one), one] as const)
      )
      const findings = yield* Effect.forEach(
        wanted,
        ([key, one]) => Effect.map(lookUp(one, addresses), (seen) => [key, seen] as const),
        { concurrency: maxLookUps }
      )
      return new Map(findings)
    })

    /** Makes the campaigns of an account that are being sent check their senders at once. */
    const stopCampaigns = (accountId: string, now: number) =>
      wakeSending(campaigns, jobs, ids, accountId, now)

    /** Stores what the findings decide. For domains that this verifies, enqueues jobs that release the waiting emails. */
    const write = Effect.fnUntraced(function* (
      refs: ReadonlyArray<DomainRef>,
      findings: Findings,
      { receiver }: Situation,
      isScheduled: boolean,
      actor: Actor
    ) {
      const now = yield* Clock.currentTimeMillis
      const before = yield* domains.lock(refs)
      const checked = before.map((domain) => decideCheck(domain, findings, receiver, now, isScheduled))
      yield* domains.save(checked.map(({ domain }) => domain))
      const changes = checked.flatMap(({ domain }, index) => changesOf(before[index]!, domain))
      if (changes.length > 0) yield* record(actor, ...changes)
      const verified = new Set(
        checked
          .filter(({ domain }, index) => domain.status === "Verified" && before[index]!.status !== "Verified")
          .map(({ domain }) => domain.accountId)
      )
      if (verified.size > 0) {
        // Locked, since a sender may decide at the same time that its email must wait.
        yield* accounts.lock([...verified])
        const newIds = yield* ids.many(verified.size)
        yield* jobs.enqueue(
          [...verified].map((accountId, index) =>
            releaseJob.job({ id: newIds[index]!, accountId, payload: { kind: "release" }, runAt: now })
          )
        )
      }
      const lost = checked
        .filter(({ domain }, index) => domain.status !== "Verified" && before[index]!.status === "Verified")
        .map(({ domain }) => domain.accountId)
      yield* Effect.forEach(new Set(lost), (accountId) => stopCampaigns(accountId, now), { discard: true })
      return checked
    })

    const nextJobs = Effect.fnUntraced(function* (checked: ReadonlyArray<Checked>) {
      const now = yield* Clock.currentTimeMillis
      const newIds = yield* ids.many(checked.length)
      return yield* Effect.forEach(checked, (one, index) =>
        Effect.map(Random.next, (spread) =>
          checkJob.job({
            id: newIds[index]!,
            accountId: one.domain.accountId,
            payload: { kind: "check", domainId: one.domain.id },
            runAt: nextCheckAt(one, now, spread)
          })
        )
      )
    })

    return {
      /** To be called when a domain of an account is no longer verified, in the transaction that records it. */
      stopCampaigns,
      /** The service as a receiver of mail, on which the records of domains depend. */
      receiver: Effect.map(situation, ({ receiver }) => receiver),
      /**
       * Checks a domain now and returns it; null if it no longer exists. The time of its next scheduled check does not change.
       */
      check: Effect.fn("DomainChecks.check")(function* (domain: SendingDomain, actor: Actor) {
        const known = yield* situation
        const findings = yield* look([domain], known)
        const [checked] = yield* atomically(write([domain], findings, known, false, actor))
        return checked?.domain ?? null
      }),

      /** Handles the jobs of scheduled checks. Each check schedules the next one for its domain. */
      run: Effect.fn("DomainChecks.run")(function* (claimed: ReadonlyArray<Job>) {
        const decoded = yield* checkJob.decode(jobs, claimed)
        const refs = decoded.map(({ job, payload }) => ({ accountId: job.accountId, id: payload.domainId }))
        const known = yield* situation
        const findings = yield* look(yield* domains.find(refs), known)
        yield* atomically(
          Effect.gen(function* () {
            const checked = yield* write(refs, findings, known, true, systemActor)
            yield* jobs.complete(decoded.map(({ job }) => job))
            yield* jobs.enqueue(yield* nextJobs(checked))
          })
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(DomainChecks, DomainChecks.make)
}
