/**
 * Shared by the tests of the transports: messages, and transports to servers of the test.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import * as DnsAdapter from "../../../adapters/dns/Dns.ts"
import * as Direct from "../../../adapters/smtp/transport/Direct.ts"
import { type Limits, limits } from "../../../adapters/smtp/transport/Limits.ts"
import * as Relay from "../../../adapters/smtp/transport/Relay.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { OutboundMessage, Outcome } from "../../../core/model/Message.ts"

/** Short for tests, but long enough for a busy machine. */
export const shortLimits: Limits = {
  ...limits,
  openMillis: 3000,
  helloMillis: 3000,
  commandMillis: 3000,
  bodyMillis: 3000,
  answerMillis: 3000,
  resetMillis: 500,
  closeMillis: 100
}

let count = 0

const raw = (text: string) => new TextEncoder().encode(text)

/** A message to a recipient. */
export const messageTo = (recipient: string, changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  deliveryId: `delivery-${++count}`,
  submissionId: `submission-${count}`,
  accountId: "account",
  returnPath: "b+token@bounces.example.com",
  recipient,
  from: { email: "hello@example.com", name: null },
  subject: "Hello",
  html: null,
  text: "It works.",
  raw: raw(`From: hello@example.com\r\nTo: ${recipient}\r\nSubject: Hello\r\n\r\nIt works.\r\n.dotted\r\n`),
  attempts: 0,
  ...changes
})

const publicEndpoint = (takesReports: boolean) =>
  Layer.succeed(PublicEndpoint, { baseUrl: () => "http://svc.test", mailHost: "mail.svc.test", takesReports })

/** A relay transport. */
export const relayLayer = (url: string, takesReports = false): Layer.Layer<MailTransport> =>
  Relay.layer({ url: Redacted.make(url), limits: shortLimits }).pipe(
    Layer.provide(publicEndpoint(takesReports))
  )

/** A direct transport that uses a DNS server and a port of the test, on this machine. */
export const directLayer = (dnsServer: string, port: number, allowLocal = true): Layer.Layer<MailTransport> =>
  Direct.layer({ port, allowLocal, limits: shortLimits }).pipe(
    Layer.provide([publicEndpoint(true), DnsAdapter.layer({ servers: [dnsServer] })])
  )

/** Sends a message. The point of no return returns true by default. */
export const send = (
  message: OutboundMessage,
  pointOfNoReturn: Effect.Effect<boolean> = Effect.succeed(true)
): Effect.Effect<Outcome, never, MailTransport> =>
  Effect.flatMap(MailTransport, (transport) => transport.send(message, pointOfNoReturn))

/** The error of an outcome's dialogue; null if there is none. */
export const errorOf = (outcome: Outcome): string | null =>
  "conversation" in outcome ? (outcome.conversation?.error ?? null) : null
