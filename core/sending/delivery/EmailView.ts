/**
 * Shows people the content of emails: as it was sent, in a document for a frame that runs and loads nothing, and as a composed
 * message.
 *
 * The links to the recipient's hosted pages stay as stored, so that viewing an email cannot unsubscribe the recipient. Opens
 * and clicks are not tracked. Images on other servers are shown on request, by signed URLs of this service that work for some
 * minutes.
 *
 * @module
 */
import { escapeHtml } from "../templates/Preheader.ts"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { isSignedBy, type KeyRing, signaturePattern, signWith } from "../../accounts/KeyRing.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { Account } from "../../model/Account.ts"
import type { EmailContent, UnloadedSubmission } from "../../model/Submission.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import { type FetchedImage, ImageFetcher, imageTypes } from "../../ports/ImageFetcher.ts"
import { InboxStore } from "../../ports/InboxStore.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { fromBase64Url, toBase64, toBase64Url } from "../../shared/Bytes.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { CampaignContents } from "../templates/CampaignContents.ts"
import { isAsSent } from "../templates/SentContent.ts"
import { EmailContents } from "../contents/EmailContents.ts"
import { draftOf } from "./DeliveryDraft.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { completedBodies } from "./MessageContent.ts"
import { returnPathTokens } from "./ReturnPath.ts"
import { SandboxInbox } from "./SandboxInbox.ts"

/** The path of images on other servers, after the base URL. */
export const imagePath = "/mail-images"

/** How long a URL of an image works, milliseconds. */
export const imageUrlMillis = 10 * 60_000

/** An email with its content. */
export interface ShownEmail {
  readonly submission: UnloadedSubmission
  readonly content: EmailContent
  /** As `isAsSent` of its first recipient's delivery. */
  readonly isAsSent: boolean | null
}

/** A document to be shown in a frame. */
export interface FrameDocument {
  readonly html: string
  /** The origin from which the frame may load images; null for none. */
  readonly images: string | null
}

/** Shows emails. Fails with common.not_found for an unknown id, and with sending.content_erased for what retention erased. */
export class EmailView extends Context.Service<
  EmailView,
  {
    /** Returns the content of an email, as its messages have it. */
    readonly content: (account: Account, id: string) => Effect.Effect<ShownEmail, Problem | Unavailable>
    /** Returns the email as a document for a frame. `images` says whether it shows images on other servers. */
    readonly frame: (
      account: Account,
      id: string,
      images: boolean
    ) => Effect.Effect<FrameDocument, Problem | Unavailable>
    /** Returns a message of the sandbox inbox as a document for a frame. Its links work. */
    readonly inboxFrame: (
      account: Account,
      id: string,
      images: boolean
    ) => Effect.Effect<FrameDocument, Problem | Unavailable>
    /**
     * Returns the message of an email's first recipient (message/rfc822), without signature, tracking and the recipient's
     * links.
     */
    readonly raw: (account: Account, id: string) => Effect.Effect<Uint8Array, Problem | Unavailable>
    /** Returns the image of a signed URL; null if the URL is no longer valid, or has no image. */
    readonly image: (token: string) => Effect.Effect<FetchedImage | null, Unavailable>
  }
>()("svc/sending/EmailView") {
  static readonly layer = Layer.effect(
    EmailView,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([CampaignContents.layer, EmailContents.layer, SandboxInbox.layer]))
}

const macBytes = 16
const tokenPattern = new RegExp(`^([0-9a-z]{1,12}\\.[\\w-]{1,8000})\\.(${signaturePattern(macBytes)})$`)

const claimText = (claim: string): string => `image ${claim}`

const shownTypes: ReadonlySet<string> = new Set(imageTypes)

/** The maximum number of characters of an image's URL. */
const maxUrl = 4_000

/** Returns a plain text as a document. */
export const textDocument = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><pre style="white-space: pre-wrap; overflow-wrap: anywhere">${escapeHtml(text)}</pre>`

const make = Effect.gen(function* () {
  const campaigns = yield* CampaignContents
  const composer = yield* MessageComposer
  const contents = yield* EmailContents
  const crypto = yield* Crypto
  // Optional: without the service, no image on another server is shown.
  const images = yield* Effect.serviceOption(ImageFetcher)
  const inbox = yield* SandboxInbox
  const inboxStore = yield* InboxStore
  const keys = yield* InstallationKeys
  const publicEndpoint = yield* PublicEndpoint
  const rewriter = yield* HtmlRewriter
  const submissions = yield* SubmissionStore

  const load = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [found] = yield* submissions.find(accountId, [id])
    if (found === undefined) return yield* Problem.of("common.not_found")
    const ref = { accountId, id }
    const deliveries = found.deliveries.map((delivery) => ({ accountId, id: delivery.id }))
    const [submission = null] = yield* campaigns.fill(yield* submissions.unloaded(deliveries), "Stored")
    const isOfCampaign = found.marketing?.campaign !== undefined
    const content =
      isOfCampaign && submission !== null
        ? { ...submission.bodies!, attachments: [] }
        : yield* contents.content(ref)
    if (found.contentErasedAt !== null || submission === null || content === null) {
      return yield* Problem.of("sending.content_erased")
    }
    const bodies = yield* completedBodies(rewriter, submission, content)
    return { submission, given: content, content: { ...content, ...bodies } }
  })

  /** Creates the URL of an image, valid for some minutes. */
  const urlMaker = Effect.fnUntraced(function* () {
    const ring: KeyRing = (yield* keys.get).tracking
    const until = ((yield* Clock.currentTimeMillis) + imageUrlMillis).toString(36)
    const encoder = new TextEncoder()
    const base = `${publicEndpoint.baseUrl()}${imagePath}/`
    return (url: string) => {
      const claim = `${until}.${toBase64Url(encoder.encode(url))}`
      return `${base}${claim}.${signWith(crypto, ring, claimText(claim), macBytes)}`
    }
  })

  const frameOf = Effect.fnUntraced(function* (
    { html, text }: Pick<EmailContent, "html" | "text">,
    attachments: EmailContent["attachments"],
    withImages: boolean
  ) {
    if (html === null) return { html: textDocument(text ?? ""), images: null }
    const signed = withImages ? yield* urlMaker() : null
    const inline = new Map(
      attachments.flatMap(({ content, contentId, contentType }) => {
        const type = contentType.replace(/;.*$/s, "").trim().toLowerCase()
        return contentId !== null && shownTypes.has(type) ? [[contentId, { type, content }] as const] : []
      })
    )
    const imageOf = (url: string): string | null => {
      if (/^cid:/i.test(url)) {
        const found = inline.get(url.slice(4))
        return found === undefined ? null : `data:${found.type};base64,${toBase64(found.content)}`
      }
      if (/^data:image\/(?:png|jpeg|gif|webp|avif)[;,]/i.test(url)) return url
      return signed !== null && url.length <= maxUrl && /^https?:\/\//i.test(url) ? signed(url) : null
    }
    return {
      html: rewriter.display(html, imageOf),
      images: withImages ? `${publicEndpoint.baseUrl()}${imagePath}/` : null
    }
  })

  return EmailView.of({
    content: Effect.fn("EmailView.content")(function* (account, id) {
      const { content, submission } = yield* load(account.id, id)
      return { content, submission, isAsSent: isAsSent(submission, submission.deliveries[0]) }
    }),
    frame: Effect.fn("EmailView.frame")(function* (account, id, withImages) {
      const { content } = yield* load(account.id, id)
      return yield* frameOf(content, content.attachments, withImages)
    }),
    inboxFrame: Effect.fn("EmailView.inboxFrame")(function* (account, id, withImages) {
      const message = yield* inbox.get(account.id, id)
      if (message === null) return yield* Problem.of("common.not_found")
      const entry = yield* inboxStore.get(account.id, id)
      const content =
        entry?.content._tag === "OfSubmission"
          ? yield* contents.content({ accountId: account.id, id: message.submissionId })
          : null
      return yield* frameOf(message, content?.attachments ?? [], withImages)
    }),
    raw: Effect.fn("EmailView.raw")(function* (account, id) {
      const { given, submission } = yield* load(account.id, id)
      const [delivery] = submission.deliveries
      const from = submission.from ?? account.settings.defaultSender
      if (delivery === undefined || from === null) return yield* Problem.of("sending.content_erased")
      const paths = returnPathTokens(crypto, (yield* keys.get).reports)
      const draft = yield* draftOf(
        {
          submission,
          delivery,
          from,
          messageId: paths.messageId(delivery, domainOfAddress(from.email)),
          tracking: { opens: false, clicks: false },
          signWith: [],
          date: submission.createdAt
        },
        given,
        { reveal: () => (text) => text, rewriter, track: (html) => html }
      )
      const [raw] = yield* composer.compose([draft])
      return raw ?? (yield* Problem.of("sending.content_erased"))
    }),
    image: Effect.fn("EmailView.image")(function* (token) {
      const [, claim = "", signature = ""] = tokenPattern.exec(token) ?? []
      if (claim === "") return null
      const isOurs = yield* keys.prove(({ tracking }) =>
        isSignedBy(crypto, tracking, claimText(claim), signature, macBytes) ? true : null
      )
      const [until = "", url = ""] = claim.split(".")
      if (isOurs === null || Number.parseInt(until, 36) <= (yield* Clock.currentTimeMillis)) return null
      return Option.isNone(images)
        ? null
        : yield* images.value.fetch(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(url)))
    })
  })
})
