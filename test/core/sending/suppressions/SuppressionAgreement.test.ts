/**
 * Tests that a bounced or complained contact and the suppression list always agree, after any sequence of reports, contact
 * writes, changes of the list, and erasures of people who return.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { managementActor } from "../../../../core/model/Actor.ts"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { SuppressedAddresses } from "../../../../core/audience/contacts/SuppressedAddresses.ts"
import { ConsentUpdates } from "../../../../core/audience/contacts/ConsentUpdates.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { AddressHash } from "../../../../core/audience/contacts/AddressHash.ts"
import type { Contact } from "../../../../core/model/Contact.ts"
import { Contacts } from "../../../../core/audience/contacts/Contacts.ts"
import { Erasure } from "../../../../core/privacy/Erasure.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { EmailEvents } from "../../../../core/sending/fanout/EmailEvents.ts"
import { Reports } from "../../../../core/sending/reports/Reports.ts"
import { plainComposer } from "../../../support/fakeTransport.ts"
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { type SuppressionKind, suppressionKinds } from "../../../../core/model/Suppression.ts"
import { Suppressions } from "../../../../core/sending/suppressions/Suppressions.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { draftSubmission } from "../../../contract/drafts.ts"
import { newId } from "../../../contract/fixtures.ts"
import { contactEventsWithoutFlows } from "../../../support/contactEvents.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(3)

const environment = Layer.mergeAll(
  Layer.provideMerge(Ids.layer, crypto),
  installationKeys(key),
  Layer.succeed(PublicEndpoint, {
    baseUrl: () => "https://mail.example",
    mailHost: "mail.example",
    takesReports: true
  }),
  Layer.succeed(EmailEvents, { record: () => Effect.void })
)

const services = Layer.mergeAll(Reports.layer, Suppressions.layer, Contacts.layer, Erasure.layer).pipe(
  Layer.provide([
    AuditTrail.layer,
    ConsentUpdates.layer,
    SuppressedAddresses.layer,
    contactEventsWithoutFlows
  ]),
  Layer.provide(plainComposer),
  Layer.provideMerge(AddressHash.layer),
  Layer.provideMerge(environment),
  Layer.provideMerge(Layer.fresh(memory))
)

const addresses = ["jane@example.net", "joe@example.net"] as const
const reportKinds: ReadonlyArray<string> = ["Bounced", "Complained"]

type Step = { readonly email: (typeof addresses)[number] } & (
  | { readonly _tag: "Bounce" | "Complaint" | "Remove" | "Write" | "Subscribe" | "Move" | "Erase" }
  | { readonly _tag: "Add"; readonly kind: SuppressionKind }
)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    email: fc.constantFrom(...addresses),
    _tag: fc.constantFrom("Bounce", "Complaint", "Remove", "Write", "Subscribe", "Move", "Erase")
  }),
  fc.record({
    email: fc.constantFrom(...addresses),
    _tag: fc.constant("Add" as const),
    kind: fc.constantFrom(...suppressionKinds)
  })
)

/** The visible state of an address. */
interface Seen {
  readonly contact: Pick<Contact, "id" | "consentStatus"> | null
  readonly listed: string | null
  /** The kind of the entry under the keyed hash of an erased person. */
  readonly left: string | null
}

/** The rules violated by a step. */
const wrongAfter = (one: Step, before: Seen, after: Seen): ReadonlyArray<string> => {
  const status = after.contact?.consentStatus ?? null
  const isUnchanged = before.contact !== null && before.contact.id === after.contact?.id
  const hasTaken = after.contact !== null && before.contact === null
  const rules: ReadonlyArray<readonly [string, boolean]> = [
    [
      "the list never differs from a contact",
      status === null || !reportKinds.includes(after.listed ?? "") || after.listed === status
    ],
    [
      "a bounce or complaint is never undone",
      !isUnchanged ||
        !reportKinds.includes(before.contact!.consentStatus) ||
        status === before.contact!.consentStatus
    ],
    [
      "a bounce or complaint is listed",
      (one._tag !== "Bounce" && one._tag !== "Complaint") || reportKinds.includes(after.listed ?? "")
    ],
    [
      "a removed address is not listed",
      one._tag !== "Remove" || (after.listed ?? after.left) === null || before.listed !== null
    ],
    ["an added address is listed", one._tag !== "Add" || after.listed !== null],
    [
      "an address stays listed when its owner is erased",
      one._tag !== "Erase" || before.listed === null || (after.listed ?? after.left) !== null
    ],
    [
      "a contact that takes a listed address gets the state of the list",
      !hasTaken ||
        ![before.listed, before.left].some((kind) => reportKinds.includes(kind ?? "")) ||
        reportKinds.includes(status ?? "")
    ],
    [
      "and the address stays listed, under itself",
      !hasTaken || (before.listed ?? before.left) === null || after.listed !== null
    ],
    ["no entry under a hash remains beside a contact", after.contact === null || after.left === null]
  ]
  return rules.flatMap(([rule, holds]) => (holds ? [] : [rule]))
}

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../fixtures/reports/${name}.eml`), "utf8")

const proof = { text: "Yes, send me the newsletter" }

it.effect("contacts and the suppression list agree after any order of changes", () =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const contacts = yield* Contacts
    const erasure = yield* Erasure
    const reports = yield* Reports
    const hashOf = yield* (yield* AddressHash).get
    const paths = returnPathTokens(yield* Crypto, ringOf(key))

    const see = Effect.fnUntraced(function* (accountId: string, email: string) {
      const [contact] = yield* (yield* ContactStore).find(accountId, {
        ids: [],
        externalIds: [],
        emails: [email]
      })
      const hash = hashOf(accountId, email)
      const entries = yield* (yield* SuppressionStore).find([
        { accountId, email },
        { accountId, email: hash }
      ])
      const kindOf = (name: string) => entries.find((entry) => entry.email === name)?.kind ?? null
      return { contact: contact ?? null, listed: kindOf(email), left: kindOf(hash) }
    })

    const report = Effect.fnUntraced(function* (accountId: string, email: string, name: string) {
      // A new email each time, because a repeated report about an email has no effect.
      const sent = draftSubmission(accountId, {}, { email, status: "Delivered" })
      yield* (yield* SubmissionStore).insert(accountId, [sent], [])
      const ref = { accountId, id: sent.deliveries[0]!.id }
      const text = fixture(name)
        .replaceAll("the-token@example.com", paths.messageId(ref, "example.com"))
        .replaceAll("jane@example.net", email)
      yield* reports.take([
        { recipients: [paths.address(ref, "example.com")], raw: new TextEncoder().encode(text) }
      ])
    })

    const act = (accountId: string, one: Step): Effect.Effect<unknown, unknown, SubmissionStore> => {
      const { email } = one
      switch (one._tag) {
        case "Bounce":
          return report(accountId, email, "postfix-user-unknown")
        case "Complaint":
          return report(accountId, email, "arf-abuse")
        case "Add":
          return suppressions.add(accountId, email, one.kind, managementActor)
        case "Remove":
          return suppressions.remove(accountId, email, managementActor)
        case "Write":
          return contacts.write(accountId, { email })
        case "Subscribe":
          return contacts.writeMany(
            accountId,
            [Result.succeed({ email, firstName: "Jane", consent: { basis: "Subscribed", proof } })],
            "Api"
          )
        case "Move":
          return contacts.write(accountId, { externalId: "mover", email })
        case "Erase":
          return erasure.erase(accountId, `email:${email}`, managementActor)
      }
    }

    for (const steps of fc.sample(fc.array(step, { minLength: 1, maxLength: 12 }), 400)) {
      const accountId = newId()
      for (const one of steps) {
        const before = yield* Effect.forEach(addresses, (email) => see(accountId, email))
        // A rejected step, such as one that would give the contact another contact's address, changes nothing.
        yield* Effect.ignore(act(accountId, one))
        for (const [index, email] of addresses.entries()) {
          const after = yield* see(accountId, email)
          const acted: Step = email === one.email ? one : { email, _tag: "Write" }
          expect({ steps, one, after, wrong: wrongAfter(acted, before[index]!, after) }).toMatchObject({
            wrong: []
          })
        }
      }
    }
  }).pipe(Effect.provide(services))
)
