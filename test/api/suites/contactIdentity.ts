/**
 * Tests which contact a POST /contacts refers to (docs/contributing/public-api.md "POST /contacts rules"), also in concurrent
 * calls.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import type { Contact, ContactWritten } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const contactIdentitySuite = (target: () => Target) =>
  describe("contact identity", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Identity")).sandbox
    })
    const freshEmail = () => `person${++serial}@identity.example`
    const write = (json: unknown) => account.api<ContactWritten>("POST", "/contacts", json)
    const written = async (json: unknown) => (await write(json)).value.contact
    const read = (reference: string) =>
      account.api<Contact>("GET", `/contacts/${encodeURIComponent(reference)}`)

    describe("finds the contact", () => {
      it("by id, before anything else", async () => {
        const { id } = await written({ email: freshEmail() })
        const email = freshEmail()
        expect(await written({ id, email })).toMatchObject({ id, email })
        expect(await written({ id: id.toUpperCase(), city: "Rome" })).toMatchObject({
          id,
          email,
          city: "Rome"
        })
      })

      it("by external id, before the email", async () => {
        const externalId = `user/${++serial}`
        const { id } = await written({ email: freshEmail(), externalId })
        const email = freshEmail()
        expect(await written({ externalId, email })).toMatchObject({ id, email })
        expect((await write({ externalId, city: "Rome" })).status).toBe(200)
      })

      it("by email, and gives it the external id", async () => {
        const email = freshEmail()
        const externalId = `late-${++serial}`
        const { id } = await written({ email })
        expect(await written({ email: email.toUpperCase(), externalId })).toMatchObject({ id, email })
        expect((await read(`ext:${externalId}`)).value.id).toBe(id)
      })

      it("by any spelling of its email, at every door", async () => {
        const local = `ada.${++serial}`
        const email = `${local}@identity.example`
        const quoted = `"${local}"@identity.example`
        const spellings = [
          quoted,
          `"\\a${local.slice(1)}"@Identity.example`,
          `(c) ${local}(c)@identity.example`
        ]
        const { id } = await written({ email: quoted })
        expect((await read(`email:${email}`)).value).toMatchObject({ id, email })
        for (const spelling of spellings) {
          expect(await written({ email: spelling, city: spelling })).toMatchObject({ id, email })
          expect((await read(`email:${spelling}`)).value.id).toBe(id)
          const batch = await account.api<{ results: ReadonlyArray<{ id: string }> }>(
            "POST",
            "/contacts/batch",
            {
              contacts: [{ email: spelling }]
            }
          )
          expect(batch.value.results.map((result) => result.id)).toEqual([id])
          await account.manage("POST", "/suppressions", { email: spelling, kind: "Protected" })
          const sent = await account.api<{ status: string; recipients: ReadonlyArray<{ email: string }> }>(
            "POST",
            "/sending/emails",
            { to: `Ada <${email}>`, subject: "Hello", text: "Hello" }
          )
          expect(sent.value.status).toBe("Suppressed")
          const path = `/suppressions/${encodeURIComponent(spelling)}`
          expect((await account.manage("DELETE", path)).status).toBe(200)
          expect((await account.manage("DELETE", path)).status).toBe(404)
          const listed = `/emails?to=${encodeURIComponent(spelling)}`
          expect(
            (await account.manage<{ totalCount: number }>("GET", listed)).value.totalCount
          ).toBeGreaterThan(0)
        }
        const events = spellings.map((spelling, index) => ({
          id: `${local}-${index}`,
          name: "user.spelled",
          contact: { email: spelling }
        }))
        await account.api("POST", "/events", { events })
        const timeline = await eventually(
          () => account.manage<{ items: ReadonlyArray<{ name: string }> }>("GET", `/contacts/${id}/timeline`),
          ({ value }) => value.items.filter(({ name }) => name === "user.spelled").length === spellings.length
        )
        expect(timeline.value.items.length).toBeGreaterThanOrEqual(spellings.length)
        expect(
          (await account.api("DELETE", `/contacts/${encodeURIComponent(`email:${quoted}`)}`)).status
        ).toBe(200)
        expect((await read(`email:${email}`)).status).toBe(404)
      })

      it("by email, of which only ASCII letters are folded", async () => {
        const kate = `kate${++serial}@identity.example`
        const kelvin = `\u212Aate${serial}@identity.example`
        const { id } = await written({ email: kate, consent: { basis: "Customer" } })
        const other = await written({ email: kelvin, consent: { basis: "Unsubscribed" } })
        expect(other).toMatchObject({ email: kelvin, consentStatus: "Unsubscribed" })
        expect((await read(`email:${kate}`)).value).toMatchObject({ id, consentStatus: "SoftOptIn" })
        expect(
          (await account.manage("POST", "/suppressions", { email: kelvin, kind: "Protected" })).status
        ).toBe(201)
        const sent = await account.api<{ status: string }>("POST", "/sending/emails", {
          to: kate,
          subject: "Hello",
          text: "Hello"
        })
        expect(sent.value.status).toBe("Queued")
      })

      it("or creates it, which requires an email", async () => {
        for (const body of [{}, { externalId: `new-${++serial}` }, { firstName: "Ada" }, { email: null }]) {
          const answer = await write(body)
          expect(answer.status).toBe(400)
          expect(answer.codes).toEqual(["audience.contact_email_required"])
          expect(answer.fields).toEqual(["email"])
        }
      })

      it("goes on after an id that no contact has, and creates a contact with an id of its own", async () => {
        const email = freshEmail()
        const created = await write({ id: unknownId, email })
        expect(created.status).toBe(201)
        const { id } = created.value.contact
        expect(id).not.toBe(unknownId)
        expect((await read(unknownId)).status).toBe(404)
        const externalId = `late-${++serial}`
        expect(await written({ id: unknownId, email, externalId })).toMatchObject({ id, email })
        expect((await read(`ext:${externalId}`)).value.id).toBe(id)
        expect(await written({ id: unknownId, externalId, city: "Paris" })).toMatchObject({
          id,
          city: "Paris"
        })
        for (const body of [{ id: unknownId }, { id: unknownId, externalId: `new-${++serial}` }]) {
          const answer = await write(body)
          expect(answer.status).toBe(400)
          expect(answer.codes).toEqual(["audience.contact_email_required"])
        }
      })

      it("goes on after the id of an erased contact", async () => {
        const email = freshEmail()
        const { id } = await written({ email })
        await account.api("DELETE", `/contacts/${id}`)
        const again = await write({ id, email })
        expect(again.status).toBe(201)
        expect(again.value.contact.id).not.toBe(id)
        const answer = await account.api("POST", "/contacts/batch", {
          contacts: [
            { id, email },
            { id: unknownId, email: freshEmail() }
          ]
        })
        expect(answer.status).toBe(200)
      })
    })

    it("rejects identifiers of two contacts, and changes neither", async () => {
      const pair = [1, 2].map(() => ({ email: freshEmail(), externalId: `pair-${++serial}` }))
      const [a, b] = [await written(pair[0]), await written(pair[1])]
      for (const body of [
        { externalId: pair[0]!.externalId, email: pair[1]!.email },
        { id: a.id, email: pair[1]!.email },
        { id: a.id, externalId: pair[1]!.externalId },
        { id: a.id, externalId: pair[0]!.externalId, email: pair[1]!.email }
      ]) {
        const answer = await write({ ...body, city: "Nowhere" })
        expect(answer.status).toBe(409)
        expect(answer.codes).toEqual(["audience.contact_identity_conflict"])
      }
      expect((await read(a.id)).value).toEqual(a)
      expect((await read(b.id)).value).toEqual(b)
    })

    it("keeps the other identity of a contact whose email or external id another contact takes over", async () => {
      const unsubscribed = { consent: { basis: "Unsubscribed" } }
      const people = async (name: string) => {
        const [externalId, email] = [`${name}-${++serial}`, freshEmail()]
        const { id } = await written({ externalId, email, ...unsubscribed })
        return { id, externalId, email }
      }
      const batch = (...contacts: ReadonlyArray<object>) =>
        account.api("POST", "/contacts/batch", { contacts })
      const events = (...contacts: ReadonlyArray<object>) =>
        account.api("POST", "/events", {
          events: contacts.map((contact) => ({ id: `taken-${++serial}`, name: "thing.done", contact }))
        })
      const found = (reference: string) =>
        eventually(
          () => read(reference),
          ({ status }) => status === 200
        )
      for (const send of [batch, events]) {
        const giver = await people("gives-email")
        const email = freshEmail()
        await send({ externalId: giver.externalId, email }, { email: giver.email })
        await eventually(
          () => read(`email:${giver.email}`),
          ({ envelope }) => (envelope?.value?.id ?? giver.id) !== giver.id
        )
        for (const reference of [`email:${email}`, `ext:${giver.externalId}`]) {
          expect((await read(reference)).value).toMatchObject({
            id: giver.id,
            email,
            consentStatus: "Unsubscribed"
          })
        }

        const other = await people("gives-id")
        const [externalId, newcomer] = [`taken-${++serial}`, freshEmail()]
        await send({ email: other.email, externalId }, { email: newcomer, externalId: other.externalId })
        const { id } = (await found(`email:${newcomer}`)).value
        expect((await read(`ext:${other.externalId}`)).value.id).toBe(id)
        expect((await read(`email:${other.email}`)).value).toMatchObject({
          id: other.id,
          email: other.email,
          consentStatus: "Unsubscribed"
        })
        expect((await read(`ext:${externalId}`)).value.id).toBe(other.id)
      }
    })

    it("creates one contact for concurrent calls about one new person", async () => {
      const email = freshEmail()
      const externalId = `crowd-${++serial}`
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => write({ email, externalId, firstName: `N${index}` }))
      )
      expect(new Set(answers.map((answer) => answer.value.contact.id)).size).toBe(1)
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
      expect((await read(`ext:${externalId}`)).value.firstName).toMatch(/^N\d+$/)
    })

    it("loses no field of concurrent updates", async () => {
      const email = freshEmail()
      await written({ email })
      const fields = {
        firstName: "A",
        lastName: "B",
        phone: "1",
        city: "C",
        countryCode: "DE",
        language: "de"
      }
      const answers = await Promise.all(
        Object.entries(fields).map(([field, value]) => write({ email, [field]: value }))
      )
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
      expect((await read(`email:${email}`)).value).toMatchObject(fields)
    })

    it("creates no duplicate for two addresses with one new external id", async () => {
      const externalId = `race-${++serial}`
      const [left, right] = [freshEmail(), freshEmail()]
      await Promise.all([written({ email: left }), written({ email: right })])
      const answers = await Promise.all([left, right].map((email) => write({ email, externalId })))
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
    })
  })
