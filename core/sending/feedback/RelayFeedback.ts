/**
 * Receives the reports of relays: verifies their sender by each provider's own method, then applies them.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import type { MailRelay } from "../../model/MailRelay.ts"
import type { RelayProvider } from "../../model/RelayReport.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import { SnsClient } from "../../ports/SnsClient.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { type FeedbackValues, isReporting } from "../relays/FeedbackSettings.ts"
import { feedbackValues } from "../relays/RelayRules.ts"
import { openSecrets } from "../relays/RelaySecrets.ts"
import { readFeedback } from "./Feedback.ts"
import {
  isBasic,
  isSendGrid,
  isStandardWebhook,
  mailgunToken,
  type SignedToken
} from "./FeedbackSignatures.ts"
import { isFields } from "./Reading.ts"
import { RelayReports } from "./RelayReports.ts"
import { SnsCertificates } from "./SnsCertificates.ts"
import { readSnsMessage, type SnsMessage } from "./SnsMessage.ts"

/** The value of a header by its lower-case name; null if it is missing. */
export type HeaderOf = (name: string) => string | null

/** Parses bytes as JSON; undefined if they are not valid JSON. */
export type ParseJson = (bytes: Uint8Array) => unknown

/**
 * Receives the body of a request. Fails with auth.unauthorized if the relay's provider did not sign it, and with
 * common.unavailable.
 */
export type TakeBody = (bytes: Uint8Array) => Effect.Effect<void, Problem | Unavailable>

/**
 * The earliest time after which Mailgun repeats a report, milliseconds. A repetition before that is a replay; Mailgun's first
 * pause is longer.
 */
const earliestRetry = 60_000

/** How often the time of a relay's last report is stored, milliseconds. */
const reportedMillis = 60_000

const counted = Metric.counter("svc_relay_reports_total", {
  description: "Reports of relays, by the relay's kind and what became of them",
  incremental: true
})

const unauthorized = Problem.of("auth.unauthorized")

/** The body of a request, once it is verified. */
type Verified =
  | {
      readonly _tag: "Reports"
      readonly body: unknown
      /** A token that counts only once, with a digest of the body; null if the signature covers the body. */
      readonly token: (SignedToken & { readonly digest: string }) | null
    }
  /** A body of the provider that needs no action. */
  | { readonly _tag: "Ignored" }

const ignored: Verified = { _tag: "Ignored" }
const reports = (body: unknown): Verified => ({ _tag: "Reports", body, token: null })

/** A relay whose reports can be verified. */
interface Sender {
  readonly relay: MailRelay & { readonly kind: RelayProvider }
  readonly values: Required<FeedbackValues>
}

const utf8 = new TextEncoder()

/** Receives the reports of relays. */
export class RelayFeedback extends Context.Service<
  RelayFeedback,
  {
    /**
     * Checks the parts of a request to a relay's address that precede its body, and returns the receiver of the body. Fails
     * with auth.unauthorized for a relay that does not exist or accepts no reports, and for credentials that are not those of
     * the relay.
     */
    readonly open: (
      relayId: string,
      header: HeaderOf,
      parse: ParseJson
    ) => Effect.Effect<TakeBody, Problem | Unavailable>
    /** Applies the reports that arrived before the results of their messages, at most 500. Returns how many. */
    readonly takeEarly: Effect.Effect<number, Unavailable>
  }
>()("svc/sending/RelayFeedback") {
  static readonly layer = Layer.effect(
    RelayFeedback,
    Effect.gen(function* () {
      const certificates = yield* SnsCertificates
      const crypto = yield* Crypto
      const relayReports = yield* RelayReports
      const box = yield* SecretBox
      const sns = yield* SnsClient
      const store = yield* RelayStore
      const verifier = yield* SignatureVerifier

      const senderOf = Effect.fnUntraced(function* (relayId: string) {
        const [relay] = isUuid(relayId) ? yield* store.find([relayId]) : []
        if (relay === undefined || relay.kind === "Smtp") return null
        const secrets = yield* openSecrets(box, relay)
        if (secrets === null) return null
        const values = feedbackValues(relay, secrets)
        return isReporting(relay.kind, values) ? ({ relay, values } as Sender) : null
      })

      /** Whether the headers may be those of the provider. */
      const mayBe = ({ relay: { kind }, values }: Sender, header: HeaderOf): boolean => {
        switch (kind) {
          case "Postmark":
          case "Brevo":
          case "Mailjet":
          case "SparkPost":
            return isBasic(crypto, header("authorization"), values)
          case "SendGrid":
            return sendGridHeaders(header).signature !== null
          case "Resend":
            return standardHeaders(header).signature !== null
          case "AmazonSes":
          case "Mailgun":
            return true
        }
      }

      const bySns = Effect.fnUntraced(function* (message: SnsMessage, relayId: string, now: number) {
        const pem = yield* Effect.catchTag(
          certificates.get(message.certificateUrl, relayId),
          "SnsUnavailable",
          () => Problem.of("common.unavailable")
        )
        return verifier.byCertificate(pem, message.hash, message.signed, message.signature, now)
      })

      const verifySns = Effect.fnUntraced(function* (
        { relay, values: { topicArn } }: Sender,
        body: unknown,
        parse: ParseJson,
        now: number
      ): Effect.fn.Return<Verified, Problem> {
        const message = readSnsMessage(body)
        if (message === null || !(yield* bySns(message, relay.id, now))) return yield* unauthorized
        // Anyone can subscribe the address to a topic of their own.
        if (message.topicArn !== topicArn) return ignored
        if (message.type === "Notification") return reports(parse(utf8.encode(message.message)))
        if (message.type === "SubscriptionConfirmation" && message.subscribeUrl !== null) {
          yield* Effect.catchTag(sns.confirm(message.subscribeUrl), "SnsUnavailable", () =>
            Problem.of("common.unavailable")
          )
        }
        return ignored
      })

      const verify = Effect.fnUntraced(function* (
        sender: Sender,
        header: HeaderOf,
        bytes: Uint8Array,
        parse: ParseJson
      ): Effect.fn.Return<Verified, Problem> {
        const now = yield* Clock.currentTimeMillis
        const { values } = sender
        switch (sender.relay.kind) {
          case "AmazonSes":
            return yield* verifySns(sender, parse(bytes), parse, now)
          case "Mailgun": {
            const body = parse(bytes)
            const token = isFields(body) ? mailgunToken(crypto, body, values.signingKey, now) : null
            return token === null
              ? yield* unauthorized
              : { _tag: "Reports", body, token: { ...token, digest: crypto.sha256Hex(bytes) } }
          }
          case "SendGrid":
            return isSendGrid(verifier, sendGridHeaders(header), values.publicKey, bytes)
              ? reports(parse(bytes))
              : yield* unauthorized
          case "Resend":
            return isStandardWebhook(crypto, standardHeaders(header), values.secret, bytes, now)
              ? reports(parse(bytes))
              : yield* unauthorized
          case "Postmark":
          case "Brevo":
          case "Mailjet":
          case "SparkPost":
            return reports(parse(bytes))
        }
      })

      const count = (kind: RelayProvider, results: Readonly<Record<string, number>>): Effect.Effect<void> =>
        Effect.forEach(
          Object.entries(results),
          ([result, number]) =>
            number === 0
              ? Effect.void
              : Metric.update(Metric.withAttributes(counted, { kind, result }), number),
          { discard: true }
        )

      const noteReport = Effect.fnUntraced(function* ({ id, lastReportAt }: MailRelay) {
        const now = yield* Clock.currentTimeMillis
        if (lastReportAt === null || now - lastReportAt >= reportedMillis) yield* store.reported(id, now)
      })

      const apply = Effect.fnUntraced(function* (
        { relay }: Sender,
        { body, token }: Extract<Verified, { readonly _tag: "Reports" }>
      ) {
        const now = yield* Clock.currentTimeMillis
        const feedback = readFeedback(relay.kind, body, now)
        const taken =
          token === null
            ? yield* relayReports.take(relay.companyId, feedback.reports, relay)
            : yield* relayReports.takeOnce(relay.companyId, feedback.reports, relay, token)
        if (taken === "Used" || (taken === "Repeated" && now - token!.signedAt < earliestRetry)) {
          return yield* unauthorized
        }
        yield* noteReport(relay)
        // The provider did not get the response to the first request.
        if (taken === "Repeated") return
        const { foreign, taken: applied, unmatched } = taken
        yield* count(relay.kind, {
          Applied: applied,
          Unmatched: unmatched,
          Foreign: foreign,
          Ignored: feedback.ignored,
          Broken: feedback.broken
        })
      })

      return RelayFeedback.of({
        takeEarly: Effect.gen(function* () {
          const early = yield* relayReports.takeEarly
          for (const [kind, group] of Map.groupBy(early, (one) => one.kind)) {
            yield* count(kind, { Applied: group.length })
          }
          return early.length
        }),
        open: Effect.fn("RelayFeedback.open")(function* (relayId, header, parse) {
          const sender = yield* senderOf(relayId)
          if (sender === null || !mayBe(sender, header)) return yield* unauthorized
          return Effect.fn("RelayFeedback.take")(function* (bytes: Uint8Array) {
            const verified = yield* verify(sender, header, bytes, parse)
            if (verified._tag === "Reports") yield* apply(sender, verified)
            else yield* noteReport(sender.relay)
          })
        })
      })
    })
  ).pipe(Layer.provide([RelayReports.layer, SnsCertificates.layer]))
}

const sendGridHeaders = (header: HeaderOf) => ({
  signature: header("x-twilio-email-event-webhook-signature"),
  timestamp: header("x-twilio-email-event-webhook-timestamp")
})

/** The headers of Standard Webhooks. Resend sends them with the prefix of the service that sends its webhooks. */
const standardHeaders = (header: HeaderOf) => {
  const named = (name: string) => header(`svix-${name}`) ?? header(`webhook-${name}`)
  return { id: named("id"), timestamp: named("timestamp"), signature: named("signature") }
}
