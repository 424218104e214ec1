/**
 * Handles the management endpoints of templates.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { TemplateValues } from "../../../core/ports/TemplateEngine.ts"
import { imagesPath } from "../../../core/images/ImageKeys.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { Account } from "../../../core/model/Account.ts"
import { type Actor, actorText } from "../../../core/model/Actor.ts"
import type { Template, TemplateContent } from "../../../core/model/Template.ts"
import { TemplateTrials } from "../../../core/sending/emails/TemplateTrials.ts"
import { type ListedTemplate, Templates } from "../../../core/sending/templates/Templates.ts"
import { parseBlocks } from "../../../core/sending/templates/BlockDocument.ts"
import { blocksMjml } from "../../../core/sending/templates/BlockMjml.ts"
import type { TemplateWrite } from "../../../core/sending/templates/TemplateRules.ts"
import type { TemplateStarter } from "../../../core/sending/templates/TemplateStarters.ts"
import { withoutLoss } from "../../../core/shared/Decimal.ts"
import { type Issue, messageOf, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { frameReply, policyWith } from "../edge/frame.ts"
import type { Caller } from "../edge/guard.ts"
import { managerOf, permit, targetOf } from "../edge/permit.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { accepted, created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeContent = (content: TemplateContent) => ({
  name: content.name,
  subject: content.subject,
  format: content.format,
  source: content.source,
  preheader: content.preheader,
  html: content.format === "Html" ? content.html : content.compiledHtml,
  text: content.text
})

const encodeTemplate = (template: Template) => ({
  id: template.id,
  version: template.version,
  ...encodeContent(template),
  createdAt: formatDateTime(template.createdAt),
  ...encodeEdited(template)
})

const encodeListed = (template: ListedTemplate) => ({
  ...encodeTemplate(template),
  lastUsedAt: dateTimeOrNull(template.lastUsedAt)
})

/** A reply that shows a template, with its ETag. */
const shown = (template: Template) => tagged(ok(encodeTemplate(template)), template)

const encodeProblem = (issue: Issue) => ({
  code: issue.code,
  field: issue.field,
  message: messageOf(issue),
  params: issue.params
})

const encodeStarter = (starter: TemplateStarter) => ({
  ...starter,
  preheader: starter.preheader ?? null,
  text: starter.text ?? null
})

/** The MJML of a draft made of blocks, for editing by hand; null for other formats, and for invalid drafts. */
const mjmlOf = ({ format, source }: Partial<TemplateWrite>): string | null => {
  if (format !== "Blocks" || source == null) return null
  const parsed = parseBlocks(source)
  return Result.isSuccess(parsed) ? blocksMjml(parsed.success) : null
}

/** The owner of the previews that a call renders, who may see them: the session, or else the token. */
const ownerOf = (actor: Actor): string => actor.sessionId ?? actorText(actor)

/** Rejects a call that names a contact if the caller may not read contacts. */
const permitContact = (account: Account, caller: Caller, contactId: string | null) =>
  contactId === null
    ? Effect.void
    : Effect.flatMap(managerOf(caller), (manager) => permit(manager, "contacts:read", targetOf(account)))

/** Templates. */
export const templatesRoutes = Effect.gen(function* () {
  const templates = yield* Templates
  const trials = yield* TemplateTrials
  const { baseUrl } = yield* PublicEndpoint
  // Uploaded images are served by the service itself, so loading them reveals nothing to others.
  const framed = (html: string) => frameReply(html, policyWith(`${baseUrl()}${imagesPath}/`))
  return bind(ManagementApi.groups.templates, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const template = yield* templates.create(account.id, payload, actor)
      return tagged(created(encodeTemplate(template)), template)
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* templates.list(account.id, page), encodeListed))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return shown(yield* templates.get(account.id, params.id))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return shown(yield* templates.change(account.id, params.id, payload, actor))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* templates.remove(account.id, params.id, actor)
      return ok(null)
    }),
    render: Effect.fnUntraced(function* ({ account, params, payload }) {
      // The values in a JSON body are JSON.
      const variables = withoutLoss(payload.variables ?? {}) as TemplateValues
      const { html, subject, text } = yield* templates.render(account.id, params.id, variables)
      return ok({ subject, html, text })
    }),
    versions: Effect.fnUntraced(function* ({ account, page, params }) {
      const found = yield* templates.versions(account.id, params.id, page)
      return ok(
        listed(page, found, ({ savedAt, ...version }) => ({ ...version, savedAt: formatDateTime(savedAt) }))
      )
    }),
    version: Effect.fnUntraced(function* ({ account, params }) {
      const found = yield* templates.version(account.id, params.id, params.version)
      const { savedAt, savedBy, version } = found
      return ok({ version, ...encodeContent(found), savedAt: formatDateTime(savedAt), savedBy })
    }),
    restore: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return shown(yield* templates.restore(account.id, params.id, payload.version, actor))
    }),
    usage: Effect.fnUntraced(function* ({ account, params }) {
      const { campaigns, flows, lastUsedAt } = yield* templates.usage(account.id, params.id)
      return ok({ flows, campaigns, lastUsedAt: dateTimeOrNull(lastUsedAt) })
    }),
    test: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      const { contactId = null, to } = payload
      yield* permitContact(account, caller, contactId)
      const { submission } = yield* trials.send(account.id, params.id, to, contactId, actor)
      return accepted({ emailId: submission.id })
    }),
    preview: Effect.fnUntraced(function* ({ account, actor, caller, payload }) {
      const { contactId = null, variables, ...draft } = payload
      yield* permitContact(account, caller, contactId)
      const values = { contactId, variables: withoutLoss(variables ?? {}) as TemplateValues }
      const found = yield* trials.preview(account.id, draft, values, ownerOf(actor))
      const { findings, previewId, problems, rendered } = found
      return ok({
        subject: rendered?.subject ?? null,
        preheader: rendered?.preheader ?? null,
        html: rendered?.html ?? null,
        text: rendered?.text ?? null,
        mjml: mjmlOf(draft),
        problems: problems.map(encodeProblem),
        findings,
        // Without the base URL, because the frame must have the origin of the page that shows it.
        frameUrl: previewId === null ? null : `/manage/v1/accounts/${account.id}/frames/${previewId}`
      })
    }),
    frame: Effect.fnUntraced(function* ({ account, actor, params }) {
      const { html } = yield* trials.frame(account.id, params.id, ownerOf(actor))
      return framed(html)
    }),
    show: Effect.fnUntraced(function* ({ account, params }) {
      return framed(yield* trials.show(account.id, params.id))
    }),
    starters: Effect.fnUntraced(function* ({ account }) {
      return ok((yield* templates.starters(account)).map(encodeStarter))
    }),
    picture: Effect.fnUntraced(function* ({ account, params }) {
      const starter = (yield* templates.starters(account)).find(({ key }) => key === params.key)
      if (starter === undefined) return yield* Problem.of("common.not_found")
      const { description: _description, key: _key, sample, ...content } = starter
      return framed(yield* trials.picture(account.id, content, sample))
    })
  })
})
