/**
 * Simulates, for a message of the sandbox inbox, the actions of its recipient or of the recipient's server. The use cases for
 * real reports, visits and clicks process them.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { ContactLinks } from "../../audience/pages/ContactLinks.ts"
import { ContactPages } from "../../audience/pages/ContactPages.ts"
import type { Actor } from "../../model/Actor.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import { type InboxEntry, InboxStore } from "../../ports/InboxStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { EmailContents } from "../contents/EmailContents.ts"
import { domainOfAddress } from "../../shared/EmailAddress.ts"
import { returnPathTokens } from "../delivery/ReturnPath.ts"
import { CampaignContents } from "../templates/CampaignContents.ts"
import { Tracking } from "../tracking/Tracking.ts"
import { makeClickTokens, makeOpenToken } from "../tracking/TrackingTokens.ts"
import type { VisitRequest } from "../tracking/VisitRules.ts"
import { Reports } from "./Reports.ts"

/** The actions that can be simulated. */
export const simulationKinds = ["Bounce", "Complaint", "Open", "Click", "Unsubscribe"] as const

/** An action that can be simulated. */
export type SimulationKind = (typeof simulationKinds)[number]

/** A person's browser, at an address reserved for documentation (RFC 5737). */
const visitor: VisitRequest = {
  method: "GET",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  address: "203.0.113.20",
  purposes: [],
  hasLanguage: true,
  hasFetchMode: true
}

/** Builds a multipart/report (RFC 6522) from parts, each with a media type and a body. */
const reportOf = (type: string, parts: ReadonlyArray<readonly [string, string]>): Uint8Array =>
  new TextEncoder().encode(
    [
      "From: Mail Delivery System <mailer-daemon@sandbox.invalid>",
      "Subject: Report of the sandbox",
      "MIME-Version: 1.0",
      `Content-Type: multipart/report; report-type=${type}; boundary="sandbox"`,
      "",
      ...parts.flatMap(([mediaType, body]) => ["--sandbox", `Content-Type: ${mediaType}`, "", body]),
      "--sandbox--",
      ""
    ].join("\r\n")
  )

const explanation = ["text/plain", "This report was made in the sandbox.\r\n"] as const

const bounceOf = ({ to }: InboxEntry): Uint8Array =>
  reportOf("delivery-status", [
    explanation,
    [
      "message/delivery-status",
      [
        "Reporting-MTA: dns; sandbox.invalid",
        "",
        `Final-Recipient: rfc822; ${to}`,
        "Action: failed",
        "Status: 5.1.1",
        "Diagnostic-Code: smtp; 550 5.1.1 no such mailbox (simulated)",
        ""
      ].join("\r\n")
    ]
  ])

const complaintOf = ({ to }: InboxEntry): Uint8Array =>
  reportOf("feedback-report", [
    explanation,
    [
      "message/feedback-report",
      ["Feedback-Type: abuse", "User-Agent: svc-sandbox/1", "Version: 1", `Original-Rcpt-To: ${to}`, ""].join(
        "\r\n"
      )
    ],
    ["text/rfc822-headers", "Subject: the email\r\n"]
  ])

/** Simulates actions on messages of the sandbox inbox. */
export class InboxSimulation extends Context.Service<
  InboxSimulation,
  {
    /**
     * Simulates an action on a message of the inbox, and returns the id of its email. A click follows the first link. Fails
     * with common.not_found, with sending.no_link for an email without a link, and with audience.contact_not_found if no
     * contact has the address.
     */
    readonly simulate: (
      accountId: string,
      id: string,
      kind: SimulationKind,
      actor: Actor
    ) => Effect.Effect<string, Problem | Unavailable>
  }
>()("svc/sending/InboxSimulation") {
  static readonly layer = Layer.effect(
    InboxSimulation,
    Effect.gen(function* () {
      const campaigns = yield* CampaignContents
      const contacts = yield* ContactStore
      const contents = yield* EmailContents
      const crypto = yield* Crypto
      const inbox = yield* InboxStore
      const keys = yield* InstallationKeys
      const links = yield* ContactLinks
      const pages = yield* ContactPages
      const reports = yield* Reports
      const rewriter = yield* HtmlRewriter
      const submissions = yield* SubmissionStore
      const tracking = yield* Tracking
      const { record } = yield* AuditTrail

      const report = Effect.fnUntraced(function* (entry: InboxEntry, raw: Uint8Array) {
        const paths = returnPathTokens(crypto, (yield* keys.get).reports)
        const address = paths.address(entry, domainOfAddress(entry.fromEmail))
        yield* Effect.catchTag(reports.take([{ recipients: [address], raw }]), "StillHandingOver", () =>
          Effect.fail(Problem.of("common.unavailable"))
        )
      })

      /**
       * The first link of an email, whether the content is its own or its campaign's. It has a name if the name is not derived
       * from the URL.
       */
      const linkOf = Effect.fnUntraced(function* (entry: InboxEntry) {
        const [submission = null] = yield* campaigns.fill(yield* submissions.unloaded([entry]), "Stored")
        const bodies =
          submission === null ? null : (submission.bodies ?? (yield* contents.bodies([submission]))[0])
        let first: string | undefined
        rewriter.rewrite(
          bodies?.html ?? "",
          (urls) => {
            first = urls[0]
            return (url) => url
          },
          ""
        )
        if (first === undefined) return yield* Problem.of("sending.no_link")
        return { url: first, name: submission?.linkNames?.get(first) }
      })

      const unsubscribe = Effect.fnUntraced(function* ({ accountId, to }: InboxEntry) {
        const [contact] = yield* contacts.find(accountId, { ids: [], externalIds: [], emails: [to] })
        if (contact === undefined) return yield* Problem.of("audience.contact_not_found")
        const made = yield* links.make({ accountId, contactId: contact.id, email: to })
        yield* pages.unsubscribe("unsubscribe", made.unsubscribe.replace(/^.*\//s, ""))
      })

      const act = Effect.fnUntraced(function* (entry: InboxEntry, kind: SimulationKind) {
        switch (kind) {
          case "Bounce":
            return yield* report(entry, bounceOf(entry))
          case "Complaint":
            return yield* report(entry, complaintOf(entry))
          case "Unsubscribe":
            return yield* unsubscribe(entry)
          case "Open": {
            const signer = { crypto, keys: (yield* keys.get).tracking }
            return yield* Effect.asVoid(tracking.open(makeOpenToken(signer, entry), visitor))
          }
          case "Click": {
            const { name, url } = yield* linkOf(entry)
            const signer = { crypto, keys: (yield* keys.get).tracking }
            const tokens = makeClickTokens(signer, { delivery: entry, isPair: false, opens: true })
            return yield* Effect.asVoid(tracking.click(tokens(url, name), visitor))
          }
        }
      })

      return InboxSimulation.of({
        simulate: Effect.fn("InboxSimulation.simulate")(function* (accountId, id, kind, actor) {
          const entry = yield* inbox.get(accountId, id)
          if (entry === null) return yield* Problem.of("common.not_found")
          yield* act(entry, kind)
          yield* record(actor, {
            accountId,
            action: "inbox.simulated",
            target: id,
            before: null,
            after: { kind }
          })
          return entry.submissionId
        })
      })
    })
  ).pipe(Layer.provide([CampaignContents.layer, EmailContents.layer]))
}
