/**
 * Checks sending domains against the DNS: when an operator asks, and by itself as long as a domain exists.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import { type Change, AuditTrail, systemActor } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Dns } from "../../ports/Dns.ts"
import { type DomainRef, DomainStore } from "../../ports/DomainStore.ts"
import { type Job, JobQueue, type NewJob } from "../../ports/JobQueue.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { DomainRecord, SendingDomain } from "../../model/Domain.ts"
import { exchangersMatch, textsMatch } from "./DomainRecords.ts"
import {
  type Checked,
  decideCheck,
  type Finding,
  type Findings,
  nextCheckAt,
  recordKey,
  refreshRecords
} from "./DomainRules.ts"
import { releaseJob } from "../../jobs/definitions/DeliveryJobs.ts"

/** How many look-ups are under way at a time. */
const maxLookUps = 64

/** The key of a domain's next check. */
export const checkKey = (domainId: string): string => `check:${domainId}`

/** The job that checks a domain; at most one is pending for each. */
export const checkJob = (id: string, { accountId, id: domainId }: DomainRef, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "domains",
  key: checkKey(domainId),
  runAt,
  payload: { kind: "check", domainId }
})

/** Whether a job of the queue `domains` is a check. */
export const isCheck = (job: Job): boolean => job.key?.startsWith("check:") === true

const refOf = (job: Job): DomainRef => ({
  accountId: job.accountId,
  id: (job.payload as { readonly domainId: string }).domainId
})

const signersOf = (domain: SendingDomain): string =>
  domain.keys
    .filter((key) => key.state === "Active")
    .map((key) => key.selector)
    .join(" ")

/** What a check changed that an operator will want to know. */
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

/** Checks of sending domains. */
export const makeDomainChecks = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const dns = yield* Dns
  const domains = yield* DomainStore
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids
  const { mailHost } = yield* PublicEndpoint
  const { record } = yield* AuditTrail

  const lookUp = (wanted: DomainRecord): Effect.Effect<Finding> => {
    const matched =
      wanted.type === "MX"
        ? Effect.map(dns.mx(wanted.name), (found) => exchangersMatch(wanted, found))
        : Effect.map(dns.txt(wanted.name), (texts) => textsMatch(wanted, texts))
    return matched.pipe(
      Effect.map((matches): Finding => (matches ? "Found" : "Missing")),
      Effect.catchTags({
        DnsMissing: () => Effect.succeed<Finding>("Missing"),
        DnsUnavailable: () => Effect.succeed<Finding>("Unknown")
      })
    )
  }

  /** Looks up all records of the domains. In no transaction, since it may take long. */
  const look = Effect.fnUntraced(function* (found: ReadonlyArray<SendingDomain>) {
    const wanted = new Map(
      found
        .flatMap((domain) => refreshRecords(domain, mailHost).records)
        .map((one) => [recordKey(one), one] as const)
    )
    const findings = yield* Effect.forEach(
      wanted,
      ([key, one]) => Effect.map(lookUp(one), (finding) => [key, finding] as const),
      { concurrency: maxLookUps }
    )
    return new Map(findings)
  })

  /** Writes down what findings decide, with the release of email that waits for a domain that is verified by it. */
  const settle = Effect.fnUntraced(function* (
    refs: ReadonlyArray<DomainRef>,
    findings: Findings,
    isScheduled: boolean,
    actor: string
  ) {
    const now = yield* Clock.currentTimeMillis
    const before = yield* domains.lock(refs)
    const checked = before.map((domain) => decideCheck(domain, findings, mailHost, now, isScheduled))
    yield* domains.save(checked.map(({ domain }) => domain))
    const changes = checked.flatMap(({ domain }, index) => changesOf(before[index]!, domain))
    if (changes.length > 0) yield* record(actor, ...changes)
    const verified = new Set(
      checked
        .filter(({ domain }, index) => domain.status === "Verified" && before[index]!.status !== "Verified")
        .map(({ domain }) => domain.accountId)
    )
    if (verified.size > 0) {
      // Held against a sender that decides at this moment that its email has to wait.
      yield* accounts.lock([...verified])
      const newIds = yield* ids.many(verified.size)
      yield* jobs.enqueue([...verified].map((accountId, index) => releaseJob(newIds[index]!, accountId, now)))
    }
    return checked
  })

  const nextJobs = Effect.fnUntraced(function* (checked: ReadonlyArray<Checked>) {
    const now = yield* Clock.currentTimeMillis
    const newIds = yield* ids.many(checked.length)
    return yield* Effect.forEach(checked, (one, index) =>
      Effect.map(Random.next, (spread) => checkJob(newIds[index]!, one.domain, nextCheckAt(one, now, spread)))
    )
  })

  return {
    /** Checks a domain now; answers it, or null when it is no more. When it is checked next stays as it was. */
    check: Effect.fn("DomainChecks.check")(function* (domain: SendingDomain, actor: string) {
      const findings = yield* look([domain])
      const [checked] = yield* retryConflicts(transaction.run(settle([domain], findings, false, actor)))
      return checked?.domain ?? null
    }),
    /** The handler of scheduled checks: each that is done makes the next one of its domain. */
    run: Effect.fn("DomainChecks.run")(function* (claimed: ReadonlyArray<Job>) {
      const refs = claimed.map(refOf)
      const findings = yield* look(yield* domains.find(refs))
      yield* retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            const checked = yield* settle(refs, findings, true, systemActor)
            yield* jobs.complete(claimed)
            yield* jobs.enqueue(yield* nextJobs(checked))
          })
        )
      )
    })
  }
})
