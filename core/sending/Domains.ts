/**
 * The operator's use cases on sending domains.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeRecorder } from "../accounts/Audit.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Transaction } from "../ports/Transaction.ts"
import { refuseOn, retryConflicts } from "../shared/Conflicts.ts"
import { parseDomain } from "../shared/EmailAddress.ts"
import { Ids } from "../shared/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import type { SendingDomain } from "./Domain.ts"
import { releaseJob } from "./Release.ts"

/** The operator's use cases on sending domains. */
export class Domains extends Context.Service<
  Domains,
  {
    /**
     * Adds a domain: verified at once in a sandbox (decisions 1), else Pending. deliverability.domain_invalid,
     * deliverability.domain_exists, common.not_found for the account.
     */
    readonly add: (
      accountId: string,
      domain: string,
      actor: string
    ) => Effect.Effect<SendingDomain, Problem | Unavailable>
    /** Looks at a domain again; common.not_found. */
    readonly verify: (accountId: string, id: string) => Effect.Effect<SendingDomain, Problem | Unavailable>
    /** Removes a domain; its email waits for a verified sender from then on. common.not_found. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<void, Problem | Unavailable>
    /** An account's domains, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<SendingDomain>, Unavailable>
  }
>()("svc/sending/Domains") {
  static readonly layer = Layer.effect(
    Domains,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* DomainStore
      const transaction = yield* Transaction
      const jobs = yield* JobQueue
      const ids = yield* Ids
      const record = yield* makeRecorder

      const add = Effect.fn("Domains.add")(function* (accountId: string, text: string, actor: string) {
        const name = parseDomain(text)
        if (name === null || !name.includes("."))
          return yield* Problem.of("deliverability.domain_invalid", "domain")
        const [id, jobId] = (yield* ids.many(2)) as [string, string]
        const now = yield* Clock.currentTimeMillis
        const added = transaction.run(
          Effect.gen(function* () {
            // Held against a sender that decides at this moment that its email has to wait.
            const [account] = yield* accounts.lock([accountId])
            if (account === undefined) return yield* Problem.of("common.not_found")
            const verified = account.mode === "Sandbox"
            const domain: SendingDomain = {
              id,
              accountId,
              domain: name,
              status: verified ? "Verified" : "Pending",
              records: [],
              verifiedAt: verified ? now : null,
              createdAt: now
            }
            yield* store.insert(domain)
            yield* record(actor, {
              accountId,
              action: "domain.added",
              target: id,
              before: null,
              after: { domain: name, status: domain.status }
            })
            if (verified) yield* jobs.enqueue([releaseJob(jobId, accountId, now)])
            return domain
          })
        )
        const exists = () => Problem.of("deliverability.domain_exists", "domain")
        return yield* retryConflicts(refuseOn("domains_name", exists)(added))
      })

      const verify = Effect.fn("Domains.verify")(function* (accountId: string, id: string) {
        const domain = yield* store.get(accountId, id)
        return domain ?? (yield* Problem.of("common.not_found"))
      })

      const remove = Effect.fn("Domains.remove")(function* (accountId: string, id: string, actor: string) {
        yield* retryConflicts(
          transaction.run(
            Effect.gen(function* () {
              const domain = yield* store.remove(accountId, id)
              if (domain === null) return yield* Problem.of("common.not_found")
              yield* record(actor, {
                accountId,
                action: "domain.removed",
                target: id,
                before: { domain: domain.domain, status: domain.status },
                after: null
              })
            })
          )
        )
      })

      return Domains.of({ add, verify, remove, list: store.list })
    })
  )
}
