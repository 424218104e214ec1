/**
 * The web versions of campaigns' emails: pages that show a person's copy, also to people to whom the email was forwarded. The
 * pages have no link that unsubscribes the person, nothing on them is tracked, and viewing one changes nothing.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { ContactLinks } from "../audience/pages/ContactLinks.ts"
import { ownTextsFinder } from "../audience/pages/OwnPageTexts.ts"
import { defaultLanguage, pageLanguage, pageTexts } from "../audience/pages/PageLanguages.ts"
import { brandFinder } from "../images/Brands.ts"
import type { Brand } from "../model/Account.ts"
import type { Campaign, CampaignVersion, VariantId } from "../model/Campaign.ts"
import { type Contact, newContact } from "../model/Contact.ts"
import type { Delivery, SubmissionSummary } from "../model/Submission.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { HtmlRewriter } from "../ports/HtmlRewriter.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { textDocument } from "../sending/delivery/EmailView.ts"
import { CampaignContents, type RenderedCampaign } from "../sending/templates/CampaignContents.ts"
import { escapeHtml } from "../sending/templates/Preheader.ts"
import { isAsSent } from "../sending/templates/SentContent.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The version, the variant and the person of a copy. */
interface Copy {
  readonly version: number
  readonly variant: VariantId | null
  readonly contact: Contact
}

/** The copy of a person, with the email in which it was sent. */
interface OwnCopy extends Copy {
  readonly submission: SubmissionSummary
  readonly delivery: Delivery
}

/** Whether a page may load an image. */
const isShown = (url: string): boolean => /^(?:https:\/\/|data:image\/)/i.test(url)

/** The copy for a person about whom nothing is stored: the variant that won, or else the first. */
export const strangersCopy = ({ definition, id, test, version }: Campaign, now: number): Copy => ({
  version,
  variant: test?.winner ?? definition.test?.variants[0]?.id ?? null,
  contact: { ...newContact(id, "", now), email: null }
})

/** The footer and the postal address of a brand, without lines that the content already shows, as in the brand's templates. */
const closingOf = ({ footer, postalAddress }: PageBrand, isShownLine: (line: string) => boolean): string =>
  [footer, postalAddress]
    .filter((part) => part !== null)
    .filter((part) => !part.split("\n").every((line) => isShownLine(line.trim())))
    .join("\n\n")

/** The parts of a brand that a page shows. */
type PageBrand = Pick<Brand, "footer" | "name" | "postalAddress">

/**
 * Returns a rendered copy as the document of a page. The title names the brand. The page ends with a note, and with the
 * brand's footer and postal address.
 */
export const documentOf = (
  rewriter: HtmlRewriter["Service"],
  { html, subject, text }: Pick<RenderedCampaign, "html" | "subject" | "text">,
  language: string | null,
  brand: PageBrand,
  note = ""
): string => {
  const isText = (part: string) => part !== ""
  if (html === null) {
    const closing = closingOf(brand, (line) => (text ?? "").includes(line))
    return textDocument([text ?? "", note, closing].filter(isText).join("\n\n"))
  }
  const title = brand.name === null ? subject : `${subject} – ${brand.name}`
  const head = { language: language ?? defaultLanguage, title }
  const closing = [note, closingOf(brand, (line) => html.includes(escapeHtml(line)))]
    .filter(isText)
    .join("\n\n")
  const end = closing === "" ? "" : `<div style="${closingStyle}">${escapeHtml(closing)}</div>`
  const whole = rewriter.rewrite(rewriter.document(html, head), () => (url) => url, end)
  return rewriter.display(whole, (url) => (isShown(url) ? url : null))
}

/** The style below an email, readable on whatever background the email has. */
const closingStyle =
  "max-width:600px;margin:0 auto;padding:24px 16px;background:#ffffff;color:#566074;" +
  "font:14px/1.5 system-ui,sans-serif;text-align:center;white-space:pre-line;overflow-wrap:anywhere"

/** Shows the web versions of campaigns' emails. */
export class WebVersions extends Context.Service<
  WebVersions,
  {
    /**
     * Returns the document that a link to a web version leads to; `isTest` instead for the link of a test email. Null if the
     * link is invalid, the campaign was deleted, or the copy cannot be rendered. If the person was erased or has another
     * address now, or if the content of their email is no longer kept, the page shows the copy for a person about whom nothing
     * is stored.
     */
    readonly view: (
      token: string
    ) => Effect.Effect<{ readonly document: string } | { readonly isTest: true } | null, Unavailable>
  }
>()("svc/campaigns/WebVersions") {
  static readonly layer = Layer.effect(
    WebVersions,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const contacts = yield* ContactStore
      const contents = yield* CampaignContents
      const findBrand = yield* brandFinder
      const findTexts = yield* ownTextsFinder
      const links = yield* ContactLinks
      const rewriter = yield* HtmlRewriter
      const store = yield* CampaignStore
      const submissions = yield* SubmissionStore

      /** The copy of the person to whom an email was sent; null if it is no longer shown to anyone. */
      const copyOf = Effect.fnUntraced(function* (
        { accountId, id }: Campaign,
        deliveryId: string,
        isFor: (email: string | null) => boolean
      ) {
        const [submission] = yield* submissions.find(accountId, [deliveryId])
        const marketing = submission?.marketing ?? null
        if (
          submission === undefined ||
          marketing?.campaign?.id !== id ||
          submission.contentErasedAt !== null
        ) {
          return null
        }
        const { variant = null, version } = marketing.campaign
        const keys = { ids: [marketing.contactId], externalIds: [], emails: [] }
        const [contact] = yield* contacts.find(accountId, keys)
        if (contact === undefined || contact.erasedAt !== null || !isFor(contact.email)) return null
        const isKept = submission.deliveries.some(({ email }) => email !== "")
        const delivery = submission.deliveries.find(({ id: one }) => one === deliveryId)
        return isKept && delivery !== undefined
          ? ({ version, variant, contact, submission, delivery } satisfies OwnCopy)
          : null
      })

      /** A note that the copy differs from what was sent; empty if it does not differ, or if that is not known. */
      const noteOf = Effect.fnUntraced(function* (own: OwnCopy | null, version: CampaignVersion) {
        if (own === null || own.delivery.contentHash === null) return ""
        const { contact, delivery, submission, variant } = own
        const { accountId, createdAt: at, marketing } = submission
        const [email] = yield* contents.render(accountId, [{ version, contact, variant, at }])
        if (Result.isFailure(email!)) return ""
        const { contentHash } = email!.success
        if (isAsSent({ marketing, contentHash }, delivery) !== false) return ""
        const texts = yield* findTexts(accountId)
        return pageTexts(pageLanguage(texts, contact.language), texts).webVersion.changed
      })

      return WebVersions.of({
        view: Effect.fn("WebVersions.view")(function* (token) {
          const link = yield* links.read("webVersion", token)
          if (link === null) return null
          const { accountId, contactId: campaignId } = link.target
          const [campaign] = yield* store.find(accountId, [campaignId])
          const [account] = yield* accounts.find([accountId])
          if (campaign === undefined || account === undefined) return null
          // The link of a test email names its campaign only.
          if (link.deliveryId === null) return { isTest: true }
          const now = yield* Clock.currentTimeMillis
          const own = yield* copyOf(campaign, link.deliveryId, link.isFor)
          const { contact, variant, version: number } = own ?? strangersCopy(campaign, now)
          const [version] = yield* store.versions([{ accountId, campaignId, version: number }])
          if (version === undefined) return null
          const [rendered] = yield* contents.renderPages(accountId, [{ version, contact, variant }])
          if (Result.isFailure(rendered!)) return null
          const language = contact.language ?? account.settings.language
          const note = yield* noteOf(own, version)
          const brand = yield* findBrand(account)
          return { document: documentOf(rewriter, rendered!.success, language, brand, note) }
        })
      })
    })
  ).pipe(Layer.provide(CampaignContents.layer))
}
