/**
 * Tests of how hosted pages change consent: double opt-in with its proof, unsubscribe, topics (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { managementActor } from "../../../../core/model/Actor.ts"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { Accounts } from "../../../../core/accounts/Accounts.ts"
import { type ConsentStatus, consentStatuses, nextConsent } from "../../../../core/model/Consent.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import { ContactLinks, linkPaths, type LinkPurpose } from "../../../../core/audience/pages/ContactLinks.ts"
import { ContactPages } from "../../../../core/audience/pages/ContactPages.ts"
import { pageTexts } from "../../../../core/audience/pages/PageLanguages.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { TimelineStore } from "../../../../core/ports/TimelineStore.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { unsubscribeCounts } from "../../../../core/sending/standing/LaterCounts.ts"
import { contactEventsWithoutFlows } from "../../../support/contactEvents.ts"
import { installationKeys } from "../../../support/keys.ts"

const keys = installationKeys(new Uint8Array(32).fill(7))

const layer = Layer.mergeAll(Accounts.layer, ContactPages.layer).pipe(
  Layer.provideMerge(ContactLinks.layer),
  Layer.provide(AuditTrail.layer),
  Layer.provide([contactEventsWithoutFlows, unsubscribeCounts]),
  Layer.provideMerge(Ids.layer),
  Layer.provide(Layer.mergeAll(keys, crypto)),
  Layer.provideMerge(Layer.fresh(memory))
)

/** The request of a client that sends no information about itself. */
const unknown = { shownText: null, ipAddress: null }

const firstPage = { page: 1, pageSize: 50 }

/** A contact with a consent status, and the tokens of its links. */
const contactIn = Effect.fnUntraced(function* (consentStatus: ConsentStatus) {
  const { liveAccountId } = yield* (yield* Accounts).createCompany("Acme", managementActor)
  const contact = {
    ...newContact(yield* (yield* Ids).next, "ada@example.org", 0),
    consentStatus
  }
  yield* (yield* ContactStore).write(liveAccountId, {
    inserts: [contact],
    updates: [],
    released: [],
    updatedFields: "Any",
    consents: [],
    contactLimit: null
  })
  const links = yield* (yield* ContactLinks).make({
    accountId: liveAccountId,
    contactId: contact.id,
    email: contact.email
  })
  const token = (purpose: LinkPurpose) => links[purpose].slice(linkPaths[purpose].length + 1)
  return { accountId: liveAccountId, contact, token }
})

const stateOf = Effect.fnUntraced(function* (accountId: string, id: string) {
  const contacts = yield* ContactStore
  const [contact] = yield* contacts.find(accountId, { ids: [id], externalIds: [], emails: [] })
  const history = yield* contacts.consentHistory(accountId, id, firstPage)
  const timeline = yield* (yield* TimelineStore).list(accountId, id, firstPage)
  return { contact: contact!, history: history.items, timeline: timeline.items }
})

describe("ContactPages", () => {
  it.effect("confirms a pending sign-up, with the text of the page as proof", () =>
    Effect.gen(function* () {
      const pages = yield* ContactPages
      const { accountId, contact, token } = yield* contactIn("PendingConfirmation")
      const view = yield* pages.view("confirm", token("confirm"))
      expect(view).toMatchObject({ accountName: "Acme", contact, topics: [] })
      expect((yield* stateOf(accountId, contact.id)).contact).toEqual(contact)
      const confirmation = { shownText: pageTexts("en").confirm.text("Acme"), ipAddress: "192.0.2.7" }
      expect(yield* pages.confirm(token("confirm"), { ...confirmation, shownText: "Other words." })).toBe(
        "Reworded"
      )
      expect((yield* stateOf(accountId, contact.id)).contact).toEqual(contact)
      expect(yield* pages.confirm(token("confirm"), confirmation)).toBe("Done")
      expect(yield* pages.confirm(token("confirm"), confirmation)).toBe("Done")
      const after = yield* stateOf(accountId, contact.id)
      const proof = {
        text: pageTexts("en").confirm.text("Acme"),
        textVersion: "1",
        locale: "en",
        ipAddress: "192.0.2.7"
      }
      expect(after.contact).toMatchObject({
        consentStatus: "Subscribed",
        consentSource: "DoubleOptIn",
        consentProof: proof
      })
      expect(after.history).toMatchObject([
        { from: "PendingConfirmation", to: "Subscribed", basis: "Subscribed", source: "DoubleOptIn", proof }
      ])
      expect(after.timeline).toMatchObject([{ name: "contact.subscribed", source: "Service" }])
    }).pipe(Effect.provide(layer))
  )

  it.effect("changes each status as the consent table specifies, on each page", () =>
    Effect.gen(function* () {
      const pages = yield* ContactPages
      for (const status of consentStatuses) {
        const words = { text: "", textVersion: null, locale: null, ipAddress: null, givenAt: null }
        for (const [act, trigger] of [
          ["confirm", { _tag: "Confirmed", proof: words }],
          ["unsubscribe", { _tag: "Unsubscribed" }],
          ["preferences", { _tag: "Unsubscribed" }]
        ] as const) {
          const { accountId, contact, token } = yield* contactIn(status)
          yield* act === "confirm" ? pages.confirm(token(act), unknown) : pages.unsubscribe(act, token(act))
          const after = yield* stateOf(accountId, contact.id)
          const expected = nextConsent(status, trigger)
          expect([status, act, after.contact.consentStatus]).toEqual([status, act, expected])
          expect(after.history).toHaveLength(expected === status ? 0 : 1)
          expect(after.contact.version).toBe(expected === status ? 1 : 2)
        }
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("confirms nothing, and shows no address, once the contact has another one", () =>
    Effect.gen(function* () {
      const pages = yield* ContactPages
      const { accountId, contact, token } = yield* contactIn("PendingConfirmation")
      const moved = { ...contact, email: "victim@example.org", version: 2 }
      yield* (yield* ContactStore).write(accountId, {
        inserts: [],
        updates: [moved],
        released: [],
        updatedFields: ["email"],
        consents: [],
        contactLimit: null
      })
      expect(yield* pages.view("confirm", token("confirm"))).toBe("Outdated")
      expect(yield* pages.confirm(token("confirm"), unknown)).toBe("Outdated")
      expect((yield* stateOf(accountId, contact.id)).contact).toEqual(moved)
      for (const purpose of ["preferences", "unsubscribe"] as const) {
        expect(yield* pages.view(purpose, token(purpose))).toMatchObject({ email: null })
        expect(yield* pages.unsubscribe(purpose, token(purpose))).toBe("Done")
      }
      expect((yield* stateOf(accountId, contact.id)).contact.consentStatus).toBe("Unsubscribed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects a token of another purpose", () =>
    Effect.gen(function* () {
      const pages = yield* ContactPages
      const { accountId, contact, token } = yield* contactIn("PendingConfirmation")
      expect(yield* pages.view("confirm", token("preferences"))).toBeNull()
      expect(yield* pages.confirm(token("unsubscribe"), unknown)).toBe("Invalid")
      expect(yield* pages.unsubscribe("unsubscribe", token("preferences"))).toBe("Invalid")
      expect(yield* pages.choose(token("confirm"), {})).toBe("Invalid")
      expect((yield* stateOf(accountId, contact.id)).contact).toEqual(contact)
    }).pipe(Effect.provide(layer))
  )
})
