/**
 * Tests of recording opens and clicks: the first of each, concurrent ones in one transaction, in the background, and only some
 * visits changing the contact's timestamps.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import * as NodeCrypto from "../../../../adapters/crypto/Crypto.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { type DeliveryRef, SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { RunStore } from "../../../../core/ports/RunStore.ts"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { ContactStore, type ContactTouch } from "../../../../core/ports/ContactStore.ts"
import { ContactEvents } from "../../../../core/audience/timeline/ContactEvents.ts"
import { StandingStore } from "../../../../core/ports/StandingStore.ts"
import { TimelineStore } from "../../../../core/ports/TimelineStore.ts"
import { VisitStore } from "../../../../core/ports/VisitStore.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { type DeliveryVisits, noVisits } from "../../../../core/model/Visit.ts"
import { Transaction } from "../../../../core/ports/Transaction.ts"
import type { EmailEvent } from "../../../../core/model/EmailEvent.ts"
import { EmailEvents } from "../../../../core/sending/fanout/EmailEvents.ts"
import type { Delivery } from "../../../../core/model/Submission.ts"
import { Tracking } from "../../../../core/sending/tracking/Tracking.ts"
import { makeClickTokens, makeOpenToken } from "../../../../core/sending/tracking/TrackingTokens.ts"
import { Unavailable } from "../../../../core/shared/Problem.ts"
import { newId, pause, times } from "../../../contract/fixtures.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(7)
const visit = {
  method: "GET",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  address: "203.0.113.7",
  purposes: [],
  hasLanguage: true,
  hasFetchMode: true
}
const url = "https://a.example/"
const accountId = newId()

/** Waits until a condition holds, also on a busy machine. */
const until = Effect.fnUntraced(function* (holds: () => boolean) {
  for (let tries = 0; tries < 3000 && !holds(); tries++) yield* pause(10)
})

/** Storage that has every delivery, is slow, continues when the test says so, and can be unavailable. */
const makeEnvironment = (
  options: { readonly down?: boolean; readonly email?: string; readonly opened?: Effect.Effect<void> } = {}
) => {
  const events: Array<EmailEvent> = []
  const writes: Array<number> = []
  const touches: Array<ContactTouch> = []
  const stored = new Map<string, DeliveryVisits>()
  const seen = new Set<string>()
  const deliveryOf = ({ accountId: account, id }: DeliveryRef): Delivery => ({
    id,
    submissionId: id,
    accountId: account,
    email: options.email ?? `${id}@example.com`,
    name: null,
    kind: "To",
    status: "Delivered",
    reason: null,
    attempts: 1,
    claims: 1,
    committedAt: null,
    openedAt: null,
    clickedAt: null,
    lane: null,
    provider: null,
    line: "",
    heldSince: null,
    notDue: 0,
    contentHash: null,
    complainedAt: null,
    unsubscribedAt: null,
    topicOffAt: null,
    updatedAt: 0
  })
  const layer = Tracking.layer.pipe(
    Layer.provideMerge(NodeCrypto.layer),
    Layer.provide([
      installationKeys(key),
      Layer.succeed(EmailEvents, {
        record: (given) => Effect.sync(() => void events.push(...given))
      }),
      Layer.succeed(Transaction, { areSerial: false, run: (effect) => effect }),
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "https://mail.example",
        mailHost: "mail.example",
        takesReports: true
      }),
      Ids.layer.pipe(Layer.provide(NodeCrypto.layer)),
      Layer.mock(AccountStore, {}),
      Layer.mock(JobQueue, {}),
      Layer.mock(RunStore, {}),
      Layer.mock(StandingStore, {}),
      Layer.mock(AttemptStore, { of: () => Effect.succeed([]) }),
      Layer.mock(ContactEvents, {}),
      Layer.mock(TimelineStore, {}),
      Layer.mock(ContactStore, {
        find: () => Effect.succeed([]),
        touch: (_accountId, given) => Effect.sync(() => void touches.push(...given))
      }),
      Layer.mock(VisitStore, {
        lock: (refs) =>
          Effect.succeed(refs.map(({ accountId: account, id }) => stored.get(id) ?? noVisits(account, id))),
        put: (given) =>
          Effect.sync(() => {
            for (const record of given) stored.set(record.deliveryId, record)
          })
      }),
      Layer.mock(SubmissionStore, {
        campaignsOf: () => Effect.succeed([]),
        flowsOf: () => Effect.succeed([]),
        deliveries: (refs) => Effect.succeed(refs.map(deliveryOf)),
        engage: Effect.fnUntraced(function* (kind, refs: ReadonlyArray<DeliveryRef>) {
          yield* options.opened ?? Effect.void
          yield* pause(20)
          if (options.down) return yield* new Unavailable({ cause: "down" })
          writes.push(refs.length)
          const first = refs.filter(({ id }) => !seen.has(`${kind} ${id}`))
          for (const { id } of first) seen.add(`${kind} ${id}`)
          return first.map(deliveryOf)
        })
      })
    ])
  )
  return { layer, events, stored, touches, writes }
}

const tokens = Effect.map(Crypto, (crypto) => ({
  open: (id: string) => makeOpenToken({ crypto, keys: ringOf(key) }, { accountId, id }),
  click: (id: string, opens: boolean) =>
    makeClickTokens({ crypto, keys: ringOf(key) }, { delivery: { accountId, id }, opens, isPair: false })(url)
}))

const typesOf = (events: ReadonlyArray<EmailEvent>) =>
  events.map(({ deliveryId, type, url: link }) => [deliveryId, type, link])

it.live("concurrent opens and clicks are written together, the first of each delivery once", () => {
  const opened = Deferred.makeUnsafe<void>()
  const { events, layer, writes } = makeEnvironment({ opened: Deferred.await(opened) })
  return Effect.gen(function* () {
    const tracking = yield* Tracking
    const { click, open } = yield* tokens
    const ids = times(100, newId)
    for (const id of ids) {
      expect(yield* tracking.open(open(id), visit)).toBe(true)
      expect(yield* tracking.click(click(id, false), visit)).toEqual({ url })
      expect(yield* tracking.click(click(id, false), visit)).toEqual({ url })
    }
    yield* Deferred.succeed(opened, undefined)
    yield* until(() => events.length >= 200)
    yield* pause(100)
    expect(writes.length).toBeLessThan(10)
    expect(events).toHaveLength(200)
    expect(new Set(events.map((event) => event.deliveryId)).size).toBe(100)
  }).pipe(Effect.provide(layer))
})

it.live(
  "the first visit of any program makes a notification, and one that is no machine's moves the contact's times",
  () => {
    const { events, layer, stored, touches } = makeEnvironment()
    return Effect.gen(function* () {
      const tracking = yield* Tracking
      const { click, open } = yield* tokens
      const [both, only, machine] = [newId(), newId(), newId()]
      yield* tracking.click(click(both, true), visit)
      yield* until(() => events.length >= 2)
      yield* tracking.click(click(only, false), visit)
      yield* until(() => events.length >= 3)
      yield* tracking.open(open(machine), { ...visit, userAgent: "Googlebot/2.1" })
      yield* until(() => events.length >= 4)
      yield* tracking.click(click(machine, true), { ...visit, method: "HEAD" })
      yield* until(() => events.length >= 5)
      expect(touches.map(({ email }) => email)).not.toContain(`${machine}@example.com`)
      yield* tracking.click(click(machine, true), visit)
      yield* until(() => touches.length >= 5)
      yield* pause(100)
      const at = expect.any(Number)
      expect(touches.filter(({ email }) => email === `${machine}@example.com`)).toEqual([
        { email: `${machine}@example.com`, field: "lastOpenAt", at },
        { email: `${machine}@example.com`, field: "lastClickAt", at }
      ])
      expect(touches.filter(({ email }) => email === `${only}@example.com`)).toEqual([
        { email: `${only}@example.com`, field: "lastClickAt", at }
      ])
      expect(stored.get(machine)!.opens).toEqual({ Human: 1, Machine: 1, Unknown: 0 })
      expect(stored.get(machine)!.clicks).toEqual({ Human: 1, Machine: 1, Unknown: 0 })
      expect(typesOf(events)).toEqual([
        [both, "email.opened", null],
        [both, "email.clicked", url],
        [only, "email.clicked", url],
        [machine, "email.opened", null],
        [machine, "email.clicked", url]
      ])
    }).pipe(Effect.provide(layer))
  }
)

it.live("a link works while the database is unavailable", () => {
  const { events, layer } = makeEnvironment({ down: true })
  return Effect.gen(function* () {
    const tracking = yield* Tracking
    const { click, open } = yield* tokens
    expect(yield* tracking.click(click(newId(), true), visit)).toEqual({ url })
    expect(yield* tracking.open(open(newId()), visit)).toBe(true)
    yield* pause(200)
    expect(events).toEqual([])
  }).pipe(Effect.provide(layer))
})

it.live("no event is recorded for a recipient whom retention has removed", () => {
  const { events, layer, stored, touches, writes } = makeEnvironment({ email: "" })
  return Effect.gen(function* () {
    const tracking = yield* Tracking
    const { click } = yield* tokens
    yield* tracking.click(click(newId(), true), visit)
    yield* until(() => writes.length >= 2)
    yield* pause(100)
    expect(writes).toEqual([1, 1])
    expect(events).toEqual([])
    expect(touches).toEqual([])
    expect(stored.size).toBe(0)
  }).pipe(Effect.provide(layer))
})
