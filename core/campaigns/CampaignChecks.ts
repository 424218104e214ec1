/**
 * Checks a campaign before launch and again when it starts, and freezes what it sends. A check loads none of the
 * resources that the content refers to. It queries only the DNS, for the alignment of the senders' domains.
 *
 * @module
 */
import { Cache, Clock, Context, Effect, Exit, Layer, Result } from "effect"
import { builtOnce } from "../kernel/builtOnce.ts"
import { type SegmentSelection, Segments } from "../audience/segments/Segments.ts"
import type { Campaign, CampaignContent, CampaignVersion, VersionPart } from "../model/Campaign.ts"
import type { Account } from "../model/Account.ts"
import type { Contact } from "../model/Contact.ts"
import type { Editor } from "../model/Edited.ts"
import type { TemplateContent } from "../model/Template.ts"
import { Crypto } from "../ports/Crypto.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { HtmlRewriter } from "../ports/HtmlRewriter.ts"
import { StandingStore } from "../ports/StandingStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { StorageLimits } from "../ports/StorageLimits.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { RunOwner } from "../ports/Threads.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { Alignment } from "../sending/alignment/Alignment.ts"
import { senderOf, unverifiedSender, verifiedDomainOf } from "../sending/domains/SenderChoice.ts"
import { checkRendered } from "../sending/emails/EmailContent.ts"
import { isJudged } from "../sending/standing/StandingGate.ts"
import { CampaignContents } from "../sending/templates/CampaignContents.ts"
import { TemplateCheck } from "../sending/templates/TemplateRules.ts"
import { type Issue, issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { isApprovalMissing, slotOf } from "./CampaignRules.ts"
import { sampleOf } from "./SampleRules.ts"
import { findingsOfContent, withUnsubscribeMark } from "./ContentFindings.ts"
import { scheduleProblem } from "./CampaignSchedules.ts"

/** A finding of a check. A campaign with a finding of severity Error cannot be launched. */
export interface Finding {
  readonly severity: "Error" | "Warning"
  readonly issue: Issue
  /**
   * The number of people concerned, or of links or images in a finding about content; null if it concerns the whole
   * campaign.
   */
  readonly count: number | null
}

/** The result of a check. */
export interface CampaignCheck {
  readonly findings: ReadonlyArray<Finding>
  /** The number of people that the campaign's segments select now. */
  readonly recipients: number
  /** The version that a launch would freeze; null if an Error prevents the launch. */
  readonly version: CampaignVersion | null
  /**
   * The SHA-256 of what the campaign would send, its senders, and the current rules of its segments; null if these
   * are not known.
   */
  readonly digest: string | null
  /**
   * What a test email sends: `version`, also if an Error that concerns neither content nor sender prevents a launch.
   */
  readonly tested: CampaignVersion | null
}

/** The sample for which a check renders the content is chosen among this many of the newest people. */
const poolSize = 1_000

/** How long a domain is remembered as aligned, and the maximum number of domains remembered. */
const alignedFor = "5 minutes"
const maxAligned = 1_000

/** The name used where a template's name is expected. */
const contentName = "content"

/** Checks campaigns. */
export class CampaignChecks extends Context.Service<CampaignChecks>()("svc/campaigns/CampaignChecks", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const alignment = yield* Alignment
    const standings = yield* StandingStore
    const contents = yield* CampaignContents
    const crypto = yield* Crypto
    const domains = yield* DomainStore
    const segments = yield* Segments
    const { maxAudience } = yield* StorageLimits
    const templates = yield* TemplateStore
    const { check: checkTemplate } = yield* TemplateCheck
    const rewriter = yield* HtmlRewriter
    const topics = yield* TopicStore

    const onField = (problem: Problem, field: string): Problem =>
      Problem.from(
        problem.issues.map((one) => ({
          ...one,
          field: one.field === null ? field : `${field}.${one.field}`
        }))
      )!

    /**
     * Compiles the rendered parts of content. Fails with sending.template_not_found and with the codes of
     * `TemplateCheck.check`, each on its field of `content`.
     */
    const compile = Effect.fn("CampaignChecks.compile")(function* (
      accountId: string,
      content: CampaignContent,
      path = "content"
    ): Effect.fn.Return<
      Pick<TemplateContent, "compiledHtml" | "preheader" | "subject" | "text"> & {
        /** The version of the stored template. */
        readonly version?: number
      },
      Problem | Unavailable
    > {
      if ("templateId" in content) {
        const { templateId, templateVersion } = content
        const [template] = yield* templates.find(accountId, [templateId])
        if (template === undefined) {
          return yield* Problem.of("sending.template_not_found", `${path}.templateId`)
        }
        if (templateVersion === null || templateVersion === template.version) return template
        const version = yield* templates.version(accountId, templateId, templateVersion)
        return version ?? (yield* Problem.of("sending.template_not_found", `${path}.templateVersion`))
      }
      return yield* checkTemplate({ name: contentName, ...content }, null).pipe(
        Effect.provideService(RunOwner, accountId),
        Effect.mapError((error) => (error._tag === "Problem" ? onField(error, path) : error))
      )
    })

    /**
     * The current rules of the segments that an audience names. Fails with campaigns.segment_not_found on the field.
     */
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

    /** Renders a version for some people. Returns the error for each person for whom it does not render. */
    const tryRender = Effect.fnUntraced(function* (
      version: CampaignVersion,
      people: ReadonlyArray<Contact>,
      at: number
    ) {
      const rendered = yield* contents.render(
        version.accountId,
        people.flatMap((contact) => variantsOf(version).map((variant) => ({ version, contact, variant, at })))
      )
      return rendered.flatMap((one) => {
        const result = Result.flatMap(one, checkRendered)
        return Result.isFailure(result) ? [result.failure.issues[0]] : []
      })
    })

    /** Whether the account's standing holds its marketing. */
    const isHeld = Effect.fnUntraced(function* (account: Account) {
      if (!isJudged(account) || !account.settings.standingHolds) return false
      const [standing] = yield* standings.find([account.id])
      return standing?.state === "Held"
    })

    /**
     * Whether a domain is aligned, keyed by account and domain name. The cache avoids a DNS query for each batch of a
     * campaign.
     */
    const aligned = yield* Cache.makeWith(
      Effect.fnUntraced(function* (key: string) {
        const [accountId, domain] = key.split(" ") as [string, string]
        const [account] = yield* accounts.find([accountId])
        if (account === undefined) return false
        return yield* alignment.require(account, domain).pipe(
          Effect.as(true),
          Effect.catchTag("Problem", () => Effect.succeed(false))
        )
      }),
      {
        capacity: maxAligned,
        timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value ? alignedFor : 0)
      }
    )

    /** Whether each sender of a version is on a verified and aligned domain. */
    const areSendersSound = Effect.fn("CampaignChecks.areSendersSound")(function* ({
      accountId,
      from,
      parts
    }: CampaignVersion) {
      const verified = yield* domains.verified([accountId])
      const senders = [from, ...(parts ?? []).flatMap((part) => part.from ?? [])]
      const names = new Set(
        senders.map(({ email }) => verifiedDomainOf(accountId, email, verified)?.domain ?? null)
      )
      for (const name of names) {
        if (name === null || !(yield* Cache.get(aligned, `${accountId} ${name}`))) return false
      }
      return true
    })

    /**
     * The compiled contents of a definition: one for each combination of variant and language. The first is the
     * version's main content.
     */
    const partsOf = Effect.fnUntraced(function* (accountId: string, definition: Campaign["definition"]) {
      const { content, languages, test } = definition
      const given =
        test === null
          ? [{ id: null, content, languages, from: null, path: "content" }]
          : test.variants.map((variant, index) => ({
              ...variant,
              path: `test.variants[${index}].content`
            }))
      const parts: Array<VersionPart> = []
      for (const one of given) {
        const written = [
          [null, one.content, one.path] as const,
          ...Object.entries(one.languages).map(
            ([tag, other]) => [tag, other, `${one.path}.languages.${tag}`] as const
          )
        ]
        for (const [language, source, path] of written) {
          if (source === null) return yield* Problem.of("campaigns.content_required", "content")
          const compiled = yield* compile(accountId, source, path)
          parts.push({
            variant: one.id,
            language,
            from: one.from,
            templateId: "templateId" in source ? source.templateId : null,
            templateVersion: compiled.version ?? null,
            subject: compiled.subject,
            preheader: compiled.preheader,
            html: compiled.compiledHtml,
            text: compiled.text
          })
        }
      }
      return parts
    })

    /** Findings about the contents, each on its field of the definition. */
    const findingsOf = Effect.fnUntraced(function* (
      accountId: string,
      { test }: Campaign["definition"],
      parts: ReadonlyArray<VersionPart>
    ) {
      const findings: Array<Finding> = []
      for (const part of parts) {
        const { html, language, variant } = part
        const index = test?.variants.findIndex(({ id }) => id === variant) ?? -1
        const base = index < 0 ? "content" : `test.variants[${index}].content`
        const path = language === null ? base : `${base}.languages.${language}`
        const displayed =
          html === null
            ? null
            : yield* Effect.provideService(rewriter.text(withUnsubscribeMark(html)), RunOwner, accountId)
        const links = html === null ? [] : rewriter.links(html).map(({ url }) => url)
        for (const { code, count, field, params, severity } of findingsOfContent({
          ...part,
          displayed,
          links
        })) {
          findings.push({ severity, issue: issue(code, `${path}.${field}`, params), count })
        }
      }
      return findings
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
      /**
       * Returns the value of an effect. If the effect fails, its issues become findings, and the result is undefined.
       */
      const orFound = <A>(effect: Effect.Effect<A, Problem | Unavailable>) =>
        Effect.catchTag(effect, "Problem", (problem) => {
          fail(...problem.issues)
          return Effect.succeed(undefined)
        })

      const [account] = yield* accounts.find([accountId])
      const verified = yield* domains.verified([accountId])
      const sender = account === undefined ? null : senderOf(account, verified, definition.from)
      if (sender === null) fail(...unverifiedSender(accountId, account ?? null, definition.from).issues)
      else if (account !== undefined) {
        yield* orFound(
          alignment.require(account, verifiedDomainOf(accountId, sender.email, verified)!.domain)
        )
      }
      for (const [index, variant] of (definition.test?.variants ?? []).entries()) {
        if (account === undefined || variant.from === null) continue
        const field = `test.variants[${index}].from`
        if (senderOf(account, verified, variant.from) === null) {
          const { issues } = unverifiedSender(accountId, account, variant.from)
          fail(...issues.map((one) => ({ ...one, field })))
          continue
        }
        const { domain } = verifiedDomainOf(accountId, variant.from.email, verified)!
        yield* orFound(
          Effect.mapError(alignment.require(account, domain), (error) =>
            error._tag === "Problem" ? onField(error, field) : error
          )
        )
      }
      if (account !== undefined && (yield* isHeld(account))) fail(issue("campaigns.standing"))
      const known = yield* topics.list(accountId)
      const topic = known.find(({ key }) => key === definition.topic)
      const named = { key: definition.topic ?? "" }
      if (definition.topic !== null && topic === undefined)
        fail(issue("topics.not_found", "topic", null, named))
      else if (topic?.isArchived === true) fail(issue("topics.archived", "topic", null, named))
      const late = isDue ? null : scheduleProblem(definition.schedule, now)
      if (late !== null) fail(issue(late, "schedule"))

      const parts = yield* orFound(partsOf(accountId, definition))
      let recipients = 0
      let chosen: SegmentSelection | undefined
      let people: ReadonlyArray<Contact> = []
      if (definition.audience.segments.length === 0) {
        fail(issue("campaigns.audience_required", "audience.segments"))
      } else {
        chosen = yield* orFound(documentsOf(accountId, definition.audience))
        if (chosen !== undefined) {
          const page = { page: 1, pageSize: poolSize }
          const found = yield* segments.select(accountId, chosen, page, now)
          recipients = found.totalCount
          people = sampleOf(found.items, ({ id: contact }) => slotOf(crypto.sha256Hex, id, contact))
          if (recipients === 0) fail(issue("campaigns.audience_empty", "audience"))
          if (maxAudience !== null && !found.totalIsExact) {
            const { groups } = yield* segments.estimate(accountId, chosen, {
              topic: null,
              timeZoneAttribute: null,
              caps: []
            })
            recipients = groups.reduce((sum, { count }) => sum + count, 0)
          }
          if (maxAudience !== null && recipients > maxAudience) {
            fail(issue("campaigns.audience_too_large", "audience", { max: maxAudience }))
          }
        }
      }
      const digest =
        parts === undefined || sender === null || chosen === undefined
          ? null
          : crypto.sha256Hex(JSON.stringify([parts, sender, chosen]))
      // A scheduled campaign whose start has come was approved at its launch, and what it sends is frozen.
      if (!isDue && account !== undefined && isApprovalMissing(campaign, account, recipients, digest)) {
        fail(issue("campaigns.approval_required"))
      }
      if (parts === undefined || sender === null || account === undefined) {
        return { findings, recipients, version: null, tested: null, digest }
      }
      const { replyTo, tracking, utm } = definition
      const base = parts[0]!
      const version: CampaignVersion = {
        accountId,
        campaignId: id,
        version: campaign.version + 1,
        name: campaign.name,
        templateId: base.templateId,
        templateVersion: base.templateVersion,
        subject: base.subject,
        preheader: base.preheader,
        html: base.html,
        text: base.text,
        parts: parts.length === 1 ? null : parts,
        from: sender,
        replyTo,
        utm,
        topicId: topic?.id ?? null,
        tracking: tracking ?? account.settings.campaignTracking,
        createdAt: now,
        createdBy: by
      }
      const failures = people.length === 0 ? [] : yield* tryRender(version, people, now)
      const copies = people.length * variantsOf(version).length
      const [failure] = failures
      if (failure !== undefined) {
        findings.push({
          severity: failures.length === copies ? "Error" : "Warning",
          issue: issue("campaigns.content_invalid", "content", failure.params),
          count: failures.length
        })
      }
      findings.push(...(yield* findingsOf(accountId, definition, parts)))
      const [company] = yield* accounts.findCompanies([account.companyId])
      if ((company?.brand.postalAddress ?? null) === null) {
        findings.push({ severity: "Warning", issue: issue("campaigns.postal_address_missing"), count: null })
      }
      return {
        findings,
        recipients,
        version: findings.some(({ severity }) => severity === "Error") ? null : version,
        tested: version,
        digest
      }
    })

    return {
      /**
       * Checks a campaign in its current state. Every problem becomes a finding.
       *
       * @param by the user who launches it
       * @param isDue whether its scheduled time has come; a schedule in the past is then not a finding
       */
      check,
      isHeld,
      areSendersSound,
      partsOf,
      documentsOf
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignChecks, CampaignChecks.make).pipe(
    Layer.provide([Alignment.layer, CampaignContents.layer, Segments.layer, TemplateCheck.layer]),
    builtOnce
  )
}

/** The variants of a version; `[null]` if it has no test. */
const variantsOf = ({ parts }: CampaignVersion) => [
  ...new Set(parts?.map(({ variant }) => variant) ?? [null])
]

/** Combines all errors of a check into one problem; undefined if there are none. */
export const problemOf = ({ findings }: CampaignCheck): Problem | undefined =>
  Problem.from(findings.flatMap(({ issue: one, severity }) => (severity === "Error" ? [one] : [])))
