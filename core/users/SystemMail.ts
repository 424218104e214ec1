/**
 * Decides whether the installation can send mail to its users, and has it written in the background: by its sender's
 * verified domain in an account of its own (docs/contributing/people.md 5).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { userMailJob } from "../jobs/definitions/UserMailJobs.ts"
import { Ids } from "../kernel/Ids.ts"
import { type Account, noAccount } from "../model/Account.ts"
import type { UserMail } from "../model/UserMail.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { Mailbox } from "../shared/Mailbox.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Who sends the installation's mail (`SVC_SYSTEM_SENDER`, `SVC_SYSTEM_ACCOUNT`). */
export interface SystemSenderChoice {
  readonly from: Mailbox
  /** The id of the account; null for the first company's live one. */
  readonly accountId: string | null
}

/** Who sends the installation's mail; null where it sends none. */
export const SystemSender = Context.Reference<SystemSenderChoice | null>("svc/users/SystemSender", {
  defaultValue: () => null
})

/** A sender that can send now. */
export interface ReadySender {
  readonly from: Mailbox
  readonly account: Account
}

/** The installation's mail to its users. */
export class SystemMail extends Context.Service<
  SystemMail,
  {
    /**
     * The sender, while its account is a live one that is not deleted and has verified the sender's domain; else null: the
     * installation sends no mail, and links are returned to the callers who may give them to people.
     */
    readonly sender: Effect.Effect<ReadySender | null, Unavailable>
    /** Has an email written if the installation sends mail, in the caller's transaction; returns whether it does. */
    readonly send: (mail: UserMail) => Effect.Effect<boolean, Unavailable>
  }
>()("svc/users/SystemMail") {
  static readonly layer = Layer.effect(
    SystemMail,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const domains = yield* DomainStore
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const jobs = yield* JobQueue
      const choice = yield* SystemSender

      /** The first company's live account. */
      const firstAccount = Effect.gen(function* () {
        const first = yield* installation.get
        const [sandbox] = yield* accounts.find(first === null ? [] : [first.sandboxAccountId])
        const [company] = yield* accounts.findCompanies(sandbox === undefined ? [] : [sandbox.companyId])
        return company?.liveAccountId ?? null
      })

      const sender = Effect.gen(function* () {
        if (choice === null) return null
        const { from } = choice
        const accountId = choice.accountId ?? (yield* firstAccount)
        const [account] = yield* accounts.find(accountId === null ? [] : [accountId])
        if (account === undefined || account.mode !== "Live" || account.deletedAt !== null) return null
        const domain = from.email.slice(from.email.lastIndexOf("@") + 1)
        const found = yield* domains.named(account.id, domain)
        return found?.status === "Verified" ? { from, account } : null
      })

      return SystemMail.of({
        sender,
        send: Effect.fn("SystemMail.send")(function* (mail) {
          if ((yield* sender) === null) return false
          const id = yield* ids.next
          const runAt = yield* Clock.currentTimeMillis
          yield* jobs.enqueue([userMailJob.job({ id, accountId: noAccount, payload: mail, runAt })])
          return true
        })
      })
    })
  )
}
