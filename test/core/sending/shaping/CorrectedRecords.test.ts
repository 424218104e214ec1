/**
 * Tests of mail that a server rejected because of DNS records of its domain or address: it is sent once a check finds the records
 * corrected.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import type { AlignmentCheck } from "../../../../core/model/Alignment.ts"
import { Dns, DnsMissing } from "../../../../core/ports/Dns.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import { Alignment } from "../../../../core/sending/alignment/Alignment.ts"
import { CorrectedRecords } from "../../../../core/sending/shaping/CorrectedRecords.ts"
import { ShapingControl } from "../../../../core/sending/shaping/ShapingControl.ts"
import { Sources } from "../../../../core/sending/sources/Sources.ts"
import { serverOf } from "../../../support/lanes.ts"
import { makeSender, queueMail, type Sender, sendingAccount } from "../../../support/senders.ts"
import { minute, senderTest, start, states, to } from "../../../support/senderTests.ts"

const mailHost = "mail.svc.example"
const publish = "Publish the DKIM records that the domain mail.example shows."

/** The records of the name servers. */
interface Zone {
  isSigned: boolean
  reverse: string
}

const makeChecks = (zone: Zone) => {
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const dkim = (): AlignmentCheck => ({
    check: "Dkim",
    outcome: zone.isSigned ? "Pass" : "Fail",
    seen: "svc1r: Found",
    expected: "The key is published.",
    fix: zone.isSigned ? null : publish
  })
  return Effect.map(
    Layer.build(
      Layer.effect(CorrectedRecords, CorrectedRecords.make).pipe(
        Layer.provide([
          ShapingControl.layer,
          Sources.layer,
          Layer.succeed(Alignment, { check: () => Effect.sync(() => [dkim()]), require: () => Effect.void })
        ]),
        Layer.provide(AuditTrail.layer),
        Layer.provide([
          Ids.layer,
          Layer.succeed(Dns, {
            txt: missing,
            mx: missing,
            addresses: (name) =>
              name === mailHost ? Effect.succeed(["192.0.2.9"]) : Effect.fail(new DnsMissing({ name })),
            names: () => Effect.sync(() => [zone.reverse])
          }),
          Layer.succeed(PublicEndpoint, {
            baseUrl: () => "https://svc.example",
            mailHost,
            takesReports: true
          })
        ]),
        Layer.provide(crypto)
      )
    ),
    (built) => Context.get(built, CorrectedRecords)
  )
}

const pass = (millis: number, { worker }: Sender) => Effect.andThen(TestClock.adjust(millis), worker.drain)

const open = Effect.gen(function* () {
  return (yield* (yield* ShapingStore).page({ page: 1, pageSize: 10 }, { open: { is: true, at: start } }))
    .items
})

/** Queues mail from two domains to a server that rejects one of them. */
const begin = Effect.fnUntraced(function* (reply: () => string | null) {
  const { id } = yield* sendingAccount()
  const sender = yield* makeSender
  sender.transport.script = serverOf(reply)
  const mails = Array.from({ length: 3 }, (_, index) => to(id, `p${index}@one.example`))
  yield* queueMail(mails)
  yield* pass(0, sender)
  return { sender, mails }
})

senderTest(
  "mail that is rejected as not authenticated is sent once a check finds the records correct",
  Effect.gen(function* () {
    const zone: Zone = { isSigned: false, reverse: mailHost }
    const { check } = yield* makeChecks(zone)
    const { mails, sender } = yield* begin(() =>
      zone.isSigned ? null : "550-5.7.26 This mail has been blocked because the sender is unauthenticated."
    )
    expect(yield* states(mails)).toEqual(mails.map(() => ["Queued", "sending.sender_held", 0]))
    // Until then the owner sees which record is wrong, however often a message finds it unchanged.
    yield* check
    expect(yield* open).toMatchObject([{ action: "PauseSender", remedy: publish, resolvedAt: null }])
    yield* pass(15 * minute, sender)
    yield* pass(31 * minute, sender)
    yield* check
    const [long] = yield* open
    expect(long).toMatchObject({ remedy: publish, minutes: 60 })
    zone.isSigned = true
    yield* check
    expect(yield* open).toEqual([])
    for (let step = 0; step < 6; step++) yield* pass(10_000, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))
    expect(start + 46 * minute + 60_000).toBeLessThan(long!.until)
  })
)

senderTest(
  "a server that rejects correct records is asked by one email at a time",
  Effect.gen(function* () {
    const zone: Zone = { isSigned: true, reverse: mailHost }
    const { check } = yield* makeChecks(zone)
    let offered = 0
    const { sender } = yield* begin(() => {
      offered++
      return "550-5.7.26 This mail has been blocked because the sender is unauthenticated."
    })
    const first = offered
    yield* check
    expect(yield* open).toEqual([])
    yield* pass(10_000, sender)
    const again = offered
    expect(again).toBeGreaterThan(first)
    expect(yield* open).toMatchObject([{ minutes: 30 }])
    for (let quarter = 0; quarter < 4; quarter++) {
      yield* check
      yield* pass(15 * minute, sender)
    }
    expect(yield* open).toMatchObject([{ minutes: 60 }])
    expect(offered - again).toBeLessThanOrEqual(2)
  })
)

senderTest(
  "mail that is rejected for the name of its address is sent once that leads there and back",
  Effect.gen(function* () {
    const zone: Zone = { isSigned: true, reverse: "static-9.provider.example" }
    const { check } = yield* makeChecks(zone)
    const { mails, sender } = yield* begin(() =>
      zone.reverse === mailHost
        ? null
        : "550-5.7.25 The IP address sending this message does not have a PTR record."
    )
    yield* check
    expect((yield* open)[0]?.remedy).toBe(
      `Have the network's provider set the PTR record of 192.0.2.9 to ${mailHost}, and let ${mailHost} lead to 192.0.2.9.`
    )
    zone.reverse = mailHost
    yield* check
    expect(yield* open).toEqual([])
    for (let step = 0; step < 6; step++) yield* pass(10_000, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))
  })
)
