/**
 * The use cases of operators on sending domains.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import type { Account } from "../../model/Account.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import type { KeyMaker } from "../../ports/KeyMaker.ts"
import type { SecretBox } from "../../ports/SecretBox.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { refuseOn } from "../../kernel/Conflicts.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { newDomain, type SendingDomain } from "../../model/Domain.ts"
import { makeDkimKeys } from "./DkimKeys.ts"
import { DomainChecks } from "./DomainChecks.ts"
import { isShortEnough } from "./DomainRecords.ts"
import { nextCheckAt, refreshRecords } from "./DomainRules.ts"
import { SandboxKeys } from "./SandboxKeys.ts"
import { checkJob, releaseJob } from "../../jobs/definitions/DomainJobs.ts"

/** Manages the sending domains of accounts for operators. */
export class Domains extends Context.Service<
  Domains,
  {
    /**
     * Adds a domain, with its own keys and the records to publish. It is Pending; in a sandbox, which needs none of the
     * records, it is verified at once (docs/contributing/decisions.md 1). Fails with deliverability.domain_invalid,
     * deliverability.domain_exists, deliverability.mail_host_missing, and common.not_found for the account.
     */
    readonly add: (
      accountId: string,
      domain: string,
      actor: Actor
    ) => Effect.Effect<SendingDomain, Problem | Unavailable>
    /**
     * Looks up the records now, and returns the resulting domain. A record for which no server replies keeps its last result.
     * A missing record is shown, but only the daily check un-verifies a domain. Fails with common.not_found.
     */
    readonly verify: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SendingDomain, Problem | Unavailable>
    /**
     * Generates new keys, whose records must be published as well. They sign once a check finds both. Until then, the domain
     * is returned unchanged, as it always is in a sandbox. Fails with common.not_found.
     */
    readonly rotate: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SendingDomain, Problem | Unavailable>
    /** Removes a domain. Its emails then wait for a verified sender. Fails with common.not_found. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Lists an account's domains, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<SendingDomain>, Unavailable>
  }
>()("svc/sending/Domains", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const store = yield* DomainStore
    const atomically = yield* Atomically
    const jobs = yield* JobQueue
    const ids = yield* Ids
    const endpoint = yield* PublicEndpoint
    const { isMailHostUnknown = false } = endpoint
    const keyPorts = yield* Effect.context<KeyMaker | SecretBox>()
    const checks = yield* DomainChecks
    const sandboxKeys = yield* SandboxKeys
    const { record } = yield* AuditTrail

    const found = <A>(value: A | null | undefined): Effect.Effect<A, Problem> =>
      value == null ? Effect.fail(Problem.of("common.not_found")) : Effect.succeed(value)

    const accountOf = Effect.fnUntraced(function* (accountId: string) {
      const [account] = yield* accounts.find([accountId])
      return yield* found<Account>(account)
    })

    const isSandbox = (accountId: string) =>
      Effect.map(accountOf(accountId), ({ mode }) => mode === "Sandbox")

    const makeKeys = (...args: Parameters<typeof makeDkimKeys>) =>
      Effect.provide(makeDkimKeys(...args), keyPorts)

    /** The job of a domain's first check, or of the first check for new keys. */
    const firstCheck = Effect.fnUntraced(function* (domain: SendingDomain) {
      const now = yield* Clock.currentTimeMillis
      return checkJob.job({
        id: yield* ids.next,
        accountId: domain.accountId,
        payload: { kind: "check", domainId: domain.id },
        runAt: nextCheckAt({ domain, isClear: true }, now, 0)
      })
    })

    return {
      add: Effect.fn("Domains.add")(function* (accountId, text, actor) {
        const name = parseDomain(text)
        if (name === null || !name.includes(".") || !isShortEnough(name))
          return yield* Problem.of("deliverability.domain_invalid", "domain", null, { value: text })
        const isVerified = yield* isSandbox(accountId)
        if (!isVerified && isMailHostUnknown) return yield* Problem.of("deliverability.mail_host_missing")
        const [id, jobId] = (yield* ids.many(2)) as [string, string]
        const createdAt = yield* Clock.currentTimeMillis
        const added = newDomain({ id, accountId, domain: name, createdAt }, isVerified)
        const keyed = { ...added, keys: yield* makeKeys(added, "Active") }
        const domain = refreshRecords(keyed, yield* checks.receiver)
        const job = isVerified
          ? releaseJob.job({ id: jobId, accountId, payload: { kind: "release" }, runAt: createdAt })
          : yield* firstCheck(domain)
        const exists = () => Problem.of("deliverability.domain_exists", "domain", null, { value: name })
        yield* atomically(
          Effect.gen(function* () {
            // Locked, since a sender may decide at the same time that its email must wait.
            yield* accounts.lock([accountId])
            yield* refuseOn("domains_name", exists)(store.insert(domain))
            yield* record(actor, {
              accountId,
              action: "domain.added",
              target: id,
              before: null,
              after: { domain: name, status: domain.status }
            })
            yield* jobs.enqueue([job])
          })
        )
        return domain
      }),
      verify: Effect.fn("Domains.verify")(function* (accountId, id, actor) {
        const domain = yield* found(yield* store.get(accountId, id))
        if (yield* isSandbox(accountId)) return (yield* sandboxKeys.ensure([domain]))[0]!
        return yield* found(yield* checks.check(domain, actor))
      }),
      rotate: Effect.fn("Domains.rotate")(function* (accountId, id, actor) {
        const before = yield* found(yield* store.get(accountId, id))
        if (isAwaitingKeys(before) || (yield* isSandbox(accountId))) return before
        const keys = yield* makeKeys(before, "Next")
        const receiver = yield* checks.receiver
        return yield* atomically(
          Effect.gen(function* () {
            const [locked] = yield* store.lock([before])
            const domain = yield* found(locked)
            // A concurrent rotation was first. Its keys have the same selectors as these.
            if (isAwaitingKeys(domain) || selectorsOf(domain) !== selectorsOf(before)) return domain
            const after = refreshRecords({ ...domain, keys: [...domain.keys, ...keys] }, receiver)
            yield* store.save([after])
            yield* record(actor, {
              accountId,
              action: "domain.dkim_rotated",
              target: id,
              before: { domain: domain.domain, selectors: selectorsOf(domain) },
              after: { domain: domain.domain, selectors: selectorsOf(after) }
            })
            // The next check may be a day away.
            yield* checkJob.cancel(jobs, accountId, [{ domainId: id }])
            yield* jobs.enqueue([yield* firstCheck(after)])
            return after
          })
        )
      }),
      remove: Effect.fn("Domains.remove")(function* (accountId, id, actor) {
        const domain = yield* found(yield* store.remove(accountId, id))
        yield* checkJob.cancel(jobs, accountId, [{ domainId: id }])
        yield* checks.stopCampaigns(accountId, yield* Clock.currentTimeMillis)
        yield* record(actor, {
          accountId,
          action: "domain.removed",
          target: id,
          before: { domain: domain.domain, status: domain.status },
          after: null
        })
      }, atomically),
      list: Effect.fn("Domains.list")(function* (accountId, page) {
        const listed = yield* store.list(accountId, page)
        const [account] = yield* accounts.find([accountId])
        if (account?.mode !== "Sandbox") return listed
        return { ...listed, items: yield* sandboxKeys.ensure(listed.items) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Domains, Domains.make).pipe(
    Layer.provide([DomainChecks.layer, SandboxKeys.layer])
  )
}

const isAwaitingKeys = (domain: SendingDomain): boolean => domain.keys.some((key) => key.state === "Next")

const selectorsOf = (domain: SendingDomain): string => domain.keys.map((key) => key.selector).join(" ")
