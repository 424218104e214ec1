/**
 * Sends test emails of campaigns to the addresses of their authors. A test email is counted nowhere, and its links to a
 * person's own pages belong to no one.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import type { Account } from "../model/Account.ts"
import type { Actor } from "../model/Actor.ts"
import type { CampaignVersion } from "../model/Campaign.ts"
import { type Contact, newContact } from "../model/Contact.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { SendQuota } from "../ports/SendQuota.ts"
import { UserStore } from "../ports/UserStore.ts"
import { checkRendered } from "../sending/emails/EmailContent.ts"
import { EmailQueue } from "../sending/emails/EmailQueue.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { SuppressionLookup } from "../sending/suppressions/SuppressionLookup.ts"
import { CampaignContents, partOf } from "../sending/templates/CampaignContents.ts"
import { withAllAhead } from "../sending/templates/RendersAhead.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { hashUuid, isUuid } from "../shared/Uuid.ts"
import { formatDateTime } from "../shared/Validate.ts"
import { CampaignChecks, problemOf } from "./CampaignChecks.ts"

/** The maximum number of addresses in a call, and of test emails in a day (UTC). */
export const maxTestAddresses = 10
export const maxTestEmails = 100

/** The prefix of the subject. */
const testMark = "[Test] "

/** What a test email shows, and to which addresses it goes. */
export interface TrialRequest {
  readonly to: ReadonlyArray<string>
  /** The contact for whom it is rendered; null for a person about whom nothing is stored. */
  readonly contactId: string | null
  /** The variant; null for the first. */
  readonly variantId: string | null
}

/** The addresses that got the test email, and those that did not. */
export interface Trial {
  readonly sent: ReadonlyArray<string>
  readonly refused: ReadonlyArray<{ readonly email: string; readonly reason: string }>
}

/** Sends test emails of campaigns. */
export class CampaignTrials extends Context.Service<
  CampaignTrials,
  {
    /**
     * Sends a campaign to addresses of members and in `testAddresses`; in a sandbox, to any address. Suppressed addresses get
     * none. Fails with common.not_found, validation.email and campaigns.test_address_refused of each other address,
     * validation.max_length of more than `maxTestAddresses` addresses, campaigns.variant_not_found,
     * audience.contact_not_found, every error that a check finds in the content, campaigns.test_limit_reached, and
     * sending.queue_full.
     */
    readonly send: (
      account: Account,
      id: string,
      request: TrialRequest,
      actor: Actor
    ) => Effect.Effect<Trial, Problem | Unavailable>
  }
>()("svc/campaigns/CampaignTrials") {
  static readonly layer = Layer.effect(
    CampaignTrials,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const checks = yield* CampaignChecks
      const contacts = yield* ContactStore
      const contents = yield* CampaignContents
      const crypto = yield* Crypto
      const emailQueue = yield* EmailQueue
      const emails = yield* Emails
      const quota = yield* SendQuota
      const { record } = yield* AuditTrail
      const store = yield* CampaignStore
      const suppressions = yield* SuppressionLookup
      const users = yield* UserStore

      /**
       * The given addresses that belong to members of the company. People who have not accepted their invitation are not members
       * yet.
       */
      const membersAmong = Effect.fnUntraced(function* (companyId: string, addresses: ReadonlyArray<string>) {
        const found = yield* Effect.forEach(addresses, (email) => users.findByEmail(email))
        const people = found.flatMap((user) => (user === null ? [] : [user]))
        const memberships = yield* users.memberships(people.map(({ id }) => id))
        const members = new Set(
          memberships
            .filter((one) => one.companyId === companyId && one.acceptedAt !== null)
            .map(({ userId }) => userId)
        )
        return people.flatMap(({ email, id }) => (members.has(id) ? [email] : []))
      })

      const addressesOf = Effect.fnUntraced(function* (account: Account, given: ReadonlyArray<string>) {
        const issues = new Issues()
        if (given.length === 0) issues.add("validation.required", "to")
        if (given.length > maxTestAddresses) {
          issues.add("validation.max_length", "to", { max: maxTestAddresses }, { expected: "addresses" })
          return yield* Effect.fromResult(issues.result([]))
        }
        const parsed = given.map((text, index) => {
          const email = parseEmail(text)
          if (email === null) issues.add("validation.email", `to[${index}]`)
          return email ?? ""
        })
        if (account.mode === "Live") {
          const known = new Set([
            ...account.settings.testAddresses,
            ...(yield* membersAmong(account.companyId, parsed))
          ])
          for (const [index, email] of parsed.entries()) {
            if (email !== "" && !known.has(email))
              issues.add("campaigns.test_address_refused", `to[${index}]`)
          }
        }
        return yield* Effect.fromResult(issues.result([...new Set(parsed)]))
      })

      /** The person for whom the copy is rendered. */
      const personOf = Effect.fnUntraced(function* (
        accountId: string,
        campaignId: string,
        contactId: string | null,
        now: number
      ): Effect.fn.Return<Contact, Problem | Unavailable> {
        if (contactId === null) return { ...newContact(campaignId, "", now), email: null }
        const keys = { ids: [contactId.toLowerCase()], externalIds: [], emails: [] }
        const [found] = isUuid(contactId) ? yield* contacts.find(accountId, keys) : []
        if (found === undefined || found.erasedAt !== null) {
          return yield* Problem.of("audience.contact_not_found", "contactId")
        }
        return found
      })

      return CampaignTrials.of({
        send: Effect.fn("CampaignTrials.send")(function* (account, id, { contactId, to, variantId }, actor) {
          const { id: accountId } = account
          const [campaign] = isUuid(id) ? yield* store.find(accountId, [id.toLowerCase()]) : []
          if (campaign === undefined) return yield* Problem.of("common.not_found")
          const addresses = yield* addressesOf(account, to)
          const now = yield* Clock.currentTimeMillis
          const variants = campaign.definition.test?.variants.map((one) => one.id) ?? []
          const variant =
            variantId === null ? (variants[0] ?? null) : variants.find((one) => one === variantId)
          if (variant === undefined) return yield* Problem.of("campaigns.variant_not_found", "variantId")
          const contact = yield* personOf(accountId, campaign.id, contactId, now)
          const { id: editor, kind, name } = actor
          const check = yield* checks.check(campaign, { id: editor, kind, name }, true)
          const version = check.tested
          if (version === null) return yield* problemOf(check)!
          const [rendered] = yield* contents.render(accountId, [{ version, contact, variant, at: now }])
          const copy = yield* Effect.fromResult(Result.flatMap(rendered!, checkRendered))
          const part = partOf(version, variant, contact.language)
          const suppressed = new Map(
            (yield* suppressions.find(addresses.map((email) => ({ accountId, email })))).map((entry) => [
              entry.email,
              entry.kind
            ])
          )
          const wanted = addresses.filter((email) => !suppressed.has(email))
          const accept = atomically(
            Effect.gen(function* () {
              const day = formatDateTime(now).slice(0, 10)
              const sourceId = hashUuid(crypto.sha256Hex(`campaign tests ${accountId} ${day}`))
              const [granted] = yield* quota.hold(accountId, maxTestEmails, [
                { sourceId, wanted: wanted.length }
              ])
              if (granted! < wanted.length) {
                return yield* Problem.of("campaigns.test_limit_reached", null, { max: maxTestEmails })
              }
              const [hasRoom] = yield* emailQueue.take(account, [wanted.length])
              if (!hasRoom!) return yield* Problem.of("sending.queue_full")
              const accepted = yield* emails.acceptMany(
                accountId,
                wanted.map((email) => testEmail(email, copy, version.replyTo, part)),
                wanted.length
              )
              const failed = accepted.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))[0]
              if (failed !== undefined) return yield* failed
              yield* record(actor, {
                accountId,
                action: "campaign.tested",
                target: campaign.id,
                before: null,
                after: { name: campaign.name, emails: wanted.length }
              })
              return {
                sent: wanted,
                refused: addresses.flatMap((email) => {
                  const kindOf = suppressed.get(email)
                  return kindOf === undefined
                    ? []
                    : [{ email, reason: `sending.gate_${kindOf.toLowerCase()}` }]
                })
              }
            })
          )
          // The content may be stored outside the database, which must not happen while a transaction is open.
          return yield* withAllAhead(accept)
        })
      })
    })
  ).pipe(Layer.provide([CampaignChecks.layer, CampaignContents.layer, EmailQueue.layer, Emails.layer]))
}

const testEmail = (
  email: string,
  { html, subject, text }: Pick<CampaignVersion, "html" | "subject" | "text">,
  replyTo: CampaignVersion["replyTo"],
  { from, templateId, templateVersion }: ReturnType<typeof partOf>
) =>
  ({
    from,
    recipients: [{ email, name: null, kind: "To" }],
    replyTo,
    content: { subject: testMark + subject, html, text },
    templateId,
    templateVersion,
    attachments: [],
    headers: [],
    sendAt: null,
    idempotencyKey: null,
    contentDigest: "",
    tags: {},
    metadata: {},
    trackOpens: false,
    trackClicks: false,
    language: null,
    source: "Campaign",
    keyId: null,
    keepsContent: false,
    origin: null
  }) as const
