/**
 * A course of days in a simulated internet: three companies send to servers that slow, refuse and die, by a virtual clock. Two
 * courses of one seed are the same.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  consequenceOf,
  noConversation,
  type TransactionResult
} from "../../adapters/smtp/transport/TransactionResult.ts"
import type { OutboundMessage } from "../../core/model/Message.ts"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { KeyMaker } from "../../core/ports/KeyMaker.ts"
import { MailTransport, refusalOf } from "../../core/ports/MailTransport.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { laneOf } from "../../core/sending/shaping/Providers.ts"
import { parseReply } from "../../core/sending/shaping/SmtpReply.ts"
import { start } from "../../runtimes/embedded/index.ts"
import { makeRandom } from "../contract/fixtures.ts"
import { composer, keyMaker } from "../month/environment.ts"
import { call } from "../support/client.ts"
import type { Domain } from "../support/liveDomain.ts"
import type { EmailSubmission, ListPage } from "../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"
import { careless, forbidden, type Kind, kinds, Server } from "./servers.ts"

const minute = 60_000
const hour = 60 * minute
const startAt = Date.UTC(2031, 2, 3)

/** A course. */
export interface Course {
  readonly seed: number
  /** How long it lasts, days: at least three, so that everything that is held can end. */
  readonly days: number
}

/** A notice of what held mail. */
export interface Notice {
  readonly lane: string
  readonly words: string
  readonly state: "Open" | "Resolved"
  readonly until: string | null
}

/** An email at the end of a course. */
export interface Ended {
  readonly sender: string
  readonly kind: Kind
  readonly address: string
  readonly isForbidden: boolean
  readonly status: string
}

/** What a course showed. */
export interface Seen {
  readonly ended: ReadonlyArray<Ended>
  readonly suppressed: ReadonlyArray<string>
  readonly notices: ReadonlyArray<Notice>
  /** Messages that a server got after it had accepted them, or after their outcome was unknown. */
  readonly repeated: ReadonlyArray<string>
  /** How long the good company's messages to plain servers took, milliseconds. */
  readonly plainMillis: ReadonlyArray<number>
  readonly attempts: number
}

const senders = { good: "good.example", careless, attacker: "attacker.example" } as const

/** The servers of a seed: two of each kind, each with a domain and an address of its own. */
const serversOf = (random: ReturnType<typeof makeRandom>): ReadonlyMap<string, Server> => {
  const servers = (Object.keys(kinds) as Array<Kind>).flatMap((kind, index) =>
    [0, 1].map((copy) => {
      const domain = `${kind.toLowerCase()}${copy}.test`
      return new Server(kind, domain, `192.0.${2 + copy}.${index + 1}`, random)
    })
  )
  return new Map(servers.map((server) => [server.domain, server]))
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Name servers that know the records of sending domains alone. */
const makeNames = () => {
  const records: Array<Domain["records"][number]> = []
  const valuesOf = (type: string, name: string) =>
    records.filter((record) => record.type === type && record.name === name).map(({ value }) => value)
  const found = <Value>(name: string, values: ReadonlyArray<Value>) =>
    values.length > 0 ? Effect.succeed(values) : Effect.fail(new DnsMissing({ name }))
  return {
    publish: (domain: Domain) => records.push(...domain.records),
    dns: Dns.of({
      txt: (name) => Effect.suspend(() => found(name, valuesOf("TXT", name))),
      mx: (name) =>
        Effect.suspend(() =>
          found(
            name,
            valuesOf("MX", name).map((value) => ({ preference: 10, exchange: value.split(" ").at(-1)! }))
          )
        ),
      addresses: (name) => Effect.fail(new DnsMissing({ name }))
    })
  }
}

/** Runs a course to its end. */
export const run = async ({ days, seed }: Course): Promise<Seen> => {
  const random = makeRandom(seed)
  const servers = serversOf(random)
  const names = makeNames()
  const repeated: Array<string> = []
  const acceptedAt = new Map<string, number>()
  const unknown = new Set<string>()
  let attempts = 0
  let now = () => startAt

  const offer = (message: OutboundMessage) => {
    const server = servers.get(domainOf(message.recipient))!
    const { deliveryId, recipient, subject } = message
    const sender = domainOf(message.from.email)
    const reaction = server.react({ deliveryId, recipient, sender, subject, at: now() - startAt })
    attempts++
    return { server, reaction }
  }

  const transport = MailTransport.of({
    busyUntil: () => null,
    send: Effect.fnUntraced(function* (message, pointOfNoReturn, _onParked, admit) {
      const { site } = servers.get(domainOf(message.recipient))!
      const lane = laneOf(null, site)
      const refused = refusalOf(admit?.(lane))
      if (refused !== null) return refused
      const { reaction, server } = offer(message)
      const { deliveryId } = message
      const conversation = noConversation("")
      const isDecidedBefore = reaction === "Lost" || reaction === "Unreachable"
      const isRejectedBefore = Array.isArray(reaction) && reaction[0] !== "Message"
      if (!isDecidedBefore && !isRejectedBefore) {
        if (!(yield* pointOfNoReturn)) return { _tag: "Withdrawn", conversation, lane } as const
        if (server.accepted.has(deliveryId) || unknown.has(deliveryId)) repeated.push(deliveryId)
      }
      const result = ((): TransactionResult => {
        if (reaction === "Accept") {
          server.accepted.add(deliveryId)
          acceptedAt.set(deliveryId, now())
          return { _tag: "Accepted", conversation }
        }
        if (reaction === "Lost" || reaction === "Unreachable")
          return { _tag: "Lost", progress: reaction === "Lost" ? "pending" : "none", conversation }
        if ("after" in reaction) {
          if (reaction.isAccepted) server.accepted.add(deliveryId)
          unknown.add(deliveryId)
          return { _tag: "Lost", progress: "committed", conversation }
        }
        const [stage, reply] = reaction
        return { _tag: "Rejected", stage, reply: parseReply(reply), conversation }
      })()
      const { attempts: before, recipient } = message
      const context = {
        name: lane,
        provider: null,
        isRelay: false,
        domain: domainOf(recipient),
        attempts: before
      }
      return consequenceOf(result, "Delivered", context).outcome
    })
  })

  await using service = await start({
    seed: String(seed),
    startAt,
    dns: names.dns,
    transport,
    replaced: Layer.mergeAll(Layer.succeed(MessageComposer, composer), Layer.succeed(KeyMaker, keyMaker))
  })
  now = service.now
  const target = {
    managementToken: service.managementToken,
    fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
  }
  const manage = async <Value>(path: string) =>
    (await call<Value>(target, "GET", `/manage/v1${path}`, { token: service.managementToken })).value

  const open = async (sender: string): Promise<TestAccount> => {
    const { live } = await openWorkspace(target, sender)
    const added = (await live.manage<Domain>("POST", "/domains", { domain: sender })).value
    names.publish(added)
    const verified = (await live.manage<Domain>("POST", `/domains/${added.id}/verify`)).value
    if (verified.status !== "Verified") throw new Error(`${sender} is ${verified.status}`)
    return live
  }
  const good = await open(senders.good)
  const others = { careless: await open(senders.careless), attacker: await open(senders.attacker) }

  interface SentEmail {
    readonly account: TestAccount
    readonly sender: string
    readonly kind: Kind
    readonly id: string
    readonly address: string
    readonly isForbidden: boolean
    readonly at: number
  }
  const sent: Array<SentEmail> = []
  let count = 0
  const send = async (account: TestAccount, sender: string, server: Server, isForbidden = false) => {
    const address = `p${count++}@${server.domain}`
    const subject = isForbidden ? forbidden : "Your order"
    const answer = await account.api<{ id: string }>("POST", "/sending/emails", {
      from: `hello@${sender}`,
      to: address,
      subject,
      text: "Thank you."
    })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer))
    sent.push({ account, sender, kind: server.kind, id: answer.value.id, address, isForbidden, at: now() })
  }
  const all = [...servers.values()]
  const plain = all.filter(({ kind }) => kind === "plain")

  const mailUntil = (days - 2) * 24 * hour + 6 * hour
  for (let step = 0; step < days * 24 * 4; step++) {
    const at = step * 15 * minute
    if (at < mailUntil && step % 2 === 0) {
      await send(good, senders.good, random.pick(plain))
      await send(good, senders.good, random.pick(all))
      await send(others.careless, careless, random.pick(all), random.below(8) === 0)
      // A burst to servers of every kind.
      if (step === 24)
        for (let index = 0; index < 60; index++)
          await send(others.attacker, senders.attacker, random.pick(all), true)
    }
    await service.advance("15 minutes")
  }

  const ended: Array<Ended> = []
  const plainMillis: Array<number> = []
  for (const { account, address, at, id, isForbidden, kind, sender } of sent) {
    const email = (await account.api<EmailSubmission>("GET", `/sending/emails/${id}`)).value
    const [recipient] = email.recipients
    ended.push({ sender, kind, address, isForbidden, status: recipient!.status })
    if (sender !== senders.good || kind !== "plain") continue
    const found = (
      await account.manage<{ recipients: ReadonlyArray<{ id: string }> }>("GET", `/emails/${id}`)
    ).value.recipients[0]!
    plainMillis.push((acceptedAt.get(found.id) ?? Infinity) - at)
  }
  const suppressed: Array<string> = []
  for (const account of [good, others.careless, others.attacker]) {
    const page = await account.manage<ListPage<{ email: string }>>("GET", "/suppressions?limit=200")
    suppressed.push(...page.value.items.map(({ email }) => email))
  }
  const { items } = await manage<ListPage<Notice>>("/shaping/notices?limit=200")
  return { ended, suppressed, notices: items, repeated, plainMillis, attempts }
}
