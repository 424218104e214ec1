/**
 * Tests POST /contacts and GET /contacts/{reference} (docs/contributing/public-api.md "Contacts", docs/contributing/decisions.md
 * 2 and 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { type Contact, type ContactWritten, dateTimePattern, idPattern } from "../../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

/** A contact created with only an email address. */
const bareContact = {
  storeId: null,
  firstName: null,
  lastName: null,
  phone: null,
  city: null,
  countryCode: null,
  language: null,
  consentStatus: "Unknown",
  isPayingCustomer: false,
  orderCount: 0,
  totalSpent: 0,
  lastOrderAt: null,
  sourceCreatedAt: null,
  lastSyncedAt: null,
  consentUpdatedAt: null,
  lastOpenAt: null,
  lastClickAt: null,
  lastEmailedAt: null,
  lastConversionAt: null,
  fromOrders: false,
  consentSource: null,
  storeConsentMode: null,
  marketingDeclared: false,
  tags: null,
  attributes: {}
}

export const contactsSuite = (target: () => Target) =>
  describe("contacts", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Contacts")).sandbox
    })
    const freshEmail = () => `person${++serial}@contacts.example`
    const write = (json: unknown) => account.api<ContactWritten>("POST", "/contacts", json)
    const written = async (json: unknown) => (await write(json)).value.contact
    const read = (reference: string) =>
      account.api<Contact>("GET", `/contacts/${encodeURIComponent(reference)}`)

    it("return exactly the fields of the read shape", async () => {
      const answer = await write({ email: "shape@contacts.example" })
      expect(answer.status).toBe(201)
      const { contact, created } = answer.value
      expect(created).toBe(true)
      const { addedAt, id, ...rest } = contact
      expect(rest).toEqual({ ...bareContact, email: "shape@contacts.example" })
      expect(id).toMatch(idPattern)
      expect(addedAt).toMatch(dateTimePattern)
      expect(Math.abs(Date.parse(addedAt) - target().now())).toBeLessThan(60_000)
      expect((await read(id)).value).toEqual(contact)
    })

    it("store what a write sets", async () => {
      const profile = {
        firstName: "Ada",
        lastName: "Łovelace",
        phone: "+44 (0) 20 1234",
        city: "Zürich",
        countryCode: "CH",
        language: "de-CH"
      }
      expect(await written({ email: freshEmail(), ...profile })).toMatchObject(profile)
    })

    it("trim strings and normalize addresses", async () => {
      expect(
        await written({ email: "  Upper@BÜCHER.example ", firstName: "  Ada  ", city: "\tParis\n" })
      ).toMatchObject({ email: "upper@xn--bcher-kva.example", firstName: "Ada", city: "Paris" })
      expect((await write({ email: "UPPER@bücher.EXAMPLE" })).value.created).toBe(false)
    })

    it("update what is given and keep what is omitted", async () => {
      const email = freshEmail()
      const first = await written({ email, firstName: "Ada", city: "London" })
      const answer = await write({ email, city: "Paris" })
      expect(answer.status).toBe(200)
      expect(answer.value.created).toBe(false)
      expect(answer.value.contact).toEqual({ ...first, city: "Paris" })
    })

    it("change nothing when a call is repeated", async () => {
      const body = {
        externalId: `again-${++serial}`,
        email: freshEmail(),
        firstName: "Ada",
        consent: { basis: "Subscribed", proof: { text: "Yes.", givenAt: "2024-05-01T10:00:00+02:00" } }
      }
      const first = await write(body)
      const second = await write(body)
      expect([first.status, second.status]).toEqual([201, 200])
      expect(second.value).toEqual({ contact: first.value.contact, created: false })
      const history = `/contacts/${first.value.contact.id}/consent-history`
      expect((await account.manage<{ totalCount: number }>("GET", history)).value.totalCount).toBe(1)
    })

    it("reject unknown attributes and topics by name, and ignore an unknown attribute's null", async () => {
      const email = freshEmail()
      const attribute = await write({ email, attributes: { plan: "pro", seats: 3, gone: null } })
      expect(attribute.status).toBe(400)
      expect(attribute.codes).toEqual(["audience.attribute_unknown", "audience.attribute_unknown"])
      expect(attribute.fields).toEqual(["attributes.plan", "attributes.seats"])
      const topic = await write({ email, topics: { news: true } })
      expect(topic.status).toBe(400)
      expect(topic.codes).toEqual(["topics.not_found"])
      expect(topic.fields).toEqual(["topics.news"])
      expect((await read(`email:${email}`)).status).toBe(404)
      expect((await write({ email, attributes: { gone: null } })).status).toBe(201)
    })

    it("are not created beyond the contact limit, but are still updated", async () => {
      const { sandbox } = await openWorkspace(target(), "Plan")
      await sandbox.manage("PATCH", "/settings", { contactLimit: 3 })
      const people = Array.from({ length: 10 }, (_, index) => ({ email: `plan${index}@contacts.example` }))
      const answers = await Promise.all(
        people.map((person) => sandbox.api<ContactWritten>("POST", "/contacts", person))
      )
      const made = answers.filter((answer) => answer.status === 201)
      expect(made).toHaveLength(3)
      for (const answer of answers.filter((entry) => entry.status !== 201)) {
        expect(answer.codes).toEqual(["audience.contact_limit_reached"])
      }
      const { email } = made[0]!.value.contact
      expect((await sandbox.api("POST", "/contacts", { email, city: "Rome" })).status).toBe(200)
      await sandbox.manage("PATCH", "/settings", { contactLimit: null })
      expect((await sandbox.api("POST", "/contacts", { email: "more@contacts.example" })).status).toBe(201)
    })

    it.each([
      ["email", "plain", "validation.email"],
      ["email", "a@b@c.example", "validation.email"],
      ["email", "a b@c.example", "validation.email"],
      ["email", "@c.example", "validation.email"],
      ["email", "a@", "validation.email"],
      ["email", "a@-c.example", "validation.email"],
      ["email", "a..b@c.example", "validation.email"],
      ["email", "a@c.example\nbcc: x@y.example", "validation.email"],
      ["email", `${"a".repeat(64)}@${"b.".repeat(95)}example`, "validation.email"],
      ["email", "Ada <a@c.example>", "validation.email"],
      ["email", "a,b@c.example", "validation.email"],
      ["email", "a@c.example\u0000", "validation.email"],
      ["email", "a@c.exämple\u0001", "validation.email"],
      ["email", "a@\tc.example", "validation.email"],
      ["phone", "1".repeat(41), "validation.max_length"],
      ["countryCode", "XX", "validation.format"],
      ["countryCode", "DEU", "validation.format"],
      ["language", "not a language", "validation.format"],
      ["language", "de_DE", "validation.format"],
      ["id", "17", "validation.format"]
    ])("reject %s %j", async (field, value, code) => {
      const answer = await write({ email: freshEmail(), [field]: value })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual([code])
      expect(answer.fields).toEqual([field])
    })

    it.each([
      "a+tag@c.example",
      "o'neil@c.example",
      '"quoted local"@c.example',
      "用户@例え.example",
      "a@b.museum"
    ])("accept the address %s", async (email) => {
      const contact = await written({ email })
      expect((await read(`email:${email}`)).value.id).toBe(contact.id)
    })

    it("are found by each form of reference", async () => {
      const email = "Ref+1@contacts.example"
      for (const externalId of [
        "plain",
        "a/b",
        "100%",
        "q?x=1#y",
        "ext:nested",
        "email:a@b.example",
        "ü 漢字 😀"
      ]) {
        const { id } = await written({ email, externalId })
        for (const reference of [id, id.toUpperCase(), `ext:${externalId}`, `email:${email}`]) {
          expect((await read(reference)).value.id).toBe(id)
        }
      }
      expect((await account.api("GET", "/contacts/email:ref+1@contacts.example")).status).toBe(200)
      expect((await read("ext:plain")).status).toBe(404)
    })

    it("name another contact by no part of a reference", async () => {
      const { contact } = (await write({ externalId: "part", email: "part@contacts.example" })).value
      for (const rest of [";1", ";", "%3B1", "%231"]) {
        for (const method of ["GET", "DELETE"]) {
          const answer = await call(target(), method, `/api/v1/contacts/ext:part${rest}`, {
            token: account.key
          })
          expect([rest, answer.status]).toEqual([rest, 404])
        }
      }
      expect((await call(target(), "GET", "/api/v1/contacts;page=1", { token: account.key })).status).toBe(
        404
      )
      await write({ externalId: "a;b#c", email: "signs@contacts.example" })
      const found = await call<Contact>(target(), "GET", "/api/v1/contacts/ext:a;b%23c", {
        token: account.key
      })
      expect(found.value.email).toBe("signs@contacts.example")
      expect((await read("ext:part")).value.id).toBe(contact.id)
    })

    it("return 404 for unknown references", async () => {
      for (const reference of [unknownId, "ext:nobody", "email:nobody@contacts.example"]) {
        const answer = await read(reference)
        expect(answer.status).toBe(404)
        expect(answer.codes).toEqual(["audience.contact_not_found"])
      }
    })

    it.each([
      "nobody",
      "17",
      "ext:",
      "email:",
      "email:nobody",
      "EXT:1",
      "id:1",
      `${unknownId}0`,
      "a@b.example",
      "%"
    ])("reject the reference %j", async (reference) => {
      const answer = await read(reference)
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual(["audience.contact_reference_invalid"])
    })
  })
