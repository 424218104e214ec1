/**
 * Shows how a template renders before it is used: previews of drafts, and test emails from a saved template.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { contactValues } from "../../audience/contacts/ContactValues.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Actor } from "../../model/Actor.ts"
import type { TemplateContent } from "../../model/Template.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import { type Preview, PreviewStore } from "../../ports/PreviewStore.ts"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { type Issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { isStorable } from "../../shared/Validate.ts"
import { type RenderedTemplate, TemplateRenderer } from "../templates/TemplateRenderer.ts"
import { TemplateCheck, type TemplateWrite } from "../templates/TemplateRules.ts"
import { type Accepted, Emails } from "./Emails.ts"
import { checkRendered, type EmailText } from "./EmailContent.ts"
import { textDocument } from "../delivery/EmailView.ts"
import { type FilterFinding, filterFindings } from "../templates/FilterFindings.ts"
import { missingValues } from "../templates/ReaderRules.ts"

/** How long a preview is available, milliseconds. */
export const previewMillis = 600_000

/** The values with which a preview or a test email is rendered. */
export interface TrialValues {
  /** The contact whose fields the template sees as `contact.*`; null for none. */
  readonly contactId: string | null
  /** Variables, which take precedence over the contact and the event of the same name. */
  readonly variables: TemplateValues
}

/** A rendered draft with its problems. Its parts are null if it cannot be rendered. */
export interface DraftPreview {
  readonly rendered: RenderedTemplate | null
  readonly problems: ReadonlyArray<Issue>
  /** What a spam filter or a reader would criticise. */
  readonly findings: ReadonlyArray<FilterFinding>
  /** The preview that shows the HTML; null without HTML. */
  readonly previewId: string | null
}

/** Renders previews of templates, and sends test emails. */
export class TemplateTrials extends Context.Service<
  TemplateTrials,
  {
    /**
     * Renders an unsaved draft. Its problems are returned and do not make the call fail. The owner may view its HTML for
     * `previewMillis`. Fails with audience.contact_not_found.
     */
    readonly preview: (
      accountId: string,
      draft: Partial<TemplateWrite>,
      values: TrialValues,
      owner: string
    ) => Effect.Effect<DraftPreview, Problem | Unavailable>
    /** Returns a preview that has not expired to the owner for whom it was rendered. Fails with common.not_found. */
    readonly frame: (
      accountId: string,
      id: string,
      owner: string
    ) => Effect.Effect<Preview, Problem | Unavailable>
    /**
     * Returns the HTML of a saved template, rendered for a person about whom nothing is stored, as a document; without HTML,
     * its text. Fails with common.not_found and sending.template_render_failed.
     */
    readonly show: (accountId: string, id: string) => Effect.Effect<string, Problem | Unavailable>
    /**
     * Returns the HTML of unsaved content, rendered with values, as a document. Fails with the codes of `TemplateCheck.check`
     * and of `show`.
     */
    readonly picture: (
      accountId: string,
      content: Partial<TemplateWrite>,
      variables: TemplateValues
    ) => Effect.Effect<string, Problem | Unavailable>
    /**
     * Sends an email from a saved template to one address, as a transactional email. Fails with common.not_found,
     * audience.contact_not_found, and the codes of `Emails.submit`.
     */
    readonly send: (
      accountId: string,
      id: string,
      to: string,
      contactId: string | null,
      actor: Actor
    ) => Effect.Effect<Accepted, Problem | Unavailable>
  }
>()("svc/sending/TemplateTrials") {
  static readonly layer = Layer.effect(
    TemplateTrials,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([TemplateCheck.layer, TemplateRenderer.layer, Emails.layer]))
}

/** The name of a draft without a name. It is shown nowhere. */
const unnamed = "draft"

/** The values that flows provide besides the contact: an empty event, and links that lead nowhere. */
const sampleValues: TemplateValues = {
  event: {},
  unsubscribeUrl: "#",
  preferencesUrl: "#",
  webVersionUrl: "#"
}

const make = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const emails = yield* Emails
  const ids = yield* Ids
  const previews = yield* PreviewStore
  const { check } = yield* TemplateCheck
  const renderer = yield* TemplateRenderer
  const rewriter = yield* HtmlRewriter
  const templates = yield* TemplateStore
  const { record } = yield* AuditTrail

  const get = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [template] = yield* templates.find(accountId, [id])
    return template ?? (yield* Problem.of("common.not_found"))
  })

  const valuesOf = Effect.fnUntraced(function* (accountId: string, contactId: string | null) {
    if (contactId === null) return sampleValues
    const keys = { ids: [contactId.toLowerCase()], externalIds: [], emails: [] }
    const [contact] = isUuid(contactId) ? yield* contacts.find(accountId, keys) : []
    if (contact?.erasedAt !== null) return yield* Problem.of("audience.contact_not_found", "contactId")
    return { ...sampleValues, contact: contactValues(contact) }
  })

  /** The HTML of content, rendered for a person about whom nothing is stored. */
  const shown = Effect.fnUntraced(function* (
    accountId: string,
    template: TemplateContent,
    variables: TemplateValues
  ) {
    const values = { ...sampleValues, ...variables }
    const [result] = yield* renderer.render(accountId, [{ template, variables: values }])
    const { html, text } = yield* Effect.fromResult(result!)
    return html ?? textDocument(text ?? "")
  })

  const findingsOf = Effect.fnUntraced(function* (
    accountId: string,
    content: EmailText,
    template: EmailText,
    values: TemplateValues
  ) {
    const { html, subject, text } = content
    const links: Array<string> = []
    let images = 0
    if (html !== null) {
      const collect = (urls: ReadonlyArray<string>) => {
        links.push(...urls)
        return (url: string) => url
      }
      rewriter.rewrite(html, collect, "")
      rewriter.display(html, () => {
        images++
        return null
      })
    }
    return filterFindings({
      subject,
      document: html === null ? null : rewriter.document(html, { language: "en", title: subject }),
      text,
      htmlText: html === null ? null : yield* Effect.provideService(rewriter.text(html), RunOwner, accountId),
      images,
      links,
      hasUnsubscribe: template.html === null ? null : template.html.includes("unsubscribeUrl"),
      missing: (["subject", "html", "text"] as const).flatMap((field) =>
        missingValues(template[field] ?? "", values).map((path) => ({ field, path }))
      )
    })
  })

  return TemplateTrials.of({
    preview: Effect.fn("TemplateTrials.preview")(function* (
      accountId: string,
      draft: Partial<TemplateWrite>,
      { contactId, variables }: TrialValues,
      owner: string
    ) {
      const values = yield* valuesOf(accountId, contactId)
      const name = draft.name === undefined || draft.name === "" ? unnamed : draft.name
      const checked = yield* Effect.result(
        Effect.provideService(check({ ...draft, name }, null), RunOwner, accountId)
      )
      if (Result.isFailure(checked)) {
        return { rendered: null, problems: checked.failure.issues, findings: [], previewId: null }
      }
      const [result] = yield* renderer.render(accountId, [
        { template: checked.success, variables: { ...values, ...variables } }
      ])
      if (Result.isFailure(result!)) {
        return { rendered: null, problems: result!.failure.issues, findings: [], previewId: null }
      }
      const rendered = result!.success
      const sendable = checkRendered(rendered)
      const problems = Result.isFailure(sendable) ? sendable.failure.issues : []
      // Without a sample, no property of the event counts as missing.
      const { event: _event, ...known } = values
      const findings = yield* findingsOf(accountId, rendered, checked.success, { ...known, ...variables })
      // Variables may contain characters that cannot be stored. The problems report that.
      if (rendered.html === null || !isStorable(rendered.html))
        return { rendered, problems, findings, previewId: null }
      const id = yield* ids.next
      const expiresAt = (yield* Clock.currentTimeMillis) + previewMillis
      yield* previews.insert({ id, accountId, owner, html: rendered.html, expiresAt })
      return { rendered, problems, findings, previewId: id }
    }),
    frame: Effect.fn("TemplateTrials.frame")(function* (accountId: string, id: string, owner: string) {
      const found = yield* previews.find(accountId, id, owner)
      const now = yield* Clock.currentTimeMillis
      return found === null || found.expiresAt <= now ? yield* Problem.of("common.not_found") : found
    }),
    show: Effect.fn("TemplateTrials.show")(function* (accountId: string, id: string) {
      return yield* shown(accountId, yield* get(accountId, id), {})
    }),
    picture: Effect.fn("TemplateTrials.picture")(function* (
      accountId: string,
      content: Partial<TemplateWrite>,
      variables: TemplateValues
    ) {
      const checked = yield* Effect.provideService(check(content, null), RunOwner, accountId)
      return yield* shown(accountId, checked, variables)
    }),
    send: Effect.fn("TemplateTrials.send")(function* (
      accountId: string,
      id: string,
      to: string,
      contactId: string | null,
      actor: Actor
    ) {
      yield* get(accountId, id)
      const variables = yield* valuesOf(accountId, contactId)
      const accepted = yield* emails.submit(accountId, { to, templateId: id, variables }, null)
      yield* record(actor, {
        accountId,
        action: "template.tried",
        target: id,
        before: null,
        after: { emailId: accepted.submission.id }
      })
      return accepted
    })
  })
})
