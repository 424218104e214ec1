/**
 * Renders the messages of the sandbox inbox when they are read, as they would have been sent. The content is stored once, with
 * their submission.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { emailLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { signingKeys } from "../../model/Domain.ts"
import type { UnloadedSubmission } from "../../model/Submission.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import {
  type InboxEntry,
  type InboxRendering,
  InboxStore,
  type StoredContent
} from "../../ports/InboxStore.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { SandboxKeys } from "../domains/SandboxKeys.ts"
import { verifiedDomainOf } from "../domains/SenderChoice.ts"
import { makeHtmlTracker } from "../tracking/TrackHtml.ts"
import { EmailContents } from "../contents/EmailContents.ts"
import { CampaignContents } from "../templates/CampaignContents.ts"
import { isAsSent } from "../templates/SentContent.ts"
import { ContentLoads } from "./ContentLoads.ts"
import { draftOf } from "./DeliveryDraft.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { completedBodies } from "./MessageContent.ts"
import { returnPathTokens } from "./ReturnPath.ts"

/** A message of the inbox. */
export interface InboxMessage extends Omit<InboxEntry, "content">, StoredContent {
  /** As `isAsSent` of its delivery. */
  readonly isAsSent: boolean | null
}

/** The number of submissions whose content is read and held at the same time. */
const renderedAtOnce = 8

/** An entry whose message is rendered. */
interface Unrendered extends InboxEntry {
  readonly content: { readonly _tag: "OfSubmission" } & InboxRendering
}

const isUnrendered = (entry: InboxEntry): entry is Unrendered => entry.content._tag === "OfSubmission"

/** Reads the sandbox inbox. */
export class SandboxInbox extends Context.Service<
  SandboxInbox,
  {
    /** An account's messages, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<InboxMessage>, Unavailable>
    /** Returns a message; null if the account has none with that id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<InboxMessage | null, Unavailable>
    /**
     * Returns the bytes of a message (message/rfc822), signed and with its Return-Path; null if the account has none with that
     * id. The bytes are the same at each read, until the base URL, the keys of the sender's domain or the secrets of the
     * installation change, or another recipient shown in its headers is erased.
     */
    readonly raw: (accountId: string, id: string) => Effect.Effect<Uint8Array | null, Unavailable>
  }
>()("svc/sending/SandboxInbox", {
  make: Effect.gen(function* () {
    const composer = yield* MessageComposer
    const campaigns = yield* CampaignContents
    const contents = yield* ContentLoads
    const emailContents = yield* EmailContents
    const crypto = yield* Crypto
    const domains = yield* DomainStore
    const inbox = yield* InboxStore
    const keys = yield* InstallationKeys
    const publicEndpoint = yield* PublicEndpoint
    const rewriter = yield* HtmlRewriter
    const sandboxKeys = yield* SandboxKeys
    const submissions = yield* SubmissionStore

    const tools = Effect.map(keys.get, ({ links, reports, tracking }) => ({
      paths: returnPathTokens(crypto, reports),
      rewriter,
      track: makeHtmlTracker({
        rewriter,
        signer: { crypto, keys: tracking },
        baseUrl: publicEndpoint.baseUrl()
      }),
      reveal: emailLinks(crypto, links)
    }))

    /** The sender's domain, with the keys of the selectors that signed a message; null if the domain is no longer verified. */
    const domainOf = Effect.fnUntraced(function* (
      accountId: string,
      sender: string,
      selectors: ReadonlyArray<string>
    ) {
      const domain = verifiedDomainOf(accountId, sender, yield* domains.verified([accountId]))
      if (domain === null || selectors.length === 0) return domain
      return (yield* sandboxKeys.ensure([domain]))[0]!
    })

    /** Renders messages of one submission, whose content is read once. Other work runs between two messages. */
    const renderTogether = Effect.fnUntraced(function* (
      entries: ReadonlyArray<Unrendered>,
      submission: UnloadedSubmission
    ) {
      const { reveal, track } = yield* tools
      const stored = submission.bodies ?? (yield* emailContents.bodies([submission]))[0]
      // The submission was erased meanwhile.
      if (stored === undefined) return []
      const bodies = yield* completedBodies(
        rewriter,
        submission,
        withLinks(reveal(submission), { headers: [], ...stored })
      )
      return yield* Effect.forEach(entries, ({ content, ...entry }) =>
        Effect.as(Effect.yieldNow, {
          ...entry,
          subject: submission.subject,
          html: track(bodies.html, entry, content, submission.linkNames),
          text: bodies.text,
          isAsSent: isAsSent(
            submission,
            submission.deliveries.find(({ id }) => id === entry.id)
          )
        })
      )
    })

    /** Renders the messages of entries, in order. Messages of submissions that were erased meanwhile are left out. */
    const render = Effect.fnUntraced(function* (entries: ReadonlyArray<InboxEntry>) {
      const unrendered = entries.filter(isUnrendered)
      const messages = new Map<string, InboxMessage>(
        entries.flatMap(({ content, ...entry }) => {
          if (content._tag !== "Stored") return []
          const { html, subject, text } = content
          return [[entry.id, { ...entry, subject, html, text, isAsSent: true }]]
        })
      )
      const bySubmission = Map.groupBy(unrendered, ({ submissionId }) => submissionId)
      const rendered = yield* Effect.forEach(
        (yield* campaigns.fill(yield* submissions.unloaded(unrendered), "Valid")).filter(
          (one) => one !== null
        ),
        (submission) => renderTogether(bySubmission.get(submission.id) ?? [], submission),
        { concurrency: renderedAtOnce }
      )
      for (const message of rendered.flat()) messages.set(message.id, message)
      return entries.flatMap(({ id }) => messages.get(id) ?? [])
    })

    return {
      list: Effect.fn("SandboxInbox.list")(function* (accountId, request) {
        const page = yield* inbox.list(accountId, request)
        return { ...page, items: yield* render(page.items) }
      }),
      get: Effect.fn("SandboxInbox.get")(function* (accountId, id) {
        const entry = yield* inbox.get(accountId, id)
        return entry === null ? null : ((yield* render([entry]))[0] ?? null)
      }),
      raw: Effect.fn("SandboxInbox.raw")(function* (accountId, id) {
        const entry = yield* inbox.get(accountId, id)
        if (entry === null) return null
        const { content, fromEmail, fromName, receivedAt } = entry
        if (content._tag === "Stored") return yield* inbox.raw(accountId, id)
        const [submission = null] = yield* campaigns.fill(yield* submissions.unloaded([entry]), "Valid")
        if (submission === null) return null
        const domain = yield* domainOf(accountId, fromEmail, content.selectors)
        const copy = {
          submission,
          delivery: entry,
          from: { email: fromEmail, name: fromName },
          messageId: content.messageId,
          tracking: content,
          signWith: domain === null ? [] : signingKeys(domain, content.selectors),
          date: receivedAt
        }
        const draftTools = yield* tools
        const returnPath = draftTools.paths.address(entry, domainOfAddress(fromEmail))
        return yield* contents.use(submission, (loaded) =>
          draftOf(copy, loaded, draftTools).pipe(
            Effect.flatMap((draft) => composer.compose([draft])),
            Effect.map(([raw]) => (raw === undefined ? null : withReturnPath(returnPath, raw)))
          )
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxInbox, SandboxInbox.make).pipe(
    Layer.provide([CampaignContents.layer, ContentLoads.layer, EmailContents.layer, SandboxKeys.layer]),
    builtOnce
  )
}

/** Adds the return path of the envelope to a message, as the delivering server does (RFC 5321, 4.4). */
const withReturnPath = (returnPath: string, raw: Uint8Array): Uint8Array => {
  const field = new TextEncoder().encode(`Return-Path: <${returnPath}>\r\n`)
  const message = new Uint8Array(field.length + raw.length)
  message.set(field)
  message.set(raw, field.length)
  return message
}
