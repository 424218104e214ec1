/**
 * Decides whether the installation can send mail to its users, and enqueues it to be written in the background. It is sent from
 * the verified domain of a configured sender in a specific account (docs/contributing/people.md 5).
 *
 * @module
 */
import { domainOfAddress } from "../shared/EmailAddress.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { userMailJob } from "../jobs/definitions/UserMailJobs.ts"
import { Ids } from "../kernel/Ids.ts"
import { type Account, noAccount } from "../model/Account.ts"
import type { LinkMail, Notice, UserMail } from "../model/UserMail.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { type Hit, RateLimits } from "../ports/RateLimits.ts"
import type { Mailbox } from "../shared/Mailbox.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The configured sender of the installation's mail (`SVC_SYSTEM_SENDER`, `SVC_SYSTEM_ACCOUNT`). */
export interface SystemSenderChoice {
  readonly from: Mailbox
  /** The id of the account; null for the live account of the first company. */
  readonly accountId: string | null
}

/** The sender of the installation's mail; null if it sends none. */
export const SystemSender = Context.Reference<SystemSenderChoice | null>("svc/users/SystemSender", {
  defaultValue: () => null
})

/** A sender that can currently send. */
export interface ReadySender {
  readonly from: Mailbox
  readonly account: Account
}

/** How many links of a kind are mailed per hour: to an address, on request from a network, and on invitation by a company. */
export const mailedLinkLimits = { perAddress: 3, perNetwork: 30, perCompany: 100 } as const

const windowMillis = 3_600_000

/** The recipient of a mailed link, and on whose behalf it is mailed. */
export interface LinkMailing {
  /** Normalized. */
  readonly to: string
  /** The source, such as a company, for which a limit of `most` links an hour applies; null for none. */
  readonly source: { readonly name: string; readonly most: number } | null
}

/** The installation's mail to its users. */
export class SystemMail extends Context.Service<
  SystemMail,
  {
    /**
     * The sender, as long as its account is live, is not deleted and has verified the sender's domain. Otherwise null: the
     * installation then sends no mail, and returns links to callers, who may pass them on.
     */
    readonly sender: Effect.Effect<ReadySender | null, Unavailable>
    /** Notifies a user by mail, if the installation sends any, in the caller's transaction. */
    readonly notify: (notice: Omit<Notice, "kind">) => Effect.Effect<void, Unavailable>
    /**
     * Mails a link, in the caller's transaction, and returns whether it does. It does not if the installation sends no mail, or
     * if it has reached a limit for the hour, so that it cannot be used to flood a mailbox or to write to strangers.
     */
    readonly sendLink: (mail: LinkMail, mailing: LinkMailing) => Effect.Effect<boolean, Unavailable>
  }
>()("svc/users/SystemMail") {
  static readonly layer = Layer.effect(
    SystemMail,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const crypto = yield* Crypto
      const domains = yield* DomainStore
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const jobs = yield* JobQueue
      const limits = yield* RateLimits
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
        const domain = domainOfAddress(from.email)
        const found = yield* domains.named(account.id, domain)
        return found?.status === "Verified" ? { from, account } : null
      })

      const enqueue = Effect.fnUntraced(function* (mail: UserMail) {
        const id = yield* ids.next
        const runAt = yield* Clock.currentTimeMillis
        yield* jobs.enqueue([userMailJob.job({ id, accountId: noAccount, payload: mail, runAt })])
      })

      return SystemMail.of({
        sender,
        notify: Effect.fn("SystemMail.notify")(function* (notice) {
          if ((yield* sender) !== null) yield* enqueue({ ...notice, kind: "Notice" })
        }),
        sendLink: Effect.fn("SystemMail.sendLink")(function* (mail, { source, to }) {
          if ((yield* sender) === null) return false
          const now = yield* Clock.currentTimeMillis
          const hit = (subject: string): Hit => ({
            accountId: noAccount,
            subject: `${mail.kind} ${subject}`,
            windowStart: now - (now % windowMillis),
            amount: 1
          })
          const [ofAddress = 0, ofSource = 0] = yield* limits.count([
            // Hashed, because the counts must not contain personal data.
            hit(crypto.sha256Hex(to)),
            ...(source === null ? [] : [hit(source.name)])
          ])
          if (ofAddress > mailedLinkLimits.perAddress || ofSource > (source?.most ?? 0)) return false
          yield* enqueue(mail)
          return true
        })
      })
    })
  )
}
