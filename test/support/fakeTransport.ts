/**
 * A mail transport that follows a test's script, and records the messages that were sent.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Admit, MailTransport } from "../../core/ports/MailTransport.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import type { OutboundMessage, Outcome } from "../../core/model/Message.ts"

/** Determines the outcome of a message. `pointOfNoReturn` and `admit` are those of the port. */
export type Script = (
  message: OutboundMessage,
  pointOfNoReturn: Effect.Effect<boolean>,
  admit?: Admit
) => Effect.Effect<Outcome>

/** A transport controlled by the test. */
export interface FakeTransport {
  /** Sets the outcome of each message from now on. */
  script: Script
  /** The messages passed to the transport, and those whose last byte left, in order. */
  readonly asked: Array<OutboundMessage>
  readonly left: Array<OutboundMessage>
  /** The number of messages being transmitted, and the most at the same time. */
  active: number
  peak: number
  /** The time until which each destination is busy, by domain. */
  readonly busy: Map<string, number>
  readonly layer: Layer.Layer<MailTransport>
}

/** Passes the point of no return, then returns the outcome. */
export const answering =
  (outcome: Outcome): Script =>
  (_, pointOfNoReturn) =>
    Effect.map(pointOfNoReturn, (granted): Outcome => (granted ? outcome : { _tag: "Withdrawn" }))

/** Returns the outcome without sending the last byte. */
export const refusing =
  (outcome: Outcome): Script =>
  () =>
    Effect.succeed(outcome)

/** Never reaches the point of no return. */
export const hanging: Script = () => Effect.never

/** Sends the last byte, and receives no reply. */
export const unanswered: Script = (_, pointOfNoReturn) => Effect.andThen(pointOfNoReturn, Effect.never)

/** Makes a transport that delivers every message until its script is changed. */
export const makeFakeTransport = (): FakeTransport => {
  const fake: FakeTransport = {
    script: answering({ _tag: "Delivered" }),
    asked: [],
    left: [],
    active: 0,
    peak: 0,
    busy: new Map(),
    layer: Layer.sync(MailTransport, () =>
      MailTransport.of({
        send: (message, pointOfNoReturn, _onParked, admit = () => null) =>
          Effect.suspend(() => {
            fake.asked.push(message)
            fake.peak = Math.max(fake.peak, ++fake.active)
            const point = Effect.tap(pointOfNoReturn, (granted) =>
              Effect.sync(() => {
                if (granted) fake.left.push(message)
              })
            )
            return Effect.ensuring(
              fake.script(message, point, admit),
              Effect.sync(() => {
                fake.active--
              })
            )
          }),
        busyUntil: (domain, now) => {
          const until = fake.busy.get(domain)
          return until !== undefined && until > now ? until : null
        }
      })
    )
  }
  return fake
}

const encoder = new TextEncoder()

/** Composes only the subject, for tests that are not about messages. */
export const plainComposer = Layer.succeed(MessageComposer, {
  signedMessageId: () => Effect.succeed(null),
  compose: (drafts) =>
    Effect.sync(() => drafts.map((draft) => encoder.encode(`Subject: ${draft.subject}\r\n\r\n`)))
})
