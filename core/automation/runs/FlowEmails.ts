/**
 * The emails of runs: rendered for their contact and handed to sending, in the transaction of the turn.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { ContactLinks } from "../../audience/pages/ContactLinks.ts"
import type { Contact } from "../../model/Contact.ts"
import type { Topic } from "../../model/Topic.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { TemplateEngine, type TemplateValues } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { checkRendered, type EmailText } from "../../sending/emails/EmailContent.ts"
import type { ReadyEmail } from "../../sending/emails/EmailDraft.ts"
import { Emails } from "../../sending/emails/Emails.ts"
import { type Render, TemplateRenderer } from "../../sending/templates/TemplateRenderer.ts"
import type { Template } from "../../model/Template.ts"
import { isMjml } from "../../sending/templates/TemplateRules.ts"
import type { Json } from "../../shared/Json.ts"
import { Problem } from "../../shared/Problem.ts"
import type { SendEmailStep } from "../../model/FlowDefinition.ts"
import type { Run } from "../../model/Run.ts"

/** An email a run is to send. */
export interface FlowEmail {
  readonly run: Run
  readonly step: SendEmailStep
  readonly contact: Contact
}

/** What a contact is to templates and webhooks. */
export const contactValues = (contact: Contact): { readonly [key: string]: Json } => ({
  id: contact.id,
  externalId: contact.externalId,
  email: contact.email,
  firstName: contact.firstName,
  lastName: contact.lastName,
  phone: contact.phone,
  city: contact.city,
  countryCode: contact.countryCode,
  language: contact.language,
  tags: contact.tags ?? [],
  attributes: contact.attributes
})

/** The links an email carries, from the base URL on. */
export interface EmailLinks {
  readonly unsubscribe: string
  readonly preferences: string
}

/** What the templates of a run's emails can name. */
export const valuesOf = (contact: Contact, event: Run["event"], links: EmailLinks): TemplateValues => ({
  contact: contactValues(contact),
  event: event.properties,
  unsubscribeUrl: links.unsubscribe,
  preferencesUrl: links.preferences
})

/** Marketing with a way out: a link at its end where its author has none. */
export const withWayOut = (content: EmailText, { preferences, unsubscribe }: EmailLinks): EmailText => {
  const { html, text } = content
  const footer =
    `<p style="margin:32px 0 0;font-size:12px;line-height:18px;color:#666666">` +
    `<a href="${unsubscribe}" data-no-track style="color:#666666">Unsubscribe</a> &middot; ` +
    `<a href="${preferences}" data-no-track style="color:#666666">Preferences</a></p>`
  const at = Array.from(html?.matchAll(/<\/body\s*>/gi) ?? []).at(-1)?.index ?? -1
  return {
    ...content,
    html:
      html === null || html.includes(unsubscribe)
        ? html
        : at === -1
          ? html + footer
          : html.slice(0, at) + footer + html.slice(at),
    text: text === null || text.includes(unsubscribe) ? text : `${text}\n\n--\nUnsubscribe: ${unsubscribe}\n`
  }
}

/** The most inline bodies in MJML whose HTML is remembered. */
const maxCompiled = 200

/**
 * A function that renders what steps of an account say, their templates' or their own, each with its values and each by
 * itself: sending.template_not_found, sending.template_render_failed, rules of content. A fixed number of reads for all.
 */
export const makeStepContents = Effect.gen(function* () {
  const engine = yield* TemplateEngine
  const templates = yield* TemplateStore
  const { render } = yield* TemplateRenderer
  const compiled = new Map<string, string>()

  const compile = Effect.fnUntraced(function* (html: string | null) {
    if (html === null || !isMjml(html)) return html
    const known = compiled.get(html)
    if (known !== undefined) return known
    const made = yield* Effect.mapError(engine.compileMjml(html), () =>
      Problem.of("sending.template_invalid")
    )
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(html, made)
    return made
  })

  const sourceOf = (
    step: SendEmailStep,
    known: ReadonlyMap<string, Template>
  ): Effect.Effect<Render["template"], Problem> => {
    if (step.templateId === null) {
      return Effect.map(compile(step.html), (compiledHtml) => ({
        subject: step.subject ?? "",
        compiledHtml,
        text: step.text
      }))
    }
    const template = known.get(step.templateId)
    return template === undefined
      ? Effect.fail(Problem.of("sending.template_not_found"))
      : Effect.succeed(template)
  }

  return Effect.fnUntraced(function* (
    accountId: string,
    wanted: ReadonlyArray<{ readonly step: SendEmailStep; readonly values: TemplateValues }>
  ) {
    const templateIds = [...new Set(wanted.flatMap(({ step }) => step.templateId ?? []))]
    const found = yield* templates.find(accountId, templateIds)
    const known = new Map(found.map((template) => [template.id, template]))
    const sources = yield* Effect.forEach(wanted, ({ step }) => Effect.result(sourceOf(step, known)))
    const renders = sources.flatMap((source, index) =>
      Result.isSuccess(source) ? [{ template: source.success, variables: wanted[index]!.values }] : []
    )
    const rendered = (yield* render(accountId, renders)).values()
    return sources.map((source): Result.Result<EmailText, Problem> => {
      if (Result.isFailure(source)) return Result.fail(source.failure)
      return Result.flatMap(rendered.next().value!, checkRendered)
    })
  })
})

/**
 * A function that sends emails of one account, in the caller's transaction; a fixed number of statements. Answers, in
 * order, why an email could not be made, or null.
 */
export const makeFlowEmails = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const contactLinks = yield* ContactLinks
  const publicEndpoint = yield* PublicEndpoint
  const emails = yield* Emails
  const contentsOf = yield* makeStepContents

  return Effect.fnUntraced(function* (
    accountId: string,
    wanted: ReadonlyArray<FlowEmail>,
    topics: ReadonlyArray<Topic>
  ) {
    const [account] = yield* accounts.find([accountId])
    const baseUrl = publicEndpoint.baseUrl()
    const links = yield* Effect.forEach(wanted, ({ contact }) =>
      Effect.map(contactLinks.make({ accountId, contactId: contact.id }), (made): EmailLinks => ({
        unsubscribe: baseUrl + made.unsubscribe,
        preferences: baseUrl + made.preferences
      }))
    )
    const contents = yield* contentsOf(
      accountId,
      wanted.map(({ contact, run, step }, index) => ({
        step,
        values: valuesOf(contact, run.event, links[index]!)
      }))
    )

    const ready = ({ contact, run, step }: FlowEmail, content: EmailText, way: EmailLinks): ReadyEmail => {
      const isMarketing = step.purpose === "Marketing"
      const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(" ")
      return {
        from: null,
        recipients: [{ email: contact.email!, name: name === "" ? null : name, kind: "To" }],
        replyTo: null,
        content: isMarketing ? withWayOut(content, way) : content,
        templateId: step.templateId,
        attachments: [],
        headers: isMarketing
          ? [
              // RFC 2369 and, for the one click, RFC 8058.
              { name: "List-Unsubscribe", value: `<${way.unsubscribe}>` },
              { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }
            ]
          : [],
        sendAt: null,
        idempotencyKey: null,
        contentDigest: "",
        tags: {},
        metadata: {},
        trackOpens: account?.settings.flowTracking.opens ?? false,
        trackClicks: account?.settings.flowTracking.clicks ?? false,
        origin: {
          flowId: run.flowId,
          runId: run.id,
          marketing: isMarketing
            ? {
                contactId: contact.id,
                topicId: topics.find((topic) => topic.key === step.topic)?.id ?? null
              }
            : null
        }
      }
    }

    const drafts = contents.map((content, index) =>
      Result.map(content, (text) => ready(wanted[index]!, text, links[index]!))
    )
    const sendable = drafts.flatMap((draft) => (Result.isSuccess(draft) ? [draft.success] : []))
    const accepted = (sendable.length === 0 ? [] : yield* emails.acceptMany(accountId, sendable)).values()
    return drafts.map((draft) => {
      const result = Result.flatMap(draft, () => accepted.next().value!)
      return Result.isFailure(result) ? result.failure.issues[0].code : null
    })
  })
})
