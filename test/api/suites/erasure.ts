/**
 * Tests DELETE /contacts/{reference} (docs/contributing/public-api.md "Contacts", docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { Contact, ContactWritten, EmailAccepted, EmailSubmission, Page } from "../../support/shapes.ts"
import { triggerTokenOf } from "../../support/fullAccount.ts"
import { connectStore, storeEvent } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface AuditEntry {
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

interface Suppression {
  readonly email: string
  readonly kind: string
}

const subscribed = { basis: "Subscribed", proof: { text: "Yes, send me news." } }

export const erasureSuite = (target: () => Target) =>
  describe("erasure", () => {
    let workspace: Workspace
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Erasure")
      account = workspace.sandbox
    })
    const freshEmail = () => `erased${++serial}@erasure.example`
    const write = async (json: unknown) =>
      (await account.api<ContactWritten>("POST", "/contacts", json)).value
    const read = (reference: string) =>
      account.api<Contact>("GET", `/contacts/${encodeURIComponent(reference)}`)
    const erase = (reference: string) =>
      account.api<{ id: string }>("DELETE", `/contacts/${encodeURIComponent(reference)}`)
    const send = async (from: TestAccount, to: string) =>
      (
        await from.api<EmailAccepted>("POST", "/sending/emails", {
          to: `Ada Erased <${to}>`,
          subject: `Hello ${to}`,
          html: `<p>Dear ${to}</p>`
        })
      ).value

    it("accepts each form of reference, returns the contact's id, and returns 404 afterwards", async () => {
      for (const form of ["id", "externalId", "email"] as const) {
        const email = freshEmail()
        const { contact } = await write({ email, externalId: `user-${email}`, firstName: "Ada" })
        const reference = { id: contact.id, externalId: `ext:user-${email}`, email: `email:${email}` }
        const answer = await erase(reference[form])
        expect(answer.status).toBe(200)
        expect(answer.value).toEqual({ id: contact.id })
        for (const gone of Object.values(reference)) {
          expect((await read(gone)).codes).toEqual(["audience.contact_not_found"])
          const again = await erase(gone)
          expect(again.status).toBe(404)
          expect(again.codes).toEqual(["audience.contact_not_found"])
        }
      }
    })

    it("rejects invalid and unknown references", async () => {
      expect((await erase("somebody")).codes).toEqual(["audience.contact_reference_invalid"])
      expect((await erase("email:nobody")).codes).toEqual(["audience.contact_reference_invalid"])
      expect((await erase("email:nobody@erasure.example")).codes).toEqual(["audience.contact_not_found"])
    })

    it("requires contacts:erase, and does not affect other accounts", async () => {
      const email = freshEmail()
      await write({ email })
      const { key } = await account.issueKey(["contacts:read", "contacts:write"])
      const path = `/api/v1/contacts/${encodeURIComponent(`email:${email}`)}`
      const refused = await call(target(), "DELETE", path, { token: key })
      expect(refused.status).toBe(403)
      expect((await call(target(), "DELETE", path, { token: workspace.live.key })).status).toBe(404)
      expect((await read(`email:${email}`)).status).toBe(200)
    })

    it("deletes history, timeline and links", async () => {
      const { contact } = await write({ email: freshEmail(), consent: subscribed })
      const links = await account.manage<Record<string, string>>("POST", `/contacts/${contact.id}/links`)
      expect((await target().fetch(links.value["preferences"]!)).status).toBe(200)
      await erase(contact.id)
      for (const list of ["consent-history", "timeline"]) {
        expect((await account.manage("GET", `/contacts/${contact.id}/${list}`)).codes).toEqual([
          "common.not_found"
        ])
      }
      expect((await account.manage("POST", `/contacts/${contact.id}/links`)).codes).toEqual([
        "common.not_found"
      ])
      for (const link of Object.values(links.value)) {
        expect((await target().fetch(link)).status).toBe(404)
        expect((await target().fetch(link, { method: "POST" })).status).toBe(404)
      }
    })

    it("deletes the emails to the person and their copies in the inbox, and keeps those to others", async () => {
      const email = freshEmail()
      const other = freshEmail()
      await write({ email })
      const gone = await send(account, email)
      const kept = await send(account, other)
      const submission = (id: string) => account.api<EmailSubmission>("GET", `/sending/emails/${id}`)
      for (const { id } of [gone, kept]) {
        const delivered = await eventually(
          () => submission(id),
          (answer) => answer.value.status === "Delivered"
        )
        expect(delivered.value.status).toBe("Delivered")
        expect((await account.manage("GET", `/inbox/${id}`)).status).toBe(200)
      }
      await erase(`email:${email}`)
      expect((await submission(gone.id)).status).toBe(404)
      expect((await account.manage("GET", `/inbox/${gone.id}`)).status).toBe(404)
      expect((await account.manage("GET", `/inbox/${gone.id}/raw`)).status).toBe(404)
      const listed = await account.manage<Page<unknown>>("GET", `/emails?to=${encodeURIComponent(email)}`)
      expect(listed.value.totalCount).toBe(0)
      expect((await submission(kept.id)).value.status).toBe("Delivered")
      expect((await account.manage("GET", `/inbox/${kept.id}`)).status).toBe(200)
    })

    it("cancels waiting emails", async () => {
      const email = freshEmail()
      const { live } = workspace
      await live.api("POST", "/contacts", { email })
      const waiting = await send(live, email)
      expect(waiting).toMatchObject({ status: "Queued", reason: "sending.no_verified_sender" })
      expect((await live.api("DELETE", `/contacts/${encodeURIComponent(`email:${email}`)}`)).status).toBe(200)
      expect((await live.api("GET", `/sending/emails/${waiting.id}`)).status).toBe(404)
    })

    it("releases the address, of which the customer's systems can create a new contact", async () => {
      const email = freshEmail()
      const before = await write({ email, firstName: "Ada", consent: subscribed })
      await erase(before.contact.id)
      const after = await write({ email })
      expect(after.created).toBe(true)
      expect(after.contact.id).not.toBe(before.contact.id)
      expect(after.contact).toMatchObject({ firstName: null, consentStatus: "Unknown" })
      expect((await read(before.contact.id)).status).toBe(404)
    })

    it("creates no contact from the erased contact's id alone", async () => {
      const { contact } = await write({ email: freshEmail() })
      await erase(contact.id)
      const answer = await account.api("POST", "/contacts", { id: contact.id, firstName: "Ada" })
      expect(answer.codes).toEqual(["audience.contact_email_required"])
    })

    it("erases contacts by their ids for the operator, and skips those unknown, erased or of another account", async () => {
      const eraseByIds = async (contactIds: ReadonlyArray<string>) =>
        (await account.manage<{ readonly erased: number }>("POST", "/erasures", { contactIds })).value.erased
      const [one, two] = [await write({ email: freshEmail() }), await write({ email: freshEmail() })]
      const others = await workspace.live.api<ContactWritten>("POST", "/contacts", { email: freshEmail() })
      const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
      const ids = [
        one.contact.id,
        two.contact.id.toUpperCase(),
        one.contact.id,
        others.value.contact.id,
        unknown,
        "x"
      ]
      expect(await eraseByIds(ids)).toBe(2)
      expect((await read(one.contact.id)).status).toBe(404)
      expect((await read(two.contact.id)).status).toBe(404)
      expect((await workspace.live.api("GET", `/contacts/${others.value.contact.id}`)).status).toBe(200)
      expect(await eraseByIds(ids)).toBe(0)
      const many = await account.manage("POST", "/erasures", {
        contactIds: Array.from({ length: 1001 }, () => "x")
      })
      expect([many.status, many.codes]).toEqual([400, ["validation.max_length"]])
    })

    it("frees one contact of the contact limit", async () => {
      const { live } = await openWorkspace(target(), "Erasure limit")
      await live.manage("PATCH", "/settings", { contactLimit: 1 })
      const [first, second] = [freshEmail(), freshEmail()]
      expect((await live.api("POST", "/contacts", { email: first })).status).toBe(201)
      expect((await live.api("POST", "/contacts", { email: second })).codes).toEqual([
        "audience.contact_limit_reached"
      ])
      await live.api("DELETE", `/contacts/${encodeURIComponent(`email:${first}`)}`)
      expect((await live.api("POST", "/contacts", { email: second })).status).toBe(201)
    })

    it("records the actor in the audit log, without the person", async () => {
      const email = freshEmail()
      const { contact } = await write({ email, firstName: "Unforgettable" })
      await account.manage("POST", "/suppressions", { email, kind: "Protected" })
      await erase(contact.id)
      const log = await account.manage<Page<AuditEntry>>("GET", "/audit-log?pageSize=200")
      const entries = log.value.items.filter((entry) => entry.target.id === contact.id)
      expect(entries).toEqual([
        expect.objectContaining({ action: "contact.erased", before: null, after: null })
      ])
      expect(entries[0]!.actor).toEqual({ kind: "ApiKey", id: expect.any(String), name: "Suite key" })
      expect(log.text).not.toContain(email)
      expect(log.text).not.toContain("Unforgettable")
    })

    it("keeps the suppression without the address", async () => {
      const email = freshEmail()
      await write({ email })
      await account.manage("POST", "/suppressions", { email, kind: "Complained" })
      await erase(`email:${email}`)
      const listed = await account.manage<Page<Suppression>>("GET", "/suppressions?pageSize=200")
      expect(listed.text).not.toContain(email)
      expect(listed.value.items).toContainEqual(
        expect.objectContaining({ email: expect.stringMatching(/^[0-9a-f]{64}$/), kind: "Complained" })
      )
      expect(await send(account, email)).toMatchObject({
        status: "Suppressed",
        reason: "sending.gate_complained"
      })
      const path = `/suppressions/${encodeURIComponent(email)}`
      expect((await account.manage("DELETE", path)).status).toBe(200)
      expect((await account.manage("DELETE", path)).status).toBe(404)
      expect(await send(account, email)).toMatchObject({ status: "Queued" })
    })

    it("is ordered before or after each concurrent write", async () => {
      for (let round = 0; round < 5; round++) {
        const email = freshEmail()
        const { contact } = await write({ email, externalId: `racer-${email}` })
        const answers = await Promise.all([
          ...Array.from({ length: 4 }, (_, index) =>
            account.api<ContactWritten>("POST", "/contacts", {
              email,
              city: `City ${index}`,
              consent: subscribed
            })
          ),
          send(account, email),
          erase(contact.id)
        ])
        const ids = new Set(
          answers.slice(0, 4).map((answer) => (answer as { value: ContactWritten }).value.contact.id)
        )
        // Writes before the erasure went to the old contact, all later ones to a single new contact.
        expect(ids.size).toBeLessThanOrEqual(2)
        expect((await read(contact.id)).status).toBe(404)
        const now = await read(`email:${email}`)
        expect(now.status === 404 || now.value.id !== contact.id).toBe(true)
      }
    })

    it("suppresses the address again when its owner is a contact again, and contact and list agree", async () => {
      const { sandbox } = await openWorkspace(target(), "Returning")
      const definition = { join: "All", rules: [] }
      const sendable = async () =>
        (
          await sandbox.manage<{ count: number; sendableCount: number }>("POST", "/segments/preview", {
            definition
          })
        ).value
      const listed = async () =>
        (await sandbox.manage<Page<Suppression>>("GET", "/suppressions")).value.items
          .map(({ email, kind }) => [email, kind])
          .toSorted()
      const kinds = ["Bounced", "Complained", "Protected"] as const
      const emails = kinds.map(() => freshEmail())
      for (const [index, email] of emails.entries()) {
        await sandbox.api("POST", "/contacts", { email, consent: subscribed })
        await sandbox.manage("POST", "/suppressions", { email, kind: kinds[index] })
        await sandbox.api("DELETE", `/contacts/email:${email}`)
      }
      expect((await listed()).flat().filter((text) => text.includes("@"))).toEqual([])

      // By a single write, in a batch, and by a change of address.
      const first = await sandbox.api<ContactWritten>("POST", "/contacts", {
        email: emails[0],
        consent: subscribed
      })
      expect(first.value.contact).toMatchObject({ consentStatus: "Bounced", consentSource: "Bounce" })
      const mover = { externalId: "mover", email: freshEmail(), consent: subscribed }
      await sandbox.api("POST", "/contacts", mover)
      expect(await sendable()).toMatchObject({ count: 2, sendableCount: 1 })
      await sandbox.api("POST", "/contacts/batch", {
        contacts: [
          { email: emails[2], consent: subscribed },
          { externalId: "mover", email: emails[1] }
        ]
      })
      expect(await sendable()).toMatchObject({ count: 3, sendableCount: 0 })
      expect(await listed()).toEqual(emails.map((email, index) => [email, kinds[index]]).toSorted())
      const stateOf = async (email: string) =>
        (await sandbox.api<Contact>("GET", `/contacts/email:${email}`)).value
      const states = await Promise.all(emails.map(stateOf))
      expect(states.map((contact) => contact.consentStatus)).toEqual(["Bounced", "Complained", "Subscribed"])
      const history = await sandbox.manage<Page<{ from: string | null; to: string; source: string }>>(
        "GET",
        `/contacts/${states[1]!.id}/consent-history`
      )
      expect(history.value.items.map(({ from, source, to }) => [from, to, source])).toEqual([
        ["Subscribed", "Complained", "Complaint"],
        [null, "Subscribed", "Api"]
      ])
    })

    it("erases only the person's delivery of an email to several people", async () => {
      const [gone, stays] = [freshEmail(), freshEmail()]
      await write({ email: gone })
      const sent = await account.api<EmailAccepted>("POST", "/sending/emails", {
        to: gone,
        cc: [stays],
        subject: "Hello all",
        text: "To both of you."
      })
      const get = () => account.api<EmailSubmission>("GET", `/sending/emails/${sent.value.id}`)
      await eventually(get, ({ value }) => value.status === "Delivered")
      expect((await erase(`email:${gone}`)).status).toBe(200)
      expect((await get()).value).toMatchObject({ status: "Delivered", recipients: [{ email: stays }] })
      const { items } = (await account.manage<Page<{ submissionId: string; to: string }>>("GET", "/inbox"))
        .value
      const copies = items.filter((message) => message.submissionId === sent.value.id)
      expect(copies.map(({ to }) => to)).toEqual([stays])
    })

    describe("with keepErased", () => {
      let kept: TestAccount
      beforeAll(async () => {
        kept = (await openWorkspace(target(), "Kept")).sandbox
        const changed = await kept.manage<{ keepErased: boolean }>("PATCH", "/settings", { keepErased: true })
        expect(changed.value.keepErased).toBe(true)
      })
      const find = (email: string) =>
        kept.api<Contact>("GET", `/contacts/${encodeURIComponent(`email:${email}`)}`)
      /** An erased address, and the address that its owner had before. */
      const erasedPerson = async () => {
        const [former, email] = [freshEmail(), freshEmail()]
        const externalId = `user-${email}`
        await kept.api("POST", "/contacts", { externalId, email: former })
        await kept.api("POST", "/contacts", { externalId, email })
        await kept.api("DELETE", `/contacts/${encodeURIComponent(`email:${email}`)}`)
        return { email, externalId, former }
      }

      it("refuses a write that gives a contact the address, in a batch by itself", async () => {
        const { email, externalId, former } = await erasedPerson()
        const living = { externalId: `living-${email}`, email: freshEmail() }
        expect((await kept.api("POST", "/contacts", living)).status).toBe(201)
        for (const json of [
          { email },
          { email: ` ${email.toUpperCase()} `, firstName: "Back" },
          { email: former },
          { externalId, email, consent: subscribed },
          { externalId: living.externalId, email }
        ]) {
          const refused = await kept.api("POST", "/contacts", json)
          expect([refused.status, refused.codes, refused.fields]).toEqual([
            409,
            ["audience.contact_erased"],
            ["email"]
          ])
        }
        const other = freshEmail()
        const contacts = [{ email: other }, { email }, { ...living, firstName: "Ada" }, { email }]
        const batch = await kept.api<{
          results: ReadonlyArray<{ status: string; errors: ReadonlyArray<{ code: string }> }>
        }>("POST", "/contacts/batch", { contacts })
        expect(batch.status).toBe(200)
        expect(
          batch.value.results.map(({ errors, status }) => [status, (errors ?? []).map(({ code }) => code)])
        ).toEqual([
          ["Created", []],
          ["Failed", ["audience.contact_erased"]],
          ["Updated", []],
          ["Failed", ["audience.contact_erased"]]
        ])
        expect((await find(email)).status).toBe(404)
        expect((await find(living.email)).value.firstName).toBe("Ada")
      })

      it("refuses the address after an earlier write of a batch took it from a contact", async () => {
        const { email } = await erasedPerson()
        await kept.manage("PATCH", "/settings", { keepErased: false })
        const externalId = `back-${email}`
        expect((await kept.api("POST", "/contacts", { externalId, email })).status).toBe(201)
        await kept.manage("PATCH", "/settings", { keepErased: true })
        const batch = await kept.api<{ results: ReadonlyArray<{ status: string }> }>(
          "POST",
          "/contacts/batch",
          {
            contacts: [{ externalId, email: freshEmail() }, { email }]
          }
        )
        expect(batch.value.results.map(({ status }) => status)).toEqual(["Updated", "Failed"])
        expect((await find(email)).status).toBe(404)
      })

      it("refuses events and calls of a flow's trigger for the person", async () => {
        const { email } = await erasedPerson()
        const events = [
          { id: `gone-${email}`, name: "thing.kept", contact: { email } },
          { id: `other-${email}`, name: "thing.kept", contact: { email: freshEmail() } }
        ]
        await kept.api("POST", "/events", { events })
        interface Reported {
          readonly eventId: string
          readonly status: string
          readonly failure: { readonly code: string } | null
        }
        const reported = await eventually(
          async () => (await kept.manage<Page<Reported>>("GET", "/events?name=thing.kept")).value.items,
          (items) => items.length === 2 && items.every(({ status }) => status !== "Accepted")
        )
        expect(
          reported.map(({ eventId, failure, status }) => [eventId, status, failure?.code ?? null]).toSorted()
        ).toEqual([
          [`gone-${email}`, "Failed", "audience.contact_erased"],
          [`other-${email}`, "Processed", null]
        ])
        const flow = (
          await kept.manage<{ id: string }>("POST", "/flows", {
            name: "Kept",
            trigger: { kind: "Api" },
            steps: [{ id: "end", kind: "Exit" }]
          })
        ).value
        await kept.manage("POST", `/flows/${flow.id}/publish`)
        const token = await triggerTokenOf(kept, flow.id)
        const trigger = () =>
          call(target(), "POST", `/flows/${flow.id}/trigger`, { token, json: { id: "1", email } })
        expect((await trigger()).codes).toEqual(["audience.contact_erased"])
        expect((await find(email)).status).toBe(404)
        // Without the setting, the same call starts the flow: the rejected call did not use up its id.
        await kept.manage("PATCH", "/settings", { keepErased: false })
        expect((await trigger()).value).toMatchObject({ duplicate: false })
        expect((await find(email)).status).toBe(200)
        await kept.manage("PATCH", "/settings", { keepErased: true })
        // A person who has become a contact again is written normally.
        expect((await kept.api("POST", "/contacts", { email, firstName: "Back" })).status).toBe(200)
      })

      it("keeps stores from adding the person, and from moving a customer to the address", async () => {
        const { email } = await erasedPerson()
        const store = await connectStore(target(), kept)
        const moving = { id: `mover-${email}`, email: freshEmail() }
        const order = { id: `kept-${email}`, status: "Paid", currency: "EUR", total: 7 }
        const taken = await store.report(
          storeEvent("customer.upserted", { id: email, email, firstName: "Back" }),
          storeEvent("order.placed", { ...order, customer: { id: email, email } }),
          storeEvent("customer.upserted", moving),
          storeEvent("customer.upserted", { ...moving, email, firstName: "Moved" })
        )
        expect(taken.value).toMatchObject({ accepted: 4 })
        const { items } = (await kept.api<Page<Contact>>("GET", "/contacts?pageSize=100")).value
        expect(items.map((contact) => contact.email)).not.toContain(email)
        expect(items.find((contact) => contact.email === moving.email)).toMatchObject({ firstName: "Moved" })
      })

      it("leaves the sending of email as it is, which adds no contact", async () => {
        const { email } = await erasedPerson()
        expect(await send(kept, email)).toMatchObject({ status: "Queued" })
        expect((await find(email)).status).toBe(404)
      })
    })

    it("erases once in concurrent calls", async () => {
      const { contact } = await write({ email: freshEmail() })
      const answers = await Promise.all(Array.from({ length: 5 }, () => erase(contact.id)))
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 404, 404, 404, 404])
    })
  })
