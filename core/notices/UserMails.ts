/**
 * Writes the installation's emails to its users. One transaction creates the link of an invitation or a password reset and
 * accepts the email.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { userMailJob } from "../jobs/definitions/UserMailJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import { type Account, noAccount } from "../model/Account.ts"
import type { CompanyRight } from "../model/Right.ts"
import type { SetupKind, User } from "../model/User.ts"
import type { UserMail, UserMailing } from "../model/UserMail.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { UserStore } from "../ports/UserStore.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { withAllAhead } from "../sending/templates/RendersAhead.ts"
import { maxPageSize } from "../shared/Page.ts"
import { SetupLinks } from "../users/SetupLinks.ts"
import { rightsOf } from "../users/Rights.ts"
import { SystemMail } from "../users/SystemMail.ts"
import { type Letter, writeLetter } from "./Letters.ts"

/** The number of emails written together, and the time that this may take, milliseconds. */
const batch = 20
const lease = 30_000

/** RFC 3834: programs do not reply to the message automatically. */
const headers = [{ name: "Auto-Submitted", value: "auto-generated" }]

/** Logs an unsent email. The sender's domain was verified when the email was requested, so it no longer is. */
const unsent = ({ kind }: UserMail): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logWarning("mail to a user was not sent: the sender's domain is no longer verified"),
    { kind }
  )

/** Processes the jobs of emails to users. */
export class UserMails extends Context.Service<UserMails>()("svc/notices/UserMails", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const campaigns = yield* CampaignStore
    const atomically = yield* Atomically
    const emails = yield* Emails
    const jobs = yield* JobQueue
    const keys = yield* InstallationKeys
    const links = yield* SetupLinks
    const systemMail = yield* SystemMail
    const users = yield* UserStore
    const ids = yield* Ids
    const { baseUrl } = yield* PublicEndpoint

    const linkOf = Effect.fnUntraced(function* (user: User, kind: SetupKind, companyId: string | null) {
      const { setup } = yield* keys.get
      return yield* links.makeMailed({ kind, userId: user.id, email: null, companyId }, setup)
    })

    /** The letter of an email; null if it is no longer needed. */
    const letterTo = Effect.fnUntraced(function* (mail: UserMail, user: User) {
      if (mail.kind === "Standing") {
        const [account] = yield* accounts.find([mail.accountId])
        const [company] = yield* accounts.findCompanies(account === undefined ? [] : [account.companyId])
        return {
          kind: "Standing",
          isHeld: mail.isHeld,
          company: company?.name ?? "",
          url: `${baseUrl()}/app/a/${mail.accountId}/domains`
        } satisfies Letter
      }
      if (mail.kind === "Campaign") {
        const { accountId, campaignId, news, reason, userId } = mail
        const [account] = yield* accounts.find([accountId])
        const [campaign] = yield* campaigns.find(accountId, [campaignId])
        const members = yield* users.memberships([userId])
        const isMember = members.some(
          ({ acceptedAt, companyId }) => acceptedAt !== null && companyId === account?.companyId
        )
        if (campaign === undefined || !isMember) return null
        const url = `${baseUrl()}/app/a/${accountId}/campaigns/${campaignId}`
        return { kind: "Campaign", news, reason, name: campaign.name, url } satisfies Letter
      }
      if (mail.kind === "Notice") return { ...mail, url: `${baseUrl()}/app/profile` } satisfies Letter
      // A user who was invited and has not set a password yet gets an invitation instead.
      if (mail.kind === "Reset" && user.status === "Active") {
        return { kind: "Reset", url: yield* linkOf(user, "Reset", null) } satisfies Letter
      }
      const companyId =
        mail.kind === "Invitation"
          ? mail.companyId
          : ((yield* users.memberships([user.id])).at(-1)?.companyId ?? null)
      const [company] = yield* accounts.findCompanies(companyId === null ? [] : [companyId])
      return {
        kind: "Invitation",
        company: company?.name ?? null,
        url: yield* linkOf(user, "Invitation", companyId)
      } satisfies Letter
    })

    /** The active members of the company who have a right in an account. */
    const membersWith = Effect.fnUntraced(function* ({ companyId, mode }: Account, right: CompanyRight) {
      const found: Array<string> = []
      for (let page = 1; ; page++) {
        const { items, next } = yield* users.members(companyId, { page, pageSize: maxPageSize })
        for (const { membership, user } of items) {
          const { acceptedAt, liveAccess, role } = membership
          const has = rightsOf(role, mode, liveAccess).has(right)
          if (has && acceptedAt !== null && user.status === "Active") found.push(user.id)
        }
        if (next === null) return found
      }
    })

    /** Enqueues an email to each of some users. */
    const toEach = Effect.fnUntraced(function* (
      to: ReadonlyArray<string>,
      mailTo: (userId: string) => UserMail
    ) {
      const runAt = yield* Clock.currentTimeMillis
      const newIds = yield* ids.many(to.length)
      yield* jobs.enqueue(
        to.map((userId, index) =>
          userMailJob.job({ id: newIds[index]!, accountId: noAccount, payload: mailTo(userId), runAt })
        )
      )
    })

    /** Enqueues an email to each user concerned; none if the installation sends no mail. */
    const spread = Effect.fnUntraced(function* (mail: Exclude<UserMailing, UserMail>) {
      if ((yield* systemMail.sender) === null) return
      const { accountId } = mail
      const [account] = yield* accounts.find([accountId])
      if (mail.kind === "StandingChanged") {
        const readers = account === undefined ? [] : yield* membersWith(account, "stats:read")
        const to = new Set([...(yield* users.operators), ...readers])
        yield* toEach([...to], (userId) => ({ ...mail, kind: "Standing", userId }))
        return
      }
      const [campaign] = yield* campaigns.find(accountId, [mail.campaignId])
      if (account === undefined || campaign?.approval?.state !== "Requested") return
      // No user may approve a change of their own.
      const { editor } = campaign.approval
      const to = yield* membersWith(account, "campaigns:send")
      yield* toEach(
        to.filter((userId) => editor.kind !== "User" || userId !== editor.id),
        (userId) => ({ ...mail, kind: "Campaign", userId, news: "Requested", reason: null })
      )
    })

    const write = Effect.fnUntraced(function* (mail: UserMail) {
      const sender = yield* systemMail.sender
      const userId = mail.kind === "Reset" ? (yield* users.findByEmail(mail.email))?.id : mail.userId
      const [user] = yield* users.lock(userId === undefined ? [] : [userId])
      // An installation that sends no mail is not expected to send emails about campaigns, so nothing is logged.
      if (sender === null) yield* mail.kind === "Campaign" ? Effect.void : unsent(mail)
      else if (user !== undefined && user.status !== "Disabled") {
        const letter = yield* letterTo(mail, user)
        if (letter === null) return
        const content = writeLetter(letter, user, new URL(baseUrl()).hostname)
        const { account, from } = sender
        const [accepted] = yield* emails.acceptMany(
          account.id,
          [
            {
              from,
              recipients: [{ email: user.email, name: user.name, kind: "To" }],
              replyTo: null,
              content,
              templateId: null,
              templateVersion: null,
              attachments: [],
              headers,
              sendAt: null,
              idempotencyKey: null,
              contentDigest: "",
              tags: {},
              metadata: {},
              trackOpens: false,
              trackClicks: false,
              keepsContent: false,
              language: "en",
              origin: null,
              source: "System",
              keyId: null
            }
          ],
          0
        )
        if (accepted === undefined || Result.isFailure(accepted)) yield* unsent(mail)
      }
    })

    const run = Effect.fnUntraced(function* ({ job, payload: mail }: DecodedJob<UserMailing>) {
      yield* mail.kind === "StandingChanged" || mail.kind === "ApprovalRequested" ? spread(mail) : write(mail)
      yield* jobs.complete([job])
    })

    return {
      batch,
      lease,
      /** Handles jobs of the queue `mail`, each in one transaction. */
      handle: Effect.fn("UserMails.handle")(function* (given: ReadonlyArray<Job>) {
        for (const decoded of yield* userMailJob.decode(jobs, given)) {
          yield* withAllAhead(atomically(run(decoded)))
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(UserMails, UserMails.make)
}
