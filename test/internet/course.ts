/**
 * Simulates days in an internet of mail servers: three companies send to servers that slow down, reject and die, on a virtual
 * clock. Two simulations of the same seed that decide by replies are identical.
 *
 * @module
 */
import { Layer } from "effect"
import { KeyMaker } from "../../core/ports/KeyMaker.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { startOfDays } from "../../core/sending/standing/StandingRules.ts"
import { makeRandom } from "../contract/fixtures.ts"
import { composer, keyMaker } from "../month/environment.ts"
import { call } from "../support/client.ts"
import type { Domain } from "../support/liveDomain.ts"
import type { ListPage } from "../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"
import { makeNames } from "./names.ts"
import { makeReplyTransport } from "./replies.ts"
import { careless, forbidden, type Kind, type Server, serversOf } from "./servers.ts"
import { type Connections, startSockets } from "./sockets.ts"
import { type Accepted, complains, Visitors } from "./visitors.ts"

const minute = 60_000
const hour = 60 * minute
const startAt = Date.UTC(2031, 2, 3)

/** The parameters of a simulation. */
export interface Course {
  readonly seed: number
  /** Its duration in days: at least three, so that everything that is held can end. */
  readonly days: number
  /** Whether servers are reached over connections, or decide only by replies. */
  readonly wire?: "Sockets" | "Replies"
  /** A factor for the amount of mail. */
  readonly scale?: number
  /** The storage of the service; memory by default. */
  readonly store?: "memory" | "pglite"
}

/** A notice about held mail. */
export interface Notice {
  readonly cause: string
  readonly lane: string
  readonly words: string
  readonly state: "Open" | "Resolved"
  readonly until: string | null
}

/** The visits of mail to an address, by classification. */
type Verdicts = Readonly<Record<"Human" | "Machine" | "Unknown", number>>

/** An email at the end of a simulation. */
export interface Ended {
  readonly sender: string
  readonly kind: Kind
  readonly address: string
  readonly isForbidden: boolean
  readonly status: string
  readonly reason: string | null
  /** Null if its visits were not read. */
  readonly visits: { readonly opens: Verdicts; readonly clicks: Verdicts } | null
}

/** The observations of a simulation. */
export interface Seen {
  readonly ended: ReadonlyArray<Ended>
  readonly suppressed: ReadonlyArray<string>
  readonly notices: ReadonlyArray<Notice>
  /** Messages that a server received after it had accepted them, or after their outcome was unknown. */
  readonly repeated: ReadonlyArray<string>
  /** Messages that a server received without the encryption that it requires. */
  readonly exposed: ReadonlyArray<string>
  /** Reports that were not accepted. */
  readonly refusedReports: ReadonlyArray<string>
  /** The good company's messages that were sent more than 15 minutes after the end of the suspension that held them. */
  readonly late: ReadonlyArray<string>
  /** The counts of each company's standing over 30 days, and what really happened: messages accepted, and complaints. */
  readonly standing: ReadonlyArray<{
    readonly counted: ReadonlyArray<number>
    readonly happened: ReadonlyArray<number>
  }>
  /** How long the good company's messages to ordinary servers took, in milliseconds. */
  readonly plainMillis: ReadonlyArray<number>
  readonly attempts: number
  /** The connections of each server, and those still open at the end; null without connections. */
  readonly connections: {
    readonly servers: ReadonlyArray<Connections & { readonly domain: string }>
    readonly left: number
  } | null
}

const senders = { good: "good.example", careless, attacker: "attacker.example" } as const

const html = `<p>Thank you.</p>${["a", "b", "c"].map((name) => `<a href="https://shop.example/${name}">${name}</a>`).join(" ")}`

/** An email in the management API. */
interface ShownEmail {
  readonly recipients: ReadonlyArray<Pick<Ended, "status" | "reason" | "visits">>
}

interface SentEmail {
  readonly account: TestAccount
  readonly sender: string
  readonly server: Server
  /** Null for marketing, of which only the address is known. */
  readonly id: string | null
  readonly address: string
  readonly isForbidden: boolean
  readonly at: number
}

/** Runs a simulation to its end. */
export const run = async ({
  days,
  scale = 1,
  seed,
  store = "memory",
  wire = "Replies"
}: Course): Promise<Seen> => {
  const random = makeRandom(seed)
  const servers = serversOf(random)
  let now = () => startAt
  const names = makeNames(servers, () => now() - startAt)
  const visitors = new Visitors(makeRandom(seed + 1_000))
  const onAccepted = (accepted: Accepted) => visitors.accepted(accepted, now())

  const time = { at: () => now() - startAt, now: () => now() }
  const replies = makeReplyTransport({ servers, ...time, onAccepted })
  const sockets = wire === "Sockets" ? await startSockets({ servers, random, ...time, onAccepted }) : null
  const service = await start({
    // Connections take real time, so with them the clock also advances by itself.
    ...(sockets === null ? { seed: String(seed) } : {}),
    startAt,
    store,
    dns: names.dns,
    transport: sockets?.transport ?? replies.transport,
    trustedProxies: ["127.0.0.1"],
    replaced:
      sockets === null
        ? Layer.mergeAll(Layer.succeed(MessageComposer, composer), Layer.succeed(KeyMaker, keyMaker))
        : Layer.empty
  })
  now = service.now
  try {
    const found = await live({ days, random, scale, servers, service, visitors, names })
    await service.close()
    // The ends of connections arrive after they were closed.
    await new Promise((resolve) => setTimeout(resolve, sockets === null ? 0 : 300))
    return {
      ...found,
      repeated: [...servers.values()].flatMap(({ repeated }) => repeated),
      exposed: [...servers.values()].flatMap(({ exposed }) => exposed),
      refusedReports: visitors.refused,
      attempts: replies.attempts(),
      connections:
        sockets === null
          ? null
          : {
              servers: [...sockets.connections].map(([{ domain }, counts]) => ({ ...counts, domain })),
              left: sockets.open()
            }
    }
  } finally {
    await service.close()
    await sockets?.stop()
  }
}

interface World {
  readonly days: number
  readonly scale: number
  readonly random: ReturnType<typeof makeRandom>
  readonly servers: ReadonlyMap<string, Server>
  readonly service: Embedded
  readonly visitors: Visitors
  readonly names: ReturnType<typeof makeNames>
}

/** Simulates the companies' days, and collects the results of their mail. */
const live = async ({ days, names, random, scale, servers, service, visitors }: World) => {
  const { now } = service
  const target = {
    managementToken: service.managementToken,
    fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
  }
  const manage = async <Value>(path: string) =>
    (await call<Value>(target, "GET", `/manage/v1${path}`, { token: service.managementToken })).value

  /** All entries of a list. */
  const everything = async <Value>(path: string): Promise<ReadonlyArray<Value>> => {
    const found: Array<Value> = []
    for (let page = 1; ; page++) {
      const { items } = await manage<ListPage<Value>>(`${path}?pageSize=200&page=${page}`)
      found.push(...items)
      if (items.length < 200) return found
    }
  }

  const open = async (sender: string): Promise<TestAccount> => {
    const { live: account } = await openWorkspace(target, sender)
    const added = (await account.manage<Domain>("POST", "/domains", { domain: sender })).value
    names.publish(added)
    const verified = (await account.manage<Domain>("POST", `/domains/${added.id}/verify`)).value
    if (verified.status !== "Verified") throw new Error(`${sender} is ${verified.status}`)
    await account.manage("PATCH", "/settings", {
      rateLimitPerMinute: 100_000,
      // So many addresses do not exist that marketing would be held, which other tests cover.
      standingHolds: false,
      defaultSender: { email: `hello@${sender}`, name: null }
    })
    const { value: flow } = await account.manage<{ readonly id: string }>("POST", "/flows", {
      name: "News",
      trigger: { kind: "Event", name: "user.signed_up" },
      steps: [{ id: "news", kind: "SendEmail", purpose: "Marketing", subject: "News", html: "<p>News.</p>" }]
    })
    await account.manage("POST", `/flows/${flow.id}/publish`)
    return account
  }
  const good = await open(senders.good)
  const others = { careless: await open(senders.careless), attacker: await open(senders.attacker) }

  const sent: Array<SentEmail> = []
  let count = 0
  const send = async (account: TestAccount, sender: string, server: Server, isForbidden = false) => {
    const below = server.kind === "wildcard" ? `n${count}.` : ""
    const address = `p${count++}@${below}${server.domain}`
    const answer = await account.api<{ id: string }>("POST", "/sending/emails", {
      from: `hello@${sender}`,
      to: address,
      subject: isForbidden ? forbidden : "Your order",
      text: "Thank you.",
      ...(server.kind === "reader" ? { html, tracking: { opens: true, clicks: true } } : {})
    })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer))
    sent.push({ account, sender, server, id: answer.value.id, address, isForbidden, at: now() })
  }
  /** Sends marketing through a flow. */
  const market = async (account: TestAccount, sender: string, server: Server) => {
    const address = `p${count++}@${server.domain}`
    const contact = { email: address, consent: { basis: "Subscribed", proof: { text: "Yes, please." } } }
    const events = [{ id: address, name: "user.signed_up", contact }]
    const answer = await account.api("POST", "/events", { events })
    if (answer.status >= 300) throw new Error(JSON.stringify(answer))
    sent.push({ account, sender, server, id: null, address, isForbidden: false, at: now() })
  }
  const all = [...servers.values()]
  const marketed = all.filter(({ kind }) => kind !== "reader")
  const plain = all.filter(({ kind }) => kind === "plain")

  const passUntil = async (time: number) => {
    for (let next = visitors.next(); next !== null && next < time; next = visitors.next()) {
      await service.advance(Math.max(0, next - now()))
      await visitors.run(service)
    }
    await service.advance(Math.max(0, time - now()))
  }
  const beginning = now()
  const mailUntil = (days - 2) * 24 * hour + 6 * hour
  for (let step = 0; step < days * 24 * 4; step++) {
    if (step * 15 * minute < mailUntil && step % 2 === 0) {
      for (let time = 0; time < scale; time++) {
        await send(good, senders.good, random.pick(plain))
        await send(good, senders.good, random.pick(all))
        await send(others.careless, careless, random.pick(all), random.below(8) === 0)
        await market(good, senders.good, random.pick(marketed))
        await market(others.careless, careless, random.pick(marketed))
      }
      // A burst to servers of every kind.
      if (step === 24)
        for (let index = 0; index < 60 * scale; index++)
          await send(others.attacker, senders.attacker, random.pick(all), true)
    }
    await passUntil(beginning + (step + 1) * 15 * minute)
  }

  const ended: Array<Ended> = []
  const plainMillis: Array<number> = []
  for (const { account, address, at, id, isForbidden, sender, server } of sent) {
    const { kind } = server
    const found = await account.manage<ShownEmail | ListPage<ShownEmail>>(
      "GET",
      id === null ? `/emails?to=${encodeURIComponent(address)}` : `/emails/${id}`
    )
    const email = "items" in found.value ? found.value.items[0] : found.value
    const { reason = null, status = "missing", visits = null } = email?.recipients[0] ?? {}
    ended.push({
      sender,
      kind,
      address,
      isForbidden,
      status,
      reason,
      visits: kind === "reader" ? visits : null
    })
    if (id !== null && sender === senders.good && kind === "plain")
      plainMillis.push((server.accepted.get(address) ?? Infinity) - at)
  }
  const standing: Array<Seen["standing"][number]> = []
  const counted = startOfDays(30, now())
  for (const account of [good, others.careless, others.attacker]) {
    const { rates } = (
      await account.manage<{ rates: ReadonlyArray<{ delivered: number; complained: number }> }>(
        "GET",
        "/standing?days=30"
      )
    ).value
    const accepted = sent.filter(
      (one) =>
        one.account === account &&
        (one.server.accepted.get(one.address) ?? -Infinity) >= counted &&
        !one.server.unknown.has(one.address)
    )
    const complaints = accepted.filter(
      ({ address, server }) => server.kind === "reporter" && complains(address)
    )
    standing.push({
      counted: [
        rates.reduce((sum, { delivered }) => sum + delivered, 0),
        rates.reduce((sum, { complained }) => sum + complained, 0)
      ],
      happened: [accepted.length, complaints.length]
    })
  }
  const suppressed: Array<string> = []
  for (const account of [good, others.careless, others.attacker])
    suppressed.push(
      ...(await everything<{ email: string }>(`/accounts/${account.accountId}/suppressions`)).map(
        ({ email }) => email
      )
    )
  const notices = await everything<Notice>("/shaping/notices")
  // A notice about an unreachable lane holds no mail, because that is retried by its own schedule.
  const holding = notices.filter(({ cause }) => cause !== "Unreachable")
  const late = holding.flatMap(({ lane, until }) => {
    const end = Date.parse(until ?? "")
    return sent.flatMap(({ address, at, sender, server }) => {
      const isHeld = sender === senders.good && lane === `ip:${server.site}` && at < end
      return isHeld && (server.accepted.get(address) ?? Infinity) > end + 15 * minute ? [address] : []
    })
  })
  return { ended, suppressed, notices, late, standing, plainMillis }
}
