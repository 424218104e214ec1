/**
 * Simulates days of mail to servers that slow down, block and reject, reproducible from a seed. No message is lost or sent twice,
 * and an address is suppressed only if a server names it.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { consequenceOf, noConversation } from "../../../../adapters/smtp/transport/TransactionResult.ts"
import type { OutboundMessage } from "../../../../core/model/Message.ts"
import type { Submission } from "../../../../core/model/Submission.ts"
import { refusalOf } from "../../../../core/ports/MailTransport.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { parseReply, type SmtpStage } from "../../../../core/sending/shaping/SmtpReply.ts"
import { makeRandom } from "../../../contract/fixtures.ts"
import type { Script } from "../../../support/fakeTransport.ts"
import { deliveriesOf, makeSender, queueMail, sendingAccount } from "../../../support/senders.ts"
import { minute, senderTest, start, to } from "../../../support/senderTests.ts"

const hour = 60 * minute
/** From this time on, every server accepts mail again. */
const recovered = start + 24 * hour

/** A reply and the stage at which it is sent; null accepts the message. */
type Reply = readonly [stage: SmtpStage, reply: string] | null

interface Offer {
  readonly message: OutboundMessage
  readonly now: number
  /** How often this message was offered before. */
  readonly before: number
}

/** A server, chosen by the recipient's domain. */
type Server = (offer: Offer) => Reply

/** The servers for a seed. Each has its own periods of failure. */
const serversOf = (random: () => number): Readonly<Record<string, Server>> => {
  const during = (reply: Reply): Server => {
    const from = start + random() * 6 * hour
    const until = from + (1 + random() * 16) * hour
    return ({ now }) => (now >= from && now < Math.min(until, recovered) ? reply : null)
  }
  return {
    "plain.example": () => null,
    "greylist.example": ({ before }) =>
      before < 2 ? ["Rcpt", "451 4.7.1 Greylisted, try again later"] : null,
    "rate.example": during(["Rcpt", "421 4.7.28 unusual rate of mail"]),
    "busy.example": during(["Connect", "421 4.3.2 too busy"]),
    "list.example": during(["Rcpt", "554 5.7.1 Client host [192.0.2.9] blocked using zen.spamhaus.org"]),
    "reputation.example": during([
      "Message",
      "550 5.7.1 Our system has detected a poor reputation of your IP"
    ]),
    "signs.example": during(["Message", "550 5.7.26 This mail is unauthenticated"]),
    "mute.example": during(["Rcpt", "550 5.7.1 denied"]),
    "directory.example": ({ message: { recipient } }) =>
      recipient.startsWith("gone") ? ["Rcpt", "550 5.1.1 no such user"] : null,
    "full.example": during(["Rcpt", "452 4.2.2 mailbox full"]),
    "content.example": ({ message: { subject } }) =>
      subject === "Offer" ? ["Message", "554 5.7.1 message detected as spam"] : null
  }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1)

/** Offers each message to the server of its domain. Every domain is a lane. */
const scriptOf = (
  servers: Readonly<Record<string, Server>>,
  accepted: Array<string>,
  clock: () => number
): Script => {
  const offers = new Map<string, number>()
  return (message, point, admit) =>
    Effect.suspend(() => {
      const { attempts, deliveryId, recipient } = message
      const domain = domainOf(recipient)
      const lane = `ip:${domain}`
      const held = refusalOf(admit?.(lane))
      if (held !== null) return Effect.succeed(held)
      const before = offers.get(deliveryId) ?? 0
      offers.set(deliveryId, before + 1)
      const reply = servers[domain]!({ message, now: clock(), before })
      const context = { name: lane, provider: null, isRelay: false, domain, attempts }
      const conversation = {
        ...noConversation(""),
        host: "mx",
        error: null,
        replies: [] as ReadonlyArray<string>
      }
      if (reply !== null) {
        const [stage, text] = reply
        const rejected = { _tag: "Rejected", stage, reply: parseReply(text), conversation } as const
        return Effect.succeed(consequenceOf(rejected, "Delivered", context).outcome)
      }
      return Effect.map(point, (granted) => {
        if (granted) accepted.push(deliveryId)
        const result = { _tag: granted ? "Accepted" : "Withdrawn", conversation } as const
        return consequenceOf(result, "Delivered", context).outcome
      })
    })
}

for (const seed of [1, 2, 3]) {
  senderTest(
    `servers that slow, block and refuse cost no mail and suppress no one, by seed ${seed}`,
    Effect.gen(function* () {
      const { below } = makeRandom(seed)
      const random = () => below(1_000_000) / 1_000_000
      const servers = serversOf(random)
      const accounts = [yield* sendingAccount(), yield* sendingAccount()]
      const senders = [yield* makeSender, yield* makeSender]
      const accepted: Array<string> = []
      let now = start
      for (const { transport } of senders) transport.script = scriptOf(servers, accepted, () => now)
      const mails: Array<Submission> = []
      const domains = Object.keys(servers)
      const queueSome = (count: number) => {
        const added = Array.from({ length: count }, () => {
          const { id } = accounts[below(accounts.length)]!
          const domain = domains[below(domains.length)]!
          const name = `${random() < 0.1 ? "gone" : "p"}${mails.length}-${below(1e9)}`
          return to(id, `${name}@${domain}`, {
            subject: random() < 0.2 ? "Offer" : "Hello",
            createdAt: now
          })
        })
        mails.push(...added)
        return queueMail(added, now)
      }
      const pass = (millis: number) =>
        Effect.gen(function* () {
          now += millis
          yield* TestClock.adjust(millis)
          for (const { worker } of senders) yield* worker.drain
        })
      // Mail arrives for twelve hours, and the servers recover within a day.
      for (let step = 0; step < 24; step++) {
        yield* queueSome(6)
        yield* pass(30 * minute)
      }
      for (let step = 0; step < 2 * 24 * 4; step++) yield* pass(15 * minute)

      const found = yield* deliveriesOf(mails)
      expect(found).toHaveLength(mails.length)
      const subjects = new Map(mails.map(({ deliveries, subject }) => [deliveries[0]!.id, subject]))
      const expected = found.map(({ email, id }) => {
        const domain = domainOf(email)
        if (domain === "directory.example" && email.startsWith("gone")) return [email, "Bounced"]
        return [email, domain === "content.example" && subjects.get(id) === "Offer" ? "Failed" : "Delivered"]
      })
      expect(found.map(({ email, status }) => [email, status])).toEqual(expected)
      expect(new Set(accepted).size).toBe(accepted.length)
      const bounced = found.flatMap(({ email, status }) => (status === "Bounced" ? [email] : []))
      const page = { page: 1, pageSize: 1000 }
      const suppressed = yield* Effect.forEach(accounts, ({ id }) =>
        Effect.flatMap(SuppressionStore, (store) => store.list(id, page))
      )
      expect(suppressed.flatMap(({ items }) => items.map(({ email }) => email)).toSorted()).toEqual(
        bounced.toSorted()
      )
      // Suspensions for which no mail waits end by themselves.
      const store = yield* ShapingStore
      yield* store.settle(now - hour, now, 1_000)
      const open = (yield* store.page(page, { open: { is: true, at: now } })).items
      expect(open.map(({ lane, rule, until }) => [lane, rule, new Date(until).toISOString()])).toEqual([])
    })
  )
}
