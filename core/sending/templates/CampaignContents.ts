/**
 * Renders the emails of campaigns: from the version that their submission names, the contact as it is now and the
 * catalogue. Their content is stored once for each version, so it is rendered when the message is sent and whenever it is
 * shown.
 *
 * @module
 */
import { Context, Effect, Layer, Result } from "effect"
import { TemplateItems } from "../../catalog/TemplateItems.ts"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { contactValues } from "../../audience/contacts/ContactValues.ts"
import { ownTextsFinder } from "../../audience/pages/OwnPageTexts.ts"
import { ContactLinks } from "../../audience/pages/ContactLinks.ts"
import { concealLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { inTurns, Turns } from "../../kernel/Turns.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { CampaignUtm, CampaignVersion, VariantId, VersionPart } from "../../model/Campaign.ts"
import type { Sender } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import type { ExtraHeader, UnloadedSubmission } from "../../model/Submission.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { HtmlRewriter, type TemplateLink } from "../../ports/HtmlRewriter.ts"
import { countedLinks, linkDigest, markLinks, withoutMarks, writtenUrls } from "./LinkNames.ts"
import { contentHash } from "./SentContent.ts"
import { TemplateRenderer } from "./TemplateRenderer.ts"
import { replaceTextLinks } from "./TextLinks.ts"
import { type EmailLinks, unsubscribeHeaders, withUnsubscribeLink } from "./UnsubscribeLink.ts"

/** A person's copy of a version. */
export interface CampaignRender {
  readonly version: CampaignVersion
  readonly contact: Contact
  /** Null without a test. */
  readonly variant: VariantId | null
  /** When it was submitted, from which its links are valid; epoch milliseconds. */
  readonly at: number
  /** The delivery of its email, which its links name; absent for a copy that is not sent. */
  readonly deliveryId?: string
}

/** The absolute URLs of the pages that a copy links to. */
interface CampaignLinks extends EmailLinks {
  readonly webVersion: string
}

/** A rendered copy. The links of an email to the person's own pages are valid; those of any other copy say that it was a test. */
export interface RenderedCampaign {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly headers: ReadonlyArray<ExtraHeader>
  /** The names of links whose URL rendering made, by their URL, where they were wanted. */
  readonly linkNames?: ReadonlyMap<string, string>
  /** What it is, without the links to the person's own pages: that of an email as of any other copy of the person. */
  readonly contentHash: string
}

/** The part of a version for a variant and a language: the whole tag, then its primary subtag, then every other; undefined without. */
export const partFor = <Part extends Pick<VersionPart, "language" | "variant">>(
  all: ReadonlyArray<Part> | null,
  variant: VariantId | null,
  language: string | null
): Part | undefined => {
  const parts = (all ?? []).filter((part) => part.variant === variant)
  const tag = language?.toLowerCase() ?? ""
  const primary = tag.split("-")[0]!
  return (
    parts.find((part) => part.language === tag) ??
    parts.find((part) => part.language === primary) ??
    parts.find((part) => part.language === null)
  )
}

/** What a person gets of a version: the content of the variant, in the person's language where it has that. */
export const partOf = (
  version: Pick<
    CampaignVersion,
    "from" | "html" | "parts" | "preheader" | "subject" | "templateId" | "templateVersion" | "text"
  >,
  variant: VariantId | null,
  language: string | null
): Omit<VersionPart, "language" | "variant"> & { readonly from: Sender } => {
  const found = partFor(version.parts, variant, language)
  if (found === undefined) return version
  // What was launched before they were kept has none.
  return { ...found, from: found.from ?? version.from, templateVersion: found.templateVersion ?? null }
}

/** The parameters, in the order in which links get them. */
const utmNames = ["source", "medium", "campaign", "term", "content"] as const

/** A URL with the parameters of a campaign that it does not have yet, before its fragment. */
export const withUtm = (utm: CampaignUtm, variant: VariantId | null, url: string): string => {
  const [, address = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? []
  const known = new Set(
    query
      .slice(1)
      .split("&")
      .map((part) => part.split("=")[0])
  )
  const added = utmNames.flatMap((name) => {
    const value = name === "content" ? (utm.content ?? variant) : utm[name]
    return value === null || known.has(`utm_${name}`) ? [] : [`utm_${name}=${encodeURIComponent(value)}`]
  })
  const parts = [query.slice(1), ...added].filter((part) => part !== "")
  return address + (parts.length === 0 ? query : `?${parts.join("&")}`) + fragment
}

/** Renders the emails of campaigns. */
export class CampaignContents extends Context.Service<CampaignContents>()("svc/sending/CampaignContents", {
  make: Effect.gen(function* () {
    const campaigns = yield* CampaignStore
    const contactLinks = yield* ContactLinks
    const contacts = yield* ContactStore
    const crypto = yield* Crypto
    const findTexts = yield* ownTextsFinder
    const keys = yield* InstallationKeys
    const publicEndpoint = yield* PublicEndpoint
    const renderer = yield* TemplateRenderer
    const rewriter = yield* HtmlRewriter
    const turns = yield* Turns

    /** A copy with the campaign's parameters in its links, except those to the person's own pages. */
    const addUtm = (
      { html, text }: Pick<RenderedCampaign, "html" | "text">,
      { utm }: CampaignVersion,
      variant: VariantId | null,
      { preferences, unsubscribe, webVersion }: CampaignLinks
    ): Pick<RenderedCampaign, "html" | "text"> => {
      if (utm === null) return { html, text }
      const own = new Set([preferences, unsubscribe, webVersion])
      const linkOf = (url: string) => (own.has(url) ? url : withUtm(utm, variant, url))
      return {
        html: html && rewriter.rewrite(html, () => linkOf, "", "data-no-utm"),
        text: text && replaceTextLinks(text, linkOf)
      }
    }

    /** The counted links of a version's html, of which most renders of a batch have the same. */
    const linksFinder = () => {
      const found = new Map<string, ReadonlyArray<TemplateLink>>()
      return (html: string): ReadonlyArray<TemplateLink> => {
        const links = found.get(html) ?? countedLinks(rewriter.templateLinks(html))
        found.set(html, links)
        return links
      }
    }

    /** The names of the links of a copy that were made of marked ones, with the campaign's parameters and without. */
    const namesOf = (
      html: string,
      links: ReadonlyArray<TemplateLink>,
      { utm }: CampaignVersion,
      variant: VariantId | null
    ): ReadonlyMap<string, string> => {
      const urls = rewriter.links(html).map(({ url }) => url)
      const names = new Map<string, string>()
      for (const [url, written] of writtenUrls(urls, links)) {
        const name = linkDigest(crypto, written)
        for (const one of utm === null ? [url] : [url, withUtm(utm, variant, url)]) {
          if (!names.has(one)) names.set(one, name)
        }
      }
      return names
    }

    const renderCopies = Effect.fn("CampaignContents.render")(function* (
      accountId: string,
      renders: ReadonlyArray<CampaignRender>,
      areLinksNamed: boolean
    ) {
      if (renders.length === 0) return []
      const baseUrl = publicEndpoint.baseUrl()
      const ownTexts = yield* findTexts(accountId)
      const links = yield* inTurns(
        turns,
        renders,
        Effect.fnUntraced(function* ({ at, contact, deliveryId, version: { campaignId } }) {
          const copy = {
            accountId,
            email: contact.email,
            ...(deliveryId !== undefined && { deliveryId })
          }
          // Those of a copy that is no one's email, such as a test, belong to no person.
          const contactId = deliveryId === undefined ? campaignId : contact.id
          const made = yield* contactLinks.make({ ...copy, contactId }, at)
          const webVersion = yield* contactLinks.makeWebVersion({ ...copy, campaignId }, at)
          return {
            unsubscribe: baseUrl + made.unsubscribe,
            preferences: baseUrl + made.preferences,
            webVersion: baseUrl + webVersion
          } satisfies CampaignLinks
        })
      )
      const findLinks = linksFinder()
      const templates = renders.map((one, index) => {
        const { template, variables } = templateFor(one, links[index]!)
        const { compiledHtml: written } = template
        const found = areLinksNamed && written !== null ? findLinks(written) : []
        const marked = found.some(({ isRendered }) => isRendered) ? found : []
        const compiledHtml = marked.length === 0 ? written : markLinks(written!, marked)
        return { template: { ...template, compiledHtml }, variables, marked }
      })
      const rendered = yield* renderer.render(accountId, templates, turns)
      return yield* inTurns(turns, rendered, (result, index) =>
        Effect.succeed(
          Result.map(result, ({ html, subject, text }): RenderedCampaign => {
            const own = links[index]!
            const { contact, variant, version } = renders[index]!
            const { marked } = templates[index]!
            const isMarked = html !== null && marked.length > 0
            const linkNames = isMarked ? { linkNames: namesOf(html, marked, version, variant) } : {}
            const written = { html: isMarked ? withoutMarks(html) : html, text }
            const content = addUtm(written, version, variant, own)
            const bodies = withUnsubscribeLink(content, own, contact.language, ownTexts)
            return {
              subject,
              headers: unsubscribeHeaders(own),
              ...bodies,
              ...linkNames,
              contentHash: contentHash(crypto.sha256Hex, { subject, ...bodies }, Object.values(own))
            }
          })
        )
      )
    })

    return {
      /**
       * The subjects, html and texts of copies of an account for pages that others may read too: without links to the person's
       * own pages, each alone, in order; sending.template_render_failed.
       */
      renderPages: Effect.fn("CampaignContents.renderPages")(function* (
        accountId: string,
        copies: ReadonlyArray<Omit<CampaignRender, "at" | "deliveryId">>
      ) {
        const none: CampaignLinks = { unsubscribe: "", preferences: "", webVersion: "" }
        return copies.length === 0
          ? []
          : yield* renderer.render(
              accountId,
              copies.map((copy) => templateFor(copy, none))
            )
      }),
      /**
       * Renders copies of an account, each alone, in order; sending.template_render_failed. A fixed number of reads.
       */
      render: (accountId: string, renders: ReadonlyArray<CampaignRender>) =>
        renderCopies(accountId, renders, false),
      /**
       * Submissions with the content of their campaign's version; those of no campaign as they are. Null for one that cannot
       * be rendered any more: its version or contact is gone, or the contact's data has changed. A fixed number of reads for
       * each account.
       *
       * @param links whether the links of the person are valid, in what is sent, or as they are stored of another email
       */
      fill: Effect.fn("CampaignContents.fill")(function* (
        submissions: ReadonlyArray<UnloadedSubmission>,
        links: "Stored" | "Valid"
      ) {
        const wanted = submissions.flatMap((submission) => {
          const { marketing } = submission
          return marketing?.campaign === undefined
            ? []
            : [{ submission, contactId: marketing.contactId, ...marketing.campaign }]
        })
        if (wanted.length === 0) return submissions
        const versions = yield* campaigns.versions(
          wanted.map(({ id, submission: { accountId }, version }) => ({ accountId, campaignId: id, version }))
        )
        const byKey = new Map(
          versions.map((one) => [`${one.accountId}/${one.campaignId}/${one.version}`, one])
        )
        const filled = new Map<UnloadedSubmission, UnloadedSubmission>()
        for (const [accountId, group] of Map.groupBy(wanted, ({ submission }) => submission.accountId)) {
          const found = yield* contacts.find(accountId, {
            ids: [...new Set(group.map(({ contactId }) => contactId))],
            externalIds: [],
            emails: []
          })
          const people = new Map(found.map((contact) => [contact.id, contact]))
          const renderable = group.flatMap(
            ({ contactId, id, submission, variant = null, version: number }) => {
              const version = byKey.get(`${accountId}/${id}/${number}`)
              const contact = people.get(contactId)
              return version === undefined || contact === undefined || contact.erasedAt !== null
                ? []
                : [
                    {
                      submission,
                      version,
                      contact,
                      variant,
                      at: submission.createdAt,
                      deliveryId: submission.id
                    }
                  ]
            }
          )
          const rendered = yield* renderCopies(accountId, renderable, true)
          const conceal = concealLinks(crypto, (yield* keys.get).links, accountId)
          for (const [index, { submission }] of renderable.entries()) {
            const result = rendered[index]!
            if (Result.isFailure(result)) continue
            const copy = result.success
            const { headers, html, linkNames, subject, text } =
              links === "Valid" ? copy : withLinks(conceal, copy)
            filled.set(submission, {
              ...submission,
              subject,
              headers,
              bodies: { html, text },
              ...(linkNames !== undefined && { linkNames }),
              bodyBytes: (html?.length ?? 0) + (text?.length ?? 0),
              contentHash: copy.contentHash
            })
          }
        }
        const isOfCampaign = new Set(wanted.map(({ submission }) => submission))
        return submissions.map((one) => (isOfCampaign.has(one) ? (filled.get(one) ?? null) : one))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignContents, CampaignContents.make).pipe(
    Layer.provide([ContactLinks.layer, TemplateRenderer.layer.pipe(Layer.provide(TemplateItems.layer))]),
    builtOnce
  )
}

/** A copy as the renderer takes it. */
const templateFor = (
  { contact, variant, version }: Omit<CampaignRender, "at" | "deliveryId">,
  { preferences, unsubscribe, webVersion }: CampaignLinks
) => ({
  template: templateOf(partOf(version, variant, contact.language)),
  variables: {
    contact: contactValues(contact),
    campaign: { id: version.campaignId, name: version.name },
    unsubscribeUrl: unsubscribe,
    preferencesUrl: preferences,
    webVersionUrl: webVersion
  }
})

const templateOf = ({
  html,
  preheader,
  subject,
  text
}: Pick<VersionPart, "html" | "preheader" | "subject" | "text">) => ({
  subject,
  preheader,
  compiledHtml: html,
  text
})
