/**
 * Tests what people do with single contacts: create, change and erase them, the proof of consent, contact fields
 * (docs/contributing/management-api.md "Contacts").
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { type Contact, type ContactWritten, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

interface AuditEntry {
  readonly action: string
  readonly target: { readonly id: string }
  readonly after: unknown
}

export const managedContactsSuite = (target: () => Target) =>
  describe("contacts written by people", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Managed contacts")
      account = workspace.sandbox
    })
    const add = async (email: string, values: object = {}) =>
      (await account.manage<ContactWritten>("POST", "/contacts", { email, ...values })).value.contact

    it("creates and changes contacts as the public API does, with the source Ui", async () => {
      const consent = { basis: "Subscribed", proof: { text: "Yes", textVersion: "3", locale: "de" } }
      const first = await account.manage<ContactWritten>("POST", "/contacts", {
        email: " Ada@Edited.example ",
        firstName: "Ada",
        consent
      })
      expect([first.status, first.value.created]).toEqual([201, true])
      const { id } = first.value.contact
      expect(first.value.contact).toMatchObject({
        email: "ada@edited.example",
        consentStatus: "Subscribed",
        consentSource: "Ui"
      })
      const again = await account.manage<ContactWritten>("POST", "/contacts", {
        email: "ada@edited.example",
        lastName: "L."
      })
      expect([again.status, again.value.created, again.value.contact.id]).toEqual([200, false, id])
      const changed = await account.manage<Contact>("PATCH", `/contacts/${id}`, {
        email: "ada@new.example",
        firstName: null
      })
      expect(changed.value).toMatchObject({ id, email: "ada@new.example", firstName: null, lastName: "L." })
      expect((await account.manage("GET", `/contacts/${id}`)).value).toEqual(changed.value)
      expect((await account.api("GET", `/contacts/${id}`)).value).toEqual(changed.value)
      const { items } = (await account.manage<Page<AuditEntry>>("GET", `/audit-log?target=${id}`)).value
      expect(items.map(({ action, after }) => [action, after])).toEqual([
        ["contact.changed", { fields: ["email", "firstName", "id"] }],
        ["contact.changed", { fields: ["email", "lastName"] }],
        ["contact.created", { fields: ["email", "firstName", "consent"] }]
      ])
    })

    it("rejects what the public API rejects, and an id of no contact", async () => {
      const [ada, eve] = [await add("a@taken.example"), await add("e@taken.example")]
      const refused = async (path: string, json: unknown) => {
        const answer = await account.manage("PATCH", `/contacts/${path}`, json)
        return [answer.status, answer.codes, answer.fields]
      }
      expect(await refused(eve.id, { email: "a@taken.example" })).toEqual([
        409,
        ["audience.contact_identity_conflict"],
        ["email"]
      ])
      expect(await refused(eve.id, { email: "nothing" })).toEqual([400, ["validation.email"], ["email"]])
      expect(await refused(eve.id, { consent: { basis: "Subscribed" } })).toEqual([
        400,
        ["audience.consent_proof_required"],
        ["consent.proof.text"]
      ])
      // An unknown id never falls back to the address.
      expect(await refused(unknownId, { email: "a@taken.example", city: "x" })).toEqual([
        404,
        ["common.not_found"],
        []
      ])
      expect((await account.manage<Contact>("GET", `/contacts/${ada.id}`)).value.city).toBeNull()
      for (const path of [unknownId, "email:a@taken.example", "x"]) {
        expect((await account.manage("GET", `/contacts/${path}`)).codes).toEqual(["common.not_found"])
        expect((await account.manage("DELETE", `/contacts/${path}`)).codes).toEqual(["common.not_found"])
      }
      expect((await workspace.live.manage("GET", `/contacts/${ada.id}`)).status).toBe(404)
      expect((await account.manage("POST", "/contacts", { city: "x" })).codes).toEqual([
        "audience.contact_email_required"
      ])
    })

    it("erases a contact, and then has no such contact", async () => {
      const { id } = await add("gone@edited.example")
      const erased = await account.manage("DELETE", `/contacts/${id}`)
      expect([erased.status, erased.value]).toEqual([200, { id }])
      for (const [method, json] of [["GET"], ["DELETE"], ["PATCH", { city: "x" }]] as const) {
        expect((await account.manage(method, `/contacts/${id}`, json)).codes).toEqual(["common.not_found"])
      }
      expect((await account.manage("GET", `/contacts/${id}/consent-history/export`)).status).toBe(404)
    })

    it("takes changes of consent and topics only of callers with consent:write", async () => {
      const { id } = await add("rights@edited.example")
      await account.manage("POST", "/topics", { key: "news", name: "News" })
      const token = async (rights: ReadonlyArray<string>) =>
        (
          await manage<{ readonly token: string }>(
            target(),
            "POST",
            `/companies/${workspace.companyId}/tokens`,
            { json: { name: "edits", rights, expiresInDays: null } }
          )
        ).value.token
      const writer = await token(["contacts:write"])
      const both = await token(["contacts:write", "consent:write"])
      const send = (bearer: string, method: string, path: string, json: unknown) =>
        call(target(), method, `/manage/v1/accounts/${account.accountId}/contacts${path}`, {
          token: bearer,
          json
        })
      const consent = { basis: "Unsubscribed" }
      for (const values of [{ consent }, { topics: { news: false } }]) {
        for (const [method, path] of [
          ["PATCH", `/${id}`],
          ["POST", ""]
        ] as const) {
          const denied = await send(writer, method, path, { email: "rights@edited.example", ...values })
          expect([denied.status, denied.codes, denied.envelope?.errors[0]?.details]).toEqual([
            403,
            ["users.right_missing"],
            { right: "consent:write" }
          ])
        }
      }
      expect((await send(writer, "PATCH", `/${id}`, { city: "Wien", consent: null })).status).toBe(200)
      expect((await send(both, "PATCH", `/${id}`, { consent })).status).toBe(200)
    })

    it("lists the topics of a contact, chosen or by default, without archived ones", async () => {
      const { id } = await add("topics@edited.example")
      const topic = { key: "offers_of_the_week", name: "Offers", defaultOn: false }
      const { value: made } = await account.manage<{ readonly id: string }>("POST", "/topics", topic)
      const own = () =>
        account.manage<{ items: ReadonlyArray<{ readonly key: string }> }>("GET", `/contacts/${id}/topics`)
      const found = async () => (await own()).value.items.find(({ key }) => key === topic.key)
      expect(await found()).toEqual({ key: topic.key, name: "Offers", on: false, chosen: false })
      await account.manage("PATCH", `/contacts/${id}`, { topics: { [topic.key]: true } })
      expect(await found()).toEqual({ key: topic.key, name: "Offers", on: true, chosen: true })
      await account.manage("PATCH", `/topics/${made.id}`, { isArchived: true })
      expect(await found()).toBeUndefined()
      await account.manage("DELETE", `/contacts/${id}`)
      expect((await own()).codes).toEqual(["common.not_found"])
    })

    it("hands out the consent history as a document, oldest first", async () => {
      const proof = { text: "I agree", textVersion: "7", locale: "de-AT", ipAddress: "192.0.2.7" }
      const { id } = await add("proof@edited.example", { consent: { basis: "Subscribed", proof } })
      await account.manage("PATCH", `/contacts/${id}`, { consent: { basis: "Unsubscribed" } })
      const answer = await account.manage("GET", `/contacts/${id}/consent-history/export`)
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="consent-${id}.json"`)
      expect(JSON.parse(answer.text)).toMatchObject({
        contactId: id,
        email: "proof@edited.example",
        consentStatus: "Unsubscribed",
        changes: [
          { from: null, to: "Subscribed", basis: "Subscribed", proof, source: "Ui" },
          { from: "Subscribed", to: "Unsubscribed", basis: "Unsubscribed", proof: null, source: "Ui" }
        ]
      })
    })

    it("creates, lists and changes contact fields, and records who did", async () => {
      const made = await account.manage<{ readonly createdFrom: string }>("POST", "/contact-attributes", {
        key: "seat",
        type: "Number"
      })
      expect([made.status, made.value.createdFrom]).toEqual([201, "Ui"])
      const changed = await account.manage("PATCH", "/contact-attributes/seat", {
        archived: true,
        label: "Seat"
      })
      expect(changed.value).toMatchObject({ key: "seat", label: "Seat", createdFrom: "Ui" })
      const all = await account.manage("GET", "/contact-attributes")
      expect(all.value).toEqual((await account.api("GET", "/contact-attributes")).value)
      expect((await account.manage("PATCH", "/contact-attributes/none", {})).codes).toEqual([
        "audience.attribute_not_found"
      ])
      const { items } = (await account.manage<Page<AuditEntry>>("GET", "/audit-log?action=contact_field"))
        .value
      expect(items.map(({ action, target: { id } }) => [action, id])).toEqual([
        ["contact_field.changed", "seat"],
        ["contact_field.created", "seat"]
      ])
    })
  })
