/**
 * Tests of the effects of receiving servers' reports on deliveries, the suppression list, consent and email events. Only proven
 * reports have effects, and each only once.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { generateKeyPairSync } from "node:crypto"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as secretBox } from "../../../../adapters/crypto/SecretBox.ts"
import { layer as composer } from "../../../../adapters/mail/MessageComposer.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { ConsentUpdates } from "../../../../core/audience/contacts/ConsentUpdates.ts"
import { type DkimKey, dkimPurpose, newDomain, signingKeys } from "../../../../core/model/Domain.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import { draftAttempt } from "../../../contract/AttemptStore.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { MessageComposer } from "../../../../core/ports/MessageComposer.ts"
import { SecretBox } from "../../../../core/ports/SecretBox.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import type { RecipientReport } from "../../../../core/sending/reports/DeliveryReport.ts"
import { canMove, type DeliveryStatus, deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import type { EmailEvent } from "../../../../core/model/EmailEvent.ts"
import { EmailEvents } from "../../../../core/sending/fanout/EmailEvents.ts"
import { arrivalOf, findingOf } from "../../../../core/sending/reports/ReportRules.ts"
import { Reports, StillHandingOver } from "../../../../core/sending/reports/Reports.ts"
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { draftSubmission } from "../../../contract/drafts.ts"
import { plainDraft } from "../../../contract/MessageComposer.ts"
import { newId } from "../../../contract/fixtures.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(3)

const keys = installationKeys(key)

const publicEndpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://mail.example",
  mailHost: "mail.example",
  takesReports: true
})

/** The email events recorded. */
class RecordedEvents extends Context.Service<RecordedEvents, Array<EmailEvent>>()("test/RecordedEvents") {}

const recordedEvents = Layer.sync(RecordedEvents, (): Array<EmailEvent> => [])

const events = Layer.effect(
  EmailEvents,
  Effect.map(RecordedEvents, (list) =>
    EmailEvents.of({
      record: (added) => Effect.sync(() => void list.push(...added))
    })
  )
)

const services = Reports.layer.pipe(
  Layer.provideMerge(events),
  Layer.provide(ConsentUpdates.layer),
  Layer.provideMerge(Layer.mergeAll(recordedEvents, Ids.layer)),
  Layer.provideMerge(composer),
  Layer.provideMerge(
    Layer.mergeAll(Layer.fresh(memory), crypto, keys, publicEndpoint, secretBox(new Uint8Array(32).fill(7)))
  )
)

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../fixtures/reports/${name}.eml`), "utf8")

const email = "jane@example.net"

const keyPairs = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed25519: generateKeyPairSync("ed25519")
}

/** A sending domain with one key of each algorithm. */
const addDomain = Effect.fnUntraced(function* (accountId: string, name: string) {
  const { seal } = yield* SecretBox
  const dkimKeys = yield* Effect.forEach(["rsa", "ed25519"] as const, (algorithm) => {
    const { privateKey, publicKey } = keyPairs[algorithm]
    const selector = `s-${algorithm}`
    const spki = publicKey.export({ type: "spki", format: "der" })
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string
    return Effect.map(seal(pem, dkimPurpose({ domain: name, selector })), (sealedKey): DkimKey => ({
      selector,
      algorithm,
      publicKey: (algorithm === "rsa" ? spki : spki.subarray(-32)).toString("base64"),
      sealedKey,
      state: "Active",
      createdAt: 0,
      retiredAt: null
    }))
  })
  const domain = {
    ...newDomain({ id: newId(), accountId, domain: name, createdAt: 0 }, true),
    keys: dkimKeys
  }
  yield* (yield* DomainStore).insert(domain)
  return domain
})

/** The header of a message as it is sent from a domain, with LF line ends. */
const sentHeader = Effect.fnUntraced(function* (
  domain: Effect.Success<ReturnType<typeof addDomain>>,
  messageId: string
) {
  const draft = { ...plainDraft, messageId, signWith: signingKeys(domain) }
  const [raw] = yield* (yield* MessageComposer).compose([draft])
  return Buffer.from(raw!).toString("utf8").split("\r\n\r\n")[0]!.replaceAll("\r\n", "\n")
})

/** A complaint that quotes those headers without the body. */
const complaintAbout = (...headers: ReadonlyArray<string>): Uint8Array => {
  const [before = "", after = ""] = fixture("arf-headers-only").split(
    /Return-Path: <bounce-address[^]*?(?=\n\n--part1)/
  )
  const delimiter = "\n\n--part1_13d.2e68ed54_boundary\nContent-Type: text/rfc822-headers\n\n"
  return new TextEncoder().encode(before + headers.join(delimiter) + after)
}

/** An account with a contact and a delivery to it in a state. */
const setUp = Effect.fnUntraced(function* (status: DeliveryStatus) {
  const accountId = newId()
  const submission = draftSubmission(accountId, {}, { email, status })
  yield* (yield* SubmissionStore).insert(accountId, [submission], [])
  yield* (yield* ContactStore).write(accountId, {
    inserts: [newContact(newId(), email, 0)],
    updates: [],
    released: [],
    updatedFields: "Any",
    consents: [],
    contactLimit: null
  })
  const ref = { accountId, id: submission.deliveries[0]!.id }
  const paths = returnPathTokens(yield* Crypto, ringOf(key))
  const recipient = paths.address(ref, "example.com")
  const reports = yield* Reports
  const list = yield* RecordedEvents
  return {
    accountId,
    paths,
    ref,
    recipient,
    /** Sends a fixture to an address. The message it quotes has the delivery's return path, or the given one. */
    report: (name: string, to = recipient, quotedPath?: string) =>
      reports.take([
        {
          recipients: [to],
          raw: new TextEncoder().encode(
            fixture(name)
              .replaceAll("the-token@example.com", paths.messageId(ref, "example.com"))
              .replaceAll("bounce-address@bounces.example.com", quotedPath ?? recipient)
          )
        }
      ]),
    /** The observable state of the delivery and its contact. */
    state: Effect.gen(function* () {
      const [delivery] = yield* (yield* SubmissionStore).deliveries([ref])
      const [entry] = yield* (yield* SuppressionStore).find([{ accountId, email }])
      const contacts = yield* (yield* ContactStore).find(accountId, {
        ids: [],
        externalIds: [],
        emails: [email]
      })
      return {
        status: delivery!.status,
        reason: delivery!.reason,
        listed: entry?.kind ?? null,
        consent: contacts[0]!.consentStatus,
        events: list.filter((event) => event.accountId === accountId).map((event) => event.type)
      }
    })
  }
})

const untouched = (status: DeliveryStatus) => ({
  status,
  reason: null,
  listed: null,
  consent: "Unknown",
  events: []
})

const bounced = {
  status: "Bounced",
  reason: null,
  listed: "Bounced",
  consent: "Bounced",
  events: ["email.bounced"]
}

describe("a proven report", () => {
  it.effect("moves its delivery by the table of decisions 5, and has no effect when repeated", () =>
    Effect.gen(function* () {
      const failed = (status: string, reason: string) => ({ ...untouched("Failed"), status, reason })
      const delivered = { ...untouched("Delivered"), events: ["email.delivered"] }
      const cases: ReadonlyArray<readonly [DeliveryStatus, string, object]> = [
        ["Accepted", "postfix-user-unknown", bounced],
        ["Sent", "office365-recipient-not-found", bounced],
        ["Delivered", "exim-text-unknown", bounced],
        ["Accepted", "postfix-blocklist", failed("Failed", "sending.refused")],
        ["Sent", "qmail-message-refused", failed("Failed", "sending.refused")],
        ["Accepted", "postfix-expired", failed("Failed", "sending.retries_exhausted")],
        ["Sent", "postfix-mailbox-full", failed("Failed", "sending.mailbox_full")],
        ["Delivered", "postfix-blocklist", untouched("Delivered")],
        ["Accepted", "postfix-success", delivered],
        ["Sent", "postfix-expanded", delivered],
        ["Accepted", "postfix-delayed", untouched("Accepted")],
        ["Accepted", "postfix-relayed", untouched("Accepted")],
        ["Accepted", "alias-one-failed", untouched("Accepted")],
        ["Accepted", "alias-all-failed", failed("Failed", "sending.mailbox_full")],
        ["Accepted", "vacation", untouched("Accepted")],
        ["Queued", "postfix-user-unknown", untouched("Queued")],
        ["Unknown", "postfix-user-unknown", bounced],
        ["Unknown", "postfix-success", { ...delivered, events: ["email.sent", "email.delivered"] }],
        ["Unknown", "postfix-mailbox-full", failed("Failed", "sending.mailbox_full")],
        ["Unknown", "postfix-delayed", untouched("Unknown")],
        ["Failed", "postfix-user-unknown", untouched("Failed")]
      ]
      for (const [status, name, expected] of cases) {
        const { report, state } = yield* setUp(status)
        for (const time of ["once", "again"]) {
          yield* report(name)
          const about = `${status} ${name} ${time}`
          expect({ about, ...(yield* state) }).toEqual({ about, ...expected })
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("of a complaint suppresses the address, by the return path alone", () =>
    Effect.gen(function* () {
      const complained = (status: string) => ({
        status,
        reason: null,
        listed: "Complained",
        consent: "Complained",
        events: ["email.complained"]
      })
      for (const status of ["Accepted", "Sent", "Delivered", "Unknown"] as const) {
        for (const name of ["arf-abuse", "arf-headers-only", "arf-opt-out", "outlook-complaint"]) {
          const { report, state } = yield* setUp(status)
          yield* report(name, "abuse@mail.example")
          const about = `${status} ${name}`
          expect({ about, ...(yield* state) }).toEqual({ about, ...complained(status) })
        }
      }
      const { report, state } = yield* setUp("Delivered")
      for (const name of ["arf-not-spam", "arf-auth-failure", "forwarded-message"]) {
        yield* report(name, "abuse@mail.example")
        expect({ name, ...(yield* state) }).toEqual({ name, ...untouched("Delivered") })
      }
      const unsent = yield* setUp("Queued")
      yield* unsent.report("arf-abuse", "abuse@mail.example")
      expect(yield* unsent.state).toEqual(untouched("Queued"))
    }).pipe(Effect.provide(services))
  )

  it.effect("counts for the source that its message left from", () =>
    Effect.gen(function* () {
      const sources = yield* SourceStore
      const id = newId()
      const source = { name: null, pool: "default", mode: "Active", isForced: true, reverse: null } as const
      yield* sources.insert({ ...source, id, address: "192.0.2.7", warmUp: null, createdAt: 0 })
      for (const [name, host, from] of [
        ["arf-abuse", "mta5.am0.yahoodns.net [192.0.2.9]", "192.0.2.7"],
        ["postfix-user-unknown", "mta5.am0.yahoodns.net [192.0.2.9]", "192.0.2.7"],
        ["arf-abuse", "mx.example.org [192.0.2.9]", "192.0.2.7"],
        ["arf-abuse", "mx.example.org [192.0.2.9]", null]
      ] as const) {
        const { ref, report } = yield* setUp("Delivered")
        yield* (yield* AttemptStore).put([
          draftAttempt(ref.accountId, ref.id, 1, { outcome: "Delivered", host, source: from })
        ])
        yield* name === "arf-abuse" ? report(name, "abuse@mail.example") : report(name)
      }
      const days = yield* sources.daysSince("1970-01-01", ["yahoo", "other"])
      expect(days.map(({ bounced: count, bucket, complained }) => [bucket, complained, count])).toEqual([
        ["yahoo", 1, 1],
        ["other", 1, 0]
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("is postponed while its delivery is being transmitted", () =>
    Effect.gen(function* () {
      const { report, state } = yield* setUp("HandingOff")
      expect(yield* Effect.flip(report("postfix-user-unknown"))).toBeInstanceOf(StillHandingOver)
      expect(yield* state).toEqual(untouched("HandingOff"))
    }).pipe(Effect.provide(services))
  )

  it.effect("gives customers the reason", () =>
    Effect.gen(function* () {
      const { accountId, report } = yield* setUp("Accepted")
      yield* report("postfix-user-unknown")
      const event = (yield* RecordedEvents).find((one) => one.accountId === accountId)
      expect(event).toMatchObject({ email, type: "email.bounced", reason: expect.stringContaining("5.1.1") })
    }).pipe(Effect.provide(services))
  )
})

describe("a complaint with a copy of the message", () => {
  const complained = {
    status: "Delivered",
    reason: null,
    listed: "Complained",
    consent: "Complained",
    events: ["email.complained"]
  }

  const take = Effect.fnUntraced(function* (...headers: ReadonlyArray<string>) {
    yield* (yield* Reports).take([{ recipients: ["fbl@mail.example"], raw: complaintAbout(...headers) }])
  })

  it.effect("suppresses the address when our signature verifies over its header", () =>
    Effect.gen(function* () {
      const store = yield* DomainStore
      for (const state of ["Active", "Retired"] as const) {
        for (const change of [
          (header: string) => header,
          // Changes that servers on the way make to a header.
          (header: string) => `Received: from a by b\nReturn-Path: <x@y.example>\n${header}`,
          (header: string) => header.replaceAll(/\n[ \t]+/g, "\n        "),
          (header: string) => header.replace("Subject:", "SUBJECT :"),
          // One of the two signatures is enough.
          (header: string) => header.replace(/DKIM-Signature:(?:.*\n[ \t])*.*\n/, "")
        ]) {
          const { accountId, paths, ref, state: seen } = yield* setUp("Delivered")
          const domain = yield* addDomain(accountId, "example.com")
          const header = yield* sentHeader(domain, paths.messageId(ref, "example.com"))
          yield* store.save([{ ...domain, keys: domain.keys.map((each) => ({ ...each, state })) }])
          yield* take(change(header))
          expect(yield* seen).toEqual(complained)
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "of an earlier version, whose Message-ID had the token of the return path, counts when it is signed",
    () =>
      Effect.gen(function* () {
        const { accountId, paths, ref, state } = yield* setUp("Delivered")
        const domain = yield* addDomain(accountId, "example.com")
        yield* take(`Message-ID: <${paths.token(ref)}@example.com>\nFrom: shop@example.com`)
        expect(yield* state).toEqual(untouched("Delivered"))
        yield* take(yield* sentHeader(domain, `${paths.token(ref)}@example.com`))
        expect(yield* state).toEqual(complained)
      }).pipe(Effect.provide(services))
  )

  it.effect("has no effect when it is forged", () =>
    Effect.gen(function* () {
      const victim = yield* setUp("Delivered")
      const messageId = victim.paths.messageId(victim.ref, "example.com")
      const domain = yield* addDomain(victim.accountId, "example.com")
      const header = yield* sentHeader(domain, messageId)
      // Another email of the same account, which the forger could have received.
      const sibling = yield* sentHeader(domain, "sibling@example.com")
      const shown = `Message-ID: <${messageId}>\n`
      // The forger receives emails of the same installation, and has a domain with its own keys.
      const forger = yield* setUp("Delivered")
      const forgers = yield* addDomain(forger.accountId, "example.com")
      const own = yield* sentHeader(forgers, forger.paths.messageId(forger.ref, "example.com"))
      const otherName = yield* sentHeader(yield* addDomain(forger.accountId, "other.example"), messageId)
      const unsigned = header.replaceAll(/DKIM-Signature:(?:.*\n[ \t])*.*\n/g, "")
      expect(unsigned).not.toContain("DKIM")
      const forged = [
        unsigned,
        `Message-ID: <${messageId}>`,
        `In-Reply-To: <${messageId}>`,
        header.replace(/^Subject: .*$/m, "Subject: Other"),
        header.replace(/^To: .*$/m, "To: someone@example.org"),
        header.replaceAll(/b=\n (.)/g, (_, first) => `b=\n ${first === "A" ? "B" : "A"}`),
        header.replaceAll("s=s-", "s=t-"),
        header.replaceAll(/^( ?h=|.* h=)/gm, "$1x:"),
        // A second Message-ID next to the signed one, before or after it.
        `Message-ID: <${messageId}>\n${own}`,
        `${own}\nMessage-ID: <${messageId}>`,
        own.replace(/^Message-ID:\s+<[^>]*>/m, `Message-ID: <${messageId}>`),
        shown + sibling,
        sibling.replace(/\n?$/, `\n${shown}`),
        // The signed Message-ID is written so that readers skip it.
        shown + sibling.replace("Message-ID:", "Message-ID\f:"),
        shown + sibling.replace("Message-ID:", "\vMessage-ID:"),
        shown + sibling.replace("Message-ID:", `Message-ID:${"\n ".repeat(9_000)}`),
        shown + "X-A: 1\n".repeat(600) + sibling,
        otherName
      ]
      for (const [index, one] of forged.entries()) {
        yield* take(one)
        expect({ index, ...(yield* victim.state) }).toEqual({ index, ...untouched("Delivered") })
      }
      // A person complains about only one email.
      yield* take(header, own)
      expect([yield* victim.state, yield* forger.state]).toEqual([
        untouched("Delivered"),
        untouched("Delivered")
      ])
      yield* take(header)
      expect(yield* victim.state).toEqual(complained)
    }).pipe(Effect.provide(services))
  )
})

describe("a report that proves nothing", () => {
  it.effect("has no effect where it knows the Message-ID alone", () =>
    Effect.gen(function* () {
      const { accepts } = yield* Reports
      const { paths, ref, report, state } = yield* setUp("Accepted")
      const shown = paths.messageId(ref, "example.com")
      const toShown = paths.messageId(ref, "bounces.example.com")
      for (const address of [shown, toShown]) expect(yield* accepts(address)).toBe(false)
      for (const to of [shown, toShown, "abuse@mail.example", "fbl@bounces.example.com"]) {
        for (const name of ["postfix-user-unknown", "arf-abuse", "arf-headers-only", "outlook-complaint"]) {
          yield* report(name, to, "someone@example.org")
          expect({ to, name, ...(yield* state) }).toEqual({ to, name, ...untouched("Accepted") })
        }
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("has no effect", () =>
    Effect.gen(function* () {
      const { paths, recipient, ref, report, state } = yield* setUp("Accepted")
      const other = returnPathTokens(yield* Crypto, ringOf(new Uint8Array(32))).address(ref, "example.com")
      const missing = paths.address({ ...ref, id: newId() }, "example.com")
      const stranger = paths.address({ ...ref, accountId: newId() }, "example.com")
      const changed = (recipient[9] === "a" ? "b" : "a") + recipient.slice(10)
      for (const to of [
        other,
        missing,
        stranger,
        recipient.slice(0, 9) + changed,
        "postmaster@mail.example"
      ]) {
        yield* report("postfix-user-unknown", to)
        expect(yield* state).toEqual(untouched("Accepted"))
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("is not accepted, except at the operator's addresses", () =>
    Effect.gen(function* () {
      const { accepts } = yield* Reports
      const { recipient } = yield* setUp("Accepted")
      const yes = [
        recipient.toUpperCase(),
        "abuse@mail.example",
        "Postmaster@MAIL.example",
        "fbl@bounces.a.example"
      ]
      for (const address of yes) expect([address, yield* accepts(address)]).toEqual([address, true])
      const no = [
        "abuse@other.example",
        "info@mail.example",
        "abuse",
        "",
        "@",
        `x${recipient}`,
        "@mail.example"
      ]
      for (const address of no) expect([address, yield* accepts(address)]).toEqual([address, false])
    }).pipe(Effect.provide(services))
  )
})

describe("the rules of reports", () => {
  const outcomes = ["Bounced", "MailboxFull", "Refused", "Deferred", "Delivered", "Delayed"] as const

  it("make only listed moves, and none of a delivery that is being transmitted", () => {
    for (const status of deliveryStatuses) {
      for (const outcome of outcomes) {
        const arrival = arrivalOf({ status, reason: null }, outcome)
        if (arrival !== null) expect(canMove(status, arrival.to)).toBe(true)
        if (status === "HandingOff") expect(arrival).toBeNull()
      }
    }
  })

  it("suppress only when every address behind the recipient was rejected", () => {
    const address = fc.constantFrom("a@example.net", "b@example.net", "c@example.net", null)
    const report: fc.Arbitrary<RecipientReport> = fc.record({
      recipient: address,
      original: address,
      outcome: fc.constantFrom(...outcomes),
      reason: fc.constant(null)
    })
    fc.assert(
      fc.property(fc.array(report, { maxLength: 5 }), (reports) => {
        const named = reports.filter((one) => [one.recipient, one.original].includes("a@example.net"))
        const counted = named.length > 0 ? named : reports
        const outcome = findingOf("a@example.net", reports)?.outcome
        expect(outcome === "Bounced").toBe(
          counted.length > 0 && counted.every((one) => one.outcome === "Bounced")
        )
        expect(outcome === "Delivered").toBe(
          counted.length > 0 && counted.every((one) => one.outcome === "Delivered")
        )
      })
    )
  })
})
