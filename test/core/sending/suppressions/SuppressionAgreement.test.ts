/**
 * A contact that bounced or complained and the suppression list always agree, whatever mail tells, the customer writes,
 * the operator lists, and whoever is erased and comes back.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { InstallationKeys } from "../../../../core/accounts/InstallationKeys.ts"
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
import { returnPathTokens } from "../../../../core/sending/delivery/ReturnPath.ts"
import { type SuppressionKind, suppressionKinds } from "../../../../core/model/Suppression.ts"
import { Suppressions } from "../../../../core/sending/suppressions/Suppressions.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { draftSubmission } from "../../../contract/drafts.ts"
import { newId } from "../../../contract/fixtures.ts"
import { contactEventsWithoutFlows } from "../../../support/contactEvents.ts"

const key = new Uint8Array(32).fill(3)

const world = Layer.mergeAll(
  Layer.provideMerge(Ids.layer, crypto),
  Layer.succeed(InstallationKeys, {
    get: Effect.succeed({ links: key, addresses: key, reports: key, tracking: key, flows: key })
  }),
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
  Layer.provideMerge(AddressHash.layer),
  Layer.provideMerge(world),
  Layer.provideMerge(Layer.fresh(memory))
)

const addresses = ["jane@example.net", "joe@example.net"] as const
const verdicts: ReadonlyArray<string> = ["Bounced", "Complained"]

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

/** What is to be seen of an address. */
interface Seen {
  readonly contact: Pick<Contact, "id" | "consentStatus"> | null
  readonly listed: string | null
  /** What an erased person left. */
  readonly left: string | null
}

/** What a step left that must not be. */
const wrongAfter = (one: Step, before: Seen, after: Seen): ReadonlyArray<string> => {
  const status = after.contact?.consentStatus ?? null
  const isSame = before.contact !== null && before.contact.id === after.contact?.id
  const hasTaken = after.contact !== null && before.contact === null
  const rules: ReadonlyArray<readonly [string, boolean]> = [
    [
      "the list never says another thing of a contact",
      status === null || !verdicts.includes(after.listed ?? "") || after.listed === status
    ],
    [
      "what mail told is never taken back",
      !isSame || !verdicts.includes(before.contact!.consentStatus) || status === before.contact!.consentStatus
    ],
    [
      "what mail tells is listed",
      (one._tag !== "Bounce" && one._tag !== "Complaint") || verdicts.includes(after.listed ?? "")
    ],
    [
      "what is removed is not listed",
      one._tag !== "Remove" || (after.listed ?? after.left) === null || before.listed !== null
    ],
    ["what is added is listed", one._tag !== "Add" || after.listed !== null],
    [
      "an address keeps being listed when its owner is erased",
      one._tag !== "Erase" || before.listed === null || (after.listed ?? after.left) !== null
    ],
    [
      "who takes a listed address is what the list says",
      !hasTaken ||
        ![before.listed, before.left].some((kind) => verdicts.includes(kind ?? "")) ||
        verdicts.includes(status ?? "")
    ],
    [
      "and it stays listed, by itself",
      !hasTaken || (before.listed ?? before.left) === null || after.listed !== null
    ],
    ["what an erased person left is a contact's or nobody's", after.contact === null || after.left === null]
  ]
  return rules.flatMap(([rule, holds]) => (holds ? [] : [rule]))
}

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../fixtures/reports/${name}.eml`), "utf8")

const proof = { text: "Yes, send me the newsletter" }

it.effect("contacts and the suppression list agree, in any order of what happens", () =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const contacts = yield* Contacts
    const erasure = yield* Erasure
    const reports = yield* Reports
    const hashOf = yield* (yield* AddressHash).get
    const paths = returnPathTokens(yield* Crypto, key)

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

    const tell = Effect.fnUntraced(function* (accountId: string, email: string, name: string) {
      // A new email each time: of one a bounce is reported once.
      const sent = draftSubmission(accountId, {}, { email, status: "Delivered" })
      yield* (yield* SubmissionStore).insert(accountId, [sent], [])
      const ref = { accountId, id: sent.deliveries[0]!.id }
      const text = fixture(name)
        .replaceAll("the-token", paths.token(ref))
        .replaceAll("jane@example.net", email)
      yield* reports.take([
        { recipients: [paths.address(ref, "example.com")], raw: new TextEncoder().encode(text) }
      ])
    })

    const act = (accountId: string, one: Step): Effect.Effect<unknown, unknown, SubmissionStore> => {
      const { email } = one
      switch (one._tag) {
        case "Bounce":
          return tell(accountId, email, "postfix-user-unknown")
        case "Complaint":
          return tell(accountId, email, "arf-abuse")
        case "Add":
          return suppressions.add(accountId, email, one.kind, "test")
        case "Remove":
          return suppressions.remove(accountId, email, "test")
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
          return erasure.erase(accountId, `email:${email}`, "test")
      }
    }

    for (const steps of fc.sample(fc.array(step, { minLength: 1, maxLength: 12 }), 400)) {
      const accountId = newId()
      for (const one of steps) {
        const before = yield* Effect.forEach(addresses, (email) => see(accountId, email))
        // A refusal, such as of an address that is another's, changes nothing.
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
