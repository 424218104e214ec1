/**
 * Checks a campaign before it is launched and again when its time comes, and freezes what it sends.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Segments } from "../audience/segments/Segments.ts"
import type { Campaign, CampaignContent, CampaignVersion } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { Editor } from "../model/Edited.ts"
import type { TemplateContent } from "../model/Template.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { RunOwner } from "../ports/Threads.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { senderOf, unverifiedSender } from "../sending/domains/SenderChoice.ts"
import { checkRendered } from "../sending/emails/EmailContent.ts"
import { CampaignContents } from "../sending/templates/CampaignContents.ts"
import { TemplateCheck } from "../sending/templates/TemplateRules.ts"
import { type Issue, issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { scheduleProblem } from "./CampaignSchedules.ts"

/** What a check found; a campaign with an Error cannot be launched. */
export interface Finding {
  readonly severity: "Error" | "Warning"
  readonly issue: Issue
  /** How many people it concerns, of those that were tried; null where it concerns the campaign. */
  readonly count: number | null
}

/** A check of a campaign. */
export interface CampaignCheck {
  readonly findings: ReadonlyArray<Finding>
  /** How many people its segments select now. */
  readonly recipients: number
  /** What would be frozen; null where an Error prevents it. */
  readonly version: CampaignVersion | null
}

/** How many people a check renders the content for. */
const sampleSize = 20

/** Its name stands in for that of a template. */
const contentName = "content"

/** Checks campaigns. */
export class CampaignChecks extends Context.Service<CampaignChecks>()("svc/campaigns/CampaignChecks", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const contents = yield* CampaignContents
    const domains = yield* DomainStore
    const segments = yield* Segments
    const templates = yield* TemplateStore
    const { check: checkTemplate } = yield* TemplateCheck
    const topics = yield* TopicStore

    const onField = (problem: Problem, field: string): Problem =>
      Problem.from(
        problem.issues.map((one) => ({
          ...one,
          field: one.field === null ? field : `${field}.${one.field}`
        }))
      )!

    /**
     * The parts of content that are rendered, compiled. Fails with sending.template_not_found, and the codes of
     * `TemplateCheck.check`, each on its field of `content`.
     */
    const compile = Effect.fn("CampaignChecks.compile")(function* (
      accountId: string,
      content: CampaignContent
    ): Effect.fn.Return<
      Pick<TemplateContent, "compiledHtml" | "preheader" | "subject" | "text">,
      Problem | Unavailable
    > {
      if ("templateId" in content) {
        const { templateId, templateVersion } = content
        const [template] = yield* templates.find(accountId, [templateId])
        if (template === undefined) {
          return yield* Problem.of("sending.template_not_found", "content.templateId")
        }
        if (templateVersion === null || templateVersion === template.version) return template
        const version = yield* templates.version(accountId, templateId, templateVersion)
        return version ?? (yield* Problem.of("sending.template_not_found", "content.templateVersion"))
      }
      return yield* checkTemplate({ name: contentName, ...content }, null).pipe(
        Effect.provideService(RunOwner, accountId),
        Effect.mapError((error) => (error._tag === "Problem" ? onField(error, "content") : error))
      )
    })

    /** Segments that an audience names, as they are now; campaigns.segment_not_found on the field. */
    const documentsOf = Effect.fn("CampaignChecks.documentsOf")(function* (
      accountId: string,
      { exclude, segments: include }: Campaign["definition"]["audience"]
    ) {
      const of = (ids: ReadonlyArray<string>, field: string) =>
        Effect.forEach(ids, (id, index) =>
          Effect.mapError(segments.documents(accountId, [id]), (error) =>
            error._tag === "Problem"
              ? Problem.of("campaigns.segment_not_found", `audience.${field}[${index}]`)
              : error
          )
        ).pipe(Effect.map((found) => found.flat()))
      return { include: yield* of(include, "segments"), exclude: yield* of(exclude, "exclude") }
    })

    /** Renders a version for some people; how many it cannot be rendered for. */
    const tryRender = Effect.fnUntraced(function* (
      version: CampaignVersion,
      people: ReadonlyArray<Contact>,
      at: number
    ) {
      const rendered = yield* contents.render(
        version.accountId,
        people.map((contact) => ({ version, contact, at }))
      )
      return rendered.filter((one) => Result.isFailure(Result.flatMap(one, checkRendered))).length
    })

    const check = Effect.fn("CampaignChecks.check")(function* (
      campaign: Campaign,
      by: Editor,
      isDue: boolean
    ): Effect.fn.Return<CampaignCheck, Unavailable> {
      const { accountId, definition, id } = campaign
      const now = yield* Clock.currentTimeMillis
      const findings: Array<Finding> = []
      const fail = (...issues: ReadonlyArray<Issue>) => {
        for (const one of issues) findings.push({ severity: "Error", issue: one, count: null })
      }
      /** The value of an effect; undefined, with its issues found, where it fails. */
      const orFound = <A>(effect: Effect.Effect<A, Problem | Unavailable>) =>
        Effect.catchTag(effect, "Problem", (problem) => {
          fail(...problem.issues)
          return Effect.succeed(undefined)
        })

      const [account] = yield* accounts.find([accountId])
      const verified = yield* domains.verified([accountId])
      const sender = account === undefined ? null : senderOf(account, verified, definition.from)
      if (sender === null) fail(...unverifiedSender(accountId, account ?? null, definition.from).issues)
      const known = yield* topics.list(accountId)
      const topic = known.find(({ key }) => key === definition.topic)
      if (definition.topic !== null && topic === undefined) fail(issue("topics.not_found", "topic"))
      else if (topic?.isArchived === true) fail(issue("topics.archived", "topic"))
      const late = isDue ? null : scheduleProblem(definition.schedule, now)
      if (late !== null) fail(issue(late, "schedule"))

      const parts =
        definition.content === null ? undefined : yield* orFound(compile(accountId, definition.content))
      if (definition.content === null) fail(issue("campaigns.content_required", "content"))
      let recipients = 0
      let people: ReadonlyArray<Contact> = []
      if (definition.audience.segments.length === 0) {
        fail(issue("campaigns.audience_required", "audience.segments"))
      } else {
        const chosen = yield* orFound(documentsOf(accountId, definition.audience))
        if (chosen !== undefined) {
          const page = { page: 1, pageSize: sampleSize }
          const found = yield* segments.select(accountId, chosen, page, now)
          recipients = found.totalCount
          people = found.items
          if (recipients === 0) fail(issue("campaigns.audience_empty", "audience"))
        }
      }
      if (parts === undefined || sender === null || account === undefined) {
        return { findings, recipients, version: null }
      }
      const { content, replyTo, tracking } = definition
      const version: CampaignVersion = {
        accountId,
        campaignId: id,
        version: campaign.version + 1,
        name: campaign.name,
        templateId: content !== null && "templateId" in content ? content.templateId : null,
        subject: parts.subject,
        preheader: parts.preheader,
        html: parts.compiledHtml,
        text: parts.text,
        from: sender,
        replyTo,
        topicId: topic?.id ?? null,
        tracking: tracking ?? account.settings.flowTracking,
        createdAt: now,
        createdBy: by
      }
      const failed = people.length === 0 ? 0 : yield* tryRender(version, people, now)
      if (failed > 0) {
        findings.push({
          severity: failed === people.length ? "Error" : "Warning",
          issue: issue("campaigns.content_invalid", "content"),
          count: failed
        })
      }
      if (parts.subject.length > 60) warn(findings, "validation.max_length", "content.subject", { max: 60 })
      return {
        findings,
        recipients,
        version: findings.some(({ severity }) => severity === "Error") ? null : version
      }
    })

    return {
      /**
       * Checks a campaign as it is now. Every problem is a finding.
       *
       * @param by who launches it
       * @param isDue whether its time has come: a schedule in the past is none of the findings
       */
      check,
      compile,
      documentsOf
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignChecks, CampaignChecks.make).pipe(
    Layer.provide([CampaignContents.layer, Segments.layer, TemplateCheck.layer])
  )
}

const warn = (
  findings: Array<Finding>,
  code: "validation.max_length",
  field: string,
  params: { readonly max: number }
): void => {
  findings.push({ severity: "Warning", issue: issue(code, field, params), count: null })
}

/** The problem of all errors of a check; undefined without any. */
export const problemOf = ({ findings }: CampaignCheck): Problem | undefined =>
  Problem.from(findings.flatMap(({ issue: one, severity }) => (severity === "Error" ? [one] : [])))
