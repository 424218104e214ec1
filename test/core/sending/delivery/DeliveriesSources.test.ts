/**
 * Tests of senders over the memory adapter with several sources: which address mail is sent from, and the effect of a block.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ProcessInfo, unknownProcess } from "../../../../core/kernel/ProcessInfo.ts"
import type { MailSource } from "../../../../core/model/Source.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { Dns, DnsMissing, DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import { contentOf } from "../../../../core/sending/shaping/Shaping.ts"
import { chooseSource } from "../../../../core/sending/sources/SourceRules.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import { newId } from "../../../contract/fixtures.ts"
import { lane, serverOf } from "../../../support/lanes.ts"
import {
  makeSender,
  makeSenderOver,
  queueMail,
  type Sender,
  sendingAccount
} from "../../../support/senders.ts"
import { minute, senderTest, start, states, to } from "../../../support/senderTests.ts"

const hour = 60 * minute

const addSource = (address: string, values: Partial<MailSource> = {}) =>
  Effect.gen(function* () {
    const reverse = { names: ["mx.example"], isConfirmed: true, checkedAt: start }
    const common = {
      id: newId(),
      name: null,
      pool: "default",
      mode: "Active",
      isForced: false,
      warmUp: null
    } as const
    yield* (yield* SourceStore).insert({ ...common, address, reverse, createdAt: start, ...values })
  })

/** A sender on a machine that has those addresses. */
const senderAt = (...addresses: ReadonlyArray<string>) =>
  Effect.provideService(makeSender, ProcessInfo, {
    ...unknownProcess,
    node: { ...unknownProcess.node, id: newId(), addresses }
  })

/** A name server that has only the SPF record of the return path; null if it is down. */
const spfDns = (record: () => string | null): Dns["Service"] => {
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  return Dns.of({
    mx: missing,
    addresses: missing,
    txt: (name) =>
      Effect.suspend((): Effect.Effect<ReadonlyArray<string>, DnsMissing | DnsUnavailable> => {
        if (name !== "bounces.mail.example") return missing(name)
        const found = record()
        return found === null
          ? Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))
          : Effect.succeed([found])
      })
  })
}

/** Mail to the given number of domains. */
const mailsTo = (accountId: string, count: number) =>
  Array.from({ length: count }, (_, index) => to(accountId, `ada@domain${index}.example`))

const pass = (millis: number, ...senders: ReadonlyArray<Sender>) =>
  Effect.andThen(
    TestClock.adjust(millis),
    Effect.forEach(senders, ({ worker }) => worker.drain, { discard: true })
  )

const delivered = ["Delivered", null, 1]

senderTest(
  "each stream of an account leaves from the addresses of its pool, and where it has none, of the pool that takes its mail",
  Effect.gen(function* () {
    const store = yield* SourceStore
    yield* store.putPool({ key: "bulk", name: "Bulk", overflow: null })
    yield* store.putPool({ key: "empty", name: "Empty", overflow: "bulk" })
    yield* addSource("192.0.2.1")
    yield* addSource("192.0.2.2")
    yield* addSource("192.0.2.3", { pool: "bulk" })
    const [plain, bulk, empty] = yield* Effect.all([
      sendingAccount(),
      sendingAccount("Live", { pools: { transactional: "bulk", marketing: "default" } }),
      sendingAccount("Live", { pools: { transactional: "empty", marketing: "default" } })
    ])
    const sender = yield* senderAt("192.0.2.1", "192.0.2.2", "192.0.2.3")
    const from = new Map<string, Set<string | null>>()
    sender.transport.script = serverOf(({ accountId }, source) => {
      from.set(accountId, (from.get(accountId) ?? new Set()).add(source))
      return null
    })
    const mails = [plain, bulk, empty].flatMap(({ id }) => mailsTo(id, 30))
    yield* queueMail(mails)
    yield* pass(0, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => delivered))
    expect(from.get(plain.id)).toEqual(new Set(["192.0.2.1", "192.0.2.2"]))
    expect(from.get(bulk.id)).toEqual(new Set(["192.0.2.3"]))
    expect(from.get(empty.id)).toEqual(new Set(["192.0.2.3"]))
  })
)

senderTest(
  "a block of one address moves mail to the others, and one message finds out when it has ended",
  Effect.gen(function* () {
    yield* addSource("192.0.2.1")
    yield* addSource("192.0.2.2")
    const { id } = yield* sendingAccount()
    const sender = yield* senderAt("192.0.2.1", "192.0.2.2")
    let isBlocked = true
    const counts = { "192.0.2.1": 0, "192.0.2.2": 0 }
    sender.transport.script = serverOf((_, source) => {
      counts[source as keyof typeof counts]++
      return isBlocked && source === "192.0.2.1"
        ? "554 5.7.1 Client host [192.0.2.1] blocked using zen.example"
        : null
    })
    const first = mailsTo(id, 30)
    yield* queueMail(first)
    yield* pass(0, sender)
    const { items } = yield* (yield* ShapingStore).page(
      { page: 1, pageSize: 10 },
      { lane: [lane], open: { is: true, at: start } }
    )
    expect(items).toMatchObject([{ lane: `${lane}@192.0.2.1`, action: "PauseSource", accountId: null }])
    expect(counts["192.0.2.2"]).toBeGreaterThan(0)
    const blocked = counts["192.0.2.1"]

    // Mail queued meanwhile is sent from the other address.
    const second = mailsTo(id, 30)
    yield* queueMail(second)
    yield* pass(minute, sender)
    expect(yield* states(second)).toEqual(second.map(() => delivered))
    expect(counts["192.0.2.1"]).toBe(blocked)

    isBlocked = false
    yield* pass(2 * hour + minute, sender)
    yield* pass(2 * minute, sender)
    expect((yield* states(first)).every(([status]) => status === "Delivered")).toBe(true)
    const third = mailsTo(id, 30)
    yield* queueMail(third)
    for (let round = 0; round < 30; round++) yield* pass(minute, sender)
    expect(yield* states(third)).toEqual(third.map(() => delivered))
    expect(counts["192.0.2.1"]).toBeGreaterThan(blocked)
    const after = yield* (yield* ShapingStore).page(
      { page: 1, pageSize: 10 },
      { open: { is: true, at: start } }
    )
    expect(after.items).toEqual([])
  })
)

senderTest(
  "mail is held where every address is blocked, and where its pool has none",
  Effect.gen(function* () {
    yield* (yield* SourceStore).putPool({ key: "none", name: "None", overflow: null })
    yield* addSource("192.0.2.1")
    const { id } = yield* sendingAccount()
    const other = yield* sendingAccount("Live", { pools: { transactional: "none", marketing: "none" } })
    const sender = yield* senderAt("192.0.2.1")
    sender.transport.script = serverOf(() => "554 5.7.1 Client host blocked using zen.example")
    const mails = mailsTo(id, 5)
    const poolless = mailsTo(other.id, 5)
    yield* queueMail([...mails, ...poolless])
    yield* pass(0, sender)
    yield* pass(minute, sender)
    expect(yield* states([...mails, ...poolless])).toEqual(
      [...mails, ...poolless].map(() => ["Queued", "sending.provider_held", 0])
    )
    yield* addSource("192.0.2.9", { pool: "none" })
    const another = yield* senderAt("192.0.2.9")
    another.transport.script = serverOf(() => null)
    yield* pass(2 * minute, another)
    yield* pass(5 * minute, another)
    expect(yield* states(poolless)).toEqual(poolless.map(() => delivered))
  })
)

senderTest(
  "each of two processes sends from its own addresses alone",
  Effect.gen(function* () {
    yield* addSource("192.0.2.1", { pool: "default" })
    yield* (yield* SourceStore).putPool({ key: "bulk", name: "Bulk", overflow: null })
    yield* addSource("192.0.2.2", { pool: "bulk" })
    const plain = yield* sendingAccount()
    const bulk = yield* sendingAccount("Live", { pools: { transactional: "bulk", marketing: "bulk" } })
    const senders = [yield* senderAt("192.0.2.1"), yield* senderAt("192.0.2.2")] as const
    const from = senders.map(({ transport }) => {
      const seen = new Set<string | null>()
      transport.script = serverOf((_, source) => {
        seen.add(source)
        return null
      })
      return seen
    })
    const mails = [...mailsTo(plain.id, 20), ...mailsTo(bulk.id, 20)]
    yield* queueMail(mails)
    // Either sender may claim first. It leaves mail for whose source it lacks the address to the other sender.
    for (let round = 0; round < 40; round++)
      yield* pass(1_000, ...(round % 4 < 2 ? senders : senders.toReversed()))
    expect(from).toEqual([new Set(["192.0.2.1"]), new Set(["192.0.2.2"])])
    const done = yield* states(mails)
    expect(done).toEqual(mails.map(() => delivered))
  })
)

senderTest(
  "a process leaves an account to another that has the addresses of all its mail",
  Effect.gen(function* () {
    yield* (yield* SourceStore).putPool({ key: "bulk", name: "Bulk", overflow: null })
    yield* addSource("192.0.2.1")
    yield* addSource("192.0.2.2", { pool: "bulk" })
    const plain = yield* sendingAccount()
    const bulk = yield* sendingAccount("Live", { pools: { transactional: "bulk", marketing: "bulk" } })
    const queue = yield* JobQueue
    let claimed = 0
    const counting = JobQueue.of({
      ...queue,
      claim: (request) =>
        Effect.tap(queue.claim(request), (jobs) =>
          Effect.sync(() => {
            claimed += jobs.filter(({ accountId }) => accountId === bulk.id).length
          })
        )
    })
    const one = yield* Effect.provideService(senderAt("192.0.2.1"), JobQueue, counting)
    one.transport.script = serverOf(() => null)
    const left = mailsTo(bulk.id, 100)
    yield* queueMail(left)
    for (let second = 0; second < 60; second++) yield* pass(1_000, one)
    // One batch every ten seconds tests whether the other sender is still running.
    expect(claimed).toBeLessThan(7 * 50)
    const own = mailsTo(plain.id, 20)
    yield* queueMail(own)
    yield* pass(1_000, one)
    expect(yield* states(own)).toEqual(own.map(() => delivered))

    const other = yield* senderAt("192.0.2.2")
    other.transport.script = serverOf(() => null)
    for (let second = 0; second < 10; second++) yield* pass(1_000, one, other)
    expect(yield* states(left)).toEqual(left.map(() => delivered))
  })
)

senderTest(
  "the fifth email of one content that a server refuses for it holds its sender there, whatever address each left from",
  Effect.gen(function* () {
    yield* addSource("192.0.2.1")
    yield* addSource("192.0.2.2")
    const { id } = yield* sendingAccount()
    const sender = yield* senderAt("192.0.2.1", "192.0.2.2")
    const from = new Set<string | null>()
    sender.transport.script = serverOf((_message, source) => {
      from.add(source)
      return "550 5.7.1 Message content rejected: detected as spam"
    })
    const templateId = newId()
    const known = yield* (yield* SourceStore).all
    /** Domains whose mail is sent from a given address. */
    const domainsOf = (address: string, count: number) =>
      Array.from({ length: 100 }, (_, index) => `${index}.example`)
        .filter((domain) => {
          const choice = chooseSource(known, {
            pool: "default",
            stream: `${id} ${domain}`,
            families: null,
            own: ["192.0.2.1", "192.0.2.2"],
            isHeld: () => false,
            share: () => "Free",
            isMarketing: false,
            isListed: () => true
          })
          return choice._tag === "Source" && choice.source.address === address
        })
        .slice(0, count)
    const mails = [...domainsOf("192.0.2.1", 3), ...domainsOf("192.0.2.2", 2)].map((domain) =>
      to(id, `ada@${domain}`, { templateId })
    )
    for (const mail of mails) {
      yield* queueMail([mail])
      yield* pass(0, sender)
    }
    expect(from.size).toBe(2)
    expect((yield* states(mails)).map(([status, reason]) => [status, reason])).toEqual(
      mails.map(() => ["Failed", "sending.refused"])
    )
    const { items } = yield* (yield* ShapingStore).page({ page: 1, pageSize: 10 }, {})
    expect(items).toMatchObject([{ lane, action: "PauseSender", accountId: id, minutes: 60 }])
    const campaign = { id: "campaign", version: 1 }
    const marketing = { contactId: "contact", topicId: null, campaign }
    expect(contentOf({ id: "email", flowId: "flow", templateId: null, marketing: null })).toBe("flow")
    expect(contentOf({ id: "email", flowId: null, templateId: null, marketing })).toBe("campaign")
  })
)

senderTest(
  "mail leaves from an IPv6 address only while the SPF record of its return path lets it pass, and from an IPv4 one otherwise",
  Effect.gen(function* () {
    const [four, six] = ["192.0.2.1", "2001:db8::1"]
    yield* addSource(four)
    yield* addSource(six)
    const { id } = yield* sendingAccount()
    let record: string | null = `v=spf1 ip4:${four} ~all`
    const asked: Array<string> = []
    const dns = spfDns(() => record)
    const sender = yield* Effect.provideService(
      makeSenderOver(null, {
        ...dns,
        txt: (name) => {
          asked.push(name)
          return dns.txt(name)
        }
      }),
      ProcessInfo,
      { ...unknownProcess, node: { ...unknownProcess.node, id: newId(), addresses: [four, six] } }
    )
    const used = new Set<string | null>()
    sender.transport.script = (message, point, admit) =>
      serverOf((_, source) => {
        used.add(source)
        return null
      })(message, point, (taken) => admit!(taken, new Set([4, 6])))
    /** The addresses from which mail to many domains is sent after some time. */
    const sourcesAfter = (millis: number) =>
      Effect.gen(function* () {
        used.clear()
        const mails = mailsTo(id, 30)
        yield* queueMail(mails)
        yield* pass(millis, sender)
        expect(yield* states(mails)).toEqual(mails.map(() => delivered))
        return [...used].toSorted()
      })
    expect(yield* sourcesAfter(0)).toEqual([four])
    record = `v=spf1 ip4:${four} ip6:2001:db8::/64 ~all`
    expect(yield* sourcesAfter(5 * minute)).toEqual([four, six])
    const count = asked.length
    expect(yield* sourcesAfter(minute)).toEqual([four, six])
    expect(asked).toHaveLength(count)

    // The previous result remains valid while no name server replies.
    record = null
    expect(yield* sourcesAfter(5 * minute)).toEqual([four, six])
    record = "v=spf1 -all"
    expect(yield* sourcesAfter(minute)).toEqual([four])
    record = null
    expect(yield* sourcesAfter(5 * minute)).toEqual([four])
  })
)
