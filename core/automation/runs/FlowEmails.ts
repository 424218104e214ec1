/**
 * Accepts the emails of runs for sending.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import { ContactLinks } from "../../audience/pages/ContactLinks.ts"
import type { Tracking } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import type { SendEmailStep } from "../../model/FlowDefinition.ts"
import type { Run } from "../../model/Run.ts"
import type { Topic } from "../../model/Topic.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { EmailText } from "../../sending/emails/EmailContent.ts"
import type { ReadyEmail } from "../../sending/emails/EmailDraft.ts"
import { EmailQueue } from "../../sending/emails/EmailQueue.ts"
import { EmailReview } from "../../sending/emails/EmailReview.ts"
import { Emails } from "../../sending/emails/Emails.ts"
import { repeatably } from "../../sending/templates/RendersAhead.ts"
import { type EmailLinks, unsubscribeHeaders } from "../../sending/templates/UnsubscribeLink.ts"
import { StepContents } from "./StepContents.ts"

/** An email of a run. */
export interface FlowEmail {
  readonly run: Run
  readonly step: SendEmailStep
  /** The contact; its address is not null. */
  readonly contact: Contact
}

/** The emails that a run will send. */
export interface PlannedEmails {
  readonly flowId: string
  readonly steps: ReadonlyArray<SendEmailStep>
}

/** Accepts emails of runs for sending. */
export class FlowEmails extends Context.Service<FlowEmails>()("svc/automation/FlowEmails", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const contactLinks = yield* ContactLinks
    const publicEndpoint = yield* PublicEndpoint
    const emails = yield* Emails
    const emailQueue = yield* EmailQueue
    const review = yield* EmailReview
    const stepContents = yield* StepContents

    return {
      /**
       * Reserves room in the account's queue for the emails of runs, except those that will be held for review. Returns which
       * runs have room, and how much was reserved for them.
       */
      takeRoom: Effect.fn("FlowEmails.takeRoom")(function* (
        accountId: string,
        wanted: ReadonlyArray<PlannedEmails>
      ) {
        const some = wanted.some(({ steps }) => steps.length > 0)
        const [account] = some ? yield* accounts.find([accountId]) : []
        if (account === undefined) return { fits: wanted.map(() => true), room: 0 }
        const marketing = wanted.filter(({ steps }) => steps.some(isMarketing))
        const left = new Map(
          yield* review.remaining(
            account,
            marketing.map(({ flowId }) => flowId)
          )
        )
        const sizes = wanted.map(({ flowId, steps }) => {
          const held = Math.min(steps.filter(isMarketing).length, left.get(flowId) ?? 0)
          if (held > 0) left.set(flowId, left.get(flowId)! - held)
          return steps.length - held
        })
        const fits = yield* emailQueue.take(account, sizes)
        return { fits, room: sizes.reduce((sum, size, index) => sum + (fits[index]! ? size : 0), 0) }
      }),
      /**
       * Accepts emails of one account for sending, in the caller's transaction; a fixed number of statements. `room` must have
       * been reserved for them. Returns, in the same order, null or the code of the problem that prevented an email.
       *
       * @param topics all topics of the account
       */
      send: Effect.fn("FlowEmails.send")(function* (
        accountId: string,
        wanted: ReadonlyArray<FlowEmail>,
        topics: ReadonlyArray<Topic>,
        room: number
      ) {
        const [account] = yield* accounts.find([accountId])
        const tracking = account?.settings.flowTracking ?? { opens: false, clicks: false }
        const baseUrl = publicEndpoint.baseUrl()
        const links = yield* Effect.forEach(wanted, ({ contact }) =>
          Effect.map(
            repeatably(contactLinks.make({ accountId, contactId: contact.id, email: contact.email })),
            (made): EmailLinks => ({
              unsubscribe: baseUrl + made.unsubscribe,
              preferences: baseUrl + made.preferences
            })
          )
        )
        const contents = yield* stepContents.render(
          accountId,
          wanted.map(({ contact, run, step }, index) => ({
            step,
            contact,
            event: run.event,
            links: links[index]!
          }))
        )
        const drafts = contents.map((content, index) =>
          Result.map(content, (valid) => readyEmail(wanted[index]!, valid, links[index]!, tracking, topics))
        )
        const sendable = drafts.flatMap((draft) => (Result.isSuccess(draft) ? [draft.success] : []))
        const accepted = (
          sendable.length === 0 ? [] : yield* emails.acceptMany(accountId, sendable, room)
        ).values()
        return drafts.map((draft) => {
          const result = Result.flatMap(draft, () => accepted.next().value!)
          return Result.isFailure(result) ? result.failure.issues[0].code : null
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(FlowEmails, FlowEmails.make).pipe(
    Layer.provide([EmailQueue.layer, EmailReview.layer, StepContents.layer])
  )
}

const isMarketing = ({ purpose }: SendEmailStep): boolean => purpose === "Marketing"

/** An email of a run in the form in which it is accepted. */
const readyEmail = (
  { contact, run, step }: FlowEmail,
  { content, templateVersion }: { readonly content: EmailText; readonly templateVersion: number | null },
  links: EmailLinks,
  tracking: Tracking,
  topics: ReadonlyArray<Topic>
): ReadyEmail => {
  const asMarketing = isMarketing(step)
  const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(" ")
  return {
    from: null,
    recipients: [{ email: contact.email!, name: name === "" ? null : name, kind: "To" }],
    replyTo: null,
    content,
    keepsContent: false,
    language: contact.language,
    templateId: step.templateId,
    templateVersion,
    attachments: [],
    headers: asMarketing ? unsubscribeHeaders(links) : [],
    sendAt: null,
    idempotencyKey: null,
    contentDigest: "",
    tags: {},
    metadata: {},
    trackOpens: tracking.opens,
    trackClicks: tracking.clicks,
    origin: {
      flowId: run.flowId,
      runId: run.id,
      marketing: asMarketing
        ? {
            contactId: contact.id,
            topicId: topics.find((topic) => topic.key === step.topic)?.id ?? null
          }
        : null
    },
    source: "Flow",
    keyId: null
  }
}
