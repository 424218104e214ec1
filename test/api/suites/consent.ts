/**
 * Tests the consent table of docs/contributing/decisions.md 3 through the API, and the consent history.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import {
  type ConsentEntry,
  type Contact,
  type ContactWritten,
  dateTimePattern,
  type Page
} from "../../support/shapes.ts"
import { connectStore, storeEvent } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const requests = {
  Customer: { basis: "Customer" },
  Subscribed: { basis: "Subscribed", proof: { text: "Yes, send me news." } },
  Unsubscribed: { basis: "Unsubscribed" }
} as const

type Basis = keyof typeof requests

/** The states that the API and the operator can set, and the state after each request. */
const table: Readonly<Record<string, Readonly<Record<Basis, string>>>> = {
  New: { Customer: "SoftOptIn", Subscribed: "Subscribed", Unsubscribed: "Unsubscribed" },
  Unknown: { Customer: "SoftOptIn", Subscribed: "Subscribed", Unsubscribed: "Unsubscribed" },
  SoftOptIn: { Customer: "SoftOptIn", Subscribed: "Subscribed", Unsubscribed: "Unsubscribed" },
  Subscribed: { Customer: "Subscribed", Subscribed: "Subscribed", Unsubscribed: "Unsubscribed" },
  Unsubscribed: { Customer: "Unsubscribed", Subscribed: "Subscribed", Unsubscribed: "Unsubscribed" },
  Bounced: { Customer: "Bounced", Subscribed: "Bounced", Unsubscribed: "Bounced" },
  Complained: { Customer: "Complained", Subscribed: "Complained", Unsubscribed: "Complained" }
}

/** The request that sets a new contact's state; null for none. */
const wayInto: Readonly<Record<string, unknown>> = {
  Unknown: null,
  SoftOptIn: requests.Customer,
  Subscribed: { basis: "Subscribed", proof: { text: "Yes, the first time." } },
  Unsubscribed: requests.Unsubscribed,
  Bounced: null,
  Complained: null
}

const bases = Object.keys(requests) as ReadonlyArray<Basis>

export const consentSuite = (target: () => Target) =>
  describe("consent", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Consent")).sandbox
    })
    const write = (json: unknown) => account.api<ContactWritten>("POST", "/contacts", json)
    const statusOf = async (email: string) =>
      (await account.api<Contact>("GET", `/contacts/email:${email}`)).value.consentStatus
    const historyOf = async (id: string) =>
      (await account.manage<Page<ConsentEntry>>("GET", `/contacts/${id}/consent-history`)).value.items

    /** Creates a contact in a state and returns its address. */
    const contactIn = async (state: string): Promise<string> => {
      const email = `consent${++serial}@consent.example`
      if (state === "New") return email
      const consent = wayInto[state]
      expect((await write(consent === null ? { email } : { email, consent })).status).toBe(201)
      if (state === "Bounced" || state === "Complained") {
        expect((await account.manage("POST", "/suppressions", { email, kind: state })).status).toBe(201)
      }
      expect(await statusOf(email)).toBe(state)
      return email
    }

    it.each(Object.keys(table).flatMap((state) => bases.map((basis) => [state, basis] as const)))(
      "changes %s on %s as in the table",
      async (state, basis) => {
        const email = await contactIn(state)
        const answer = await write({ email, consent: requests[basis] })
        expect(answer.value.contact.consentStatus).toBe(table[state]![basis])
        expect(await statusOf(email)).toBe(table[state]![basis])
        const [latest] = await historyOf(answer.value.contact.id)
        const from = state === "New" ? null : state
        const moved = state !== table[state]![basis]
        const reproven = state === "Subscribed" && basis === "Subscribed"
        if (moved || reproven) {
          expect(latest).toMatchObject({ from, to: table[state]![basis], basis, source: "Api" })
          expect(answer.value.contact.consentSource).toBe("Api")
          expect(answer.value.contact.consentUpdatedAt).toMatch(dateTimePattern)
        } else expect(latest).not.toMatchObject({ from })
      }
    )

    it.each(["Bounced", "Complained"])(
      "begins as %s at a suppressed address that a store reports",
      async (state) => {
        const store = await connectStore(target(), account)
        const [email, next] = [`store-${state}@consent.example`, `next-${state}@consent.example`]
        for (const one of [email, next])
          await account.manage("POST", "/suppressions", { email: one, kind: state })
        const customer = { id: state, email, consent: { text: "Yes, send me news." } }
        await store.report(storeEvent("customer.upserted", customer))
        interface Listed {
          readonly consentStatus: string
        }
        const statusesOf = async (address: string) =>
          (await account.manage<Page<Listed>>("GET", `/contacts?q=${address}`)).value.items.map(
            ({ consentStatus }) => consentStatus
          )
        const isWritten = (found: ReadonlyArray<string>) => found.length > 0
        expect(await eventually(() => statusesOf(email), isWritten)).toEqual([state])
        await store.report(storeEvent("customer.upserted", { ...customer, email: next }))
        expect(await eventually(() => statusesOf(next), isWritten)).toEqual([state])
      }
    )

    it.each(["Bounced", "Complained"])(
      "begins as %s at an address that an earlier write of the batch took from its contact",
      async (state) => {
        const email = await contactIn(state)
        await write({ email, externalId: email })
        const contacts = [
          { externalId: email, email: `next-${email}` },
          { email, consent: requests["Subscribed"] }
        ]
        await account.api("POST", "/contacts/batch", { contacts })
        expect(await statusOf(email)).toBe(state)
      }
    )

    it.each(Object.keys(table))("keeps %s without a consent", async (state) => {
      if (state === "New") return
      const email = await contactIn(state)
      for (const body of [
        { email, city: "Rome" },
        { email, consent: null }
      ]) {
        expect((await write(body)).value.contact.consentStatus).toBe(state)
      }
    })

    it.each(Object.keys(table))("does not change %s to Subscribed without a proof's text", async (state) => {
      const email = await contactIn(state)
      for (const proof of [
        undefined,
        null,
        {},
        { text: "" },
        { text: "  " },
        { text: null },
        { locale: "de" }
      ]) {
        const answer = await write({ email, city: "Rome", consent: { basis: "Subscribed", proof } })
        expect(answer.status).toBe(400)
        expect(answer.codes).toEqual(["audience.consent_proof_required"])
        expect(answer.fields).toEqual(["consent.proof.text"])
      }
      if (state === "New") {
        expect((await account.api("GET", `/contacts/email:${email}`)).status).toBe(404)
      } else {
        expect((await account.api<Contact>("GET", `/contacts/email:${email}`)).value).toMatchObject({
          consentStatus: state,
          city: null
        })
      }
    })

    it("rejects an unknown basis", async () => {
      for (const basis of ["", "subscribed", "Bounced", "DoubleOptIn", "__proto__"]) {
        const answer = await write({ email: `basis${++serial}@consent.example`, consent: { basis } })
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual(["consent.basis"])
      }
    })

    it("stores every detail of the proof", async () => {
      const email = `proof${++serial}@consent.example`
      const proof = {
        text: "Ich möchte Neuigkeiten 📬\nper E-Mail.",
        textVersion: "2024-05",
        locale: "de-CH",
        ipAddress: "2001:db8::1",
        givenAt: "2024-05-01T10:00:00.5+02:00"
      }
      const answer = await write({ email, consent: { basis: "Subscribed", proof } })
      const history = await historyOf(answer.value.contact.id)
      expect(history).toHaveLength(1)
      expect(history[0]).toEqual({
        from: null,
        to: "Subscribed",
        basis: "Subscribed",
        proof: { ...proof, givenAt: "2024-05-01T08:00:00.500Z" },
        source: "Api",
        at: history[0]!.at
      })
      expect(history[0]!.at).toMatch(dateTimePattern)
    })

    it.each([
      ["givenAt", "yesterday"],
      ["givenAt", "2024-02-30T10:00:00Z"],
      ["givenAt", "2024-05-01T10:00:00"],
      ["givenAt", "2024-05-01T10:00:00+99:99"],
      ["givenAt", "9999-12-31T23:59:59-23:59"],
      ["ipAddress", "300.1.1.1"]
    ])("rejects the proof's %s %j", async (field, value) => {
      const proof = { text: "Yes.", [field]: value }
      const email = `proof${++serial}@consent.example`
      const answer = await write({ email, consent: { basis: "Subscribed", proof } })
      expect(answer.status).toBe(400)
      expect(answer.fields).toEqual([`consent.proof.${field}`])
    })

    it("rejects a proof given more than 5 seconds in the future at every door", async () => {
      const at = (millis: number) => new Date(target().now() + millis).toISOString()
      const person = (millis: number) => ({
        email: `future${++serial}@consent.example`,
        consent: { basis: "Subscribed", proof: { text: "Yes.", givenAt: at(millis) } }
      })
      expect((await write(person(2_000))).status).toBeLessThan(300)
      const single = await write(person(60_000))
      expect([single.status, single.codes, single.fields]).toEqual([
        400,
        ["validation.range"],
        ["consent.proof.givenAt"]
      ])
      const flows = flowsOf(account)
      const flow = (await flows.create({ trigger: { kind: "Api" }, steps: [emailStep("m")] })).value
      await flows.publish(flow.id)
      const issued = await account.manage<{ triggerUrl: string; token: string }>(
        "POST",
        `/flows/${flow.id}/trigger-token`
      )
      const trigger = (json: unknown) =>
        call(target(), "POST", issued.value.triggerUrl.slice(target().baseUrl.length), {
          token: issued.value.token,
          json
        })
      const event = (millis: number) => ({
        events: [{ id: uniqueName(), name: uniqueName(), contact: person(millis) }]
      })
      const consent = person(60_000).consent
      const file = (query: object) =>
        call<{ id: string }>(
          target(),
          "POST",
          `/manage/v1/accounts/${account.accountId}/imports?${new URLSearchParams(
            Object.entries(query).map(([name, value]): [string, string] => [name, JSON.stringify(value)])
          )}`,
          {
            token: target().managementToken,
            body: `email,when\nfuture${++serial}@consent.example,${at(3_600_000)}\n`,
            headers: { "content-type": "text/csv" }
          }
        )
      const doors = [
        await account.api("POST", "/contacts/batch", { contacts: [person(60_000)] }),
        await trigger({ id: uniqueName(), ...person(60_000) }),
        await account.api("POST", "/events", event(60_000)),
        await file({ consent, mapping: { email: "email", when: "ignored" } })
      ]
      for (const answer of doors) {
        expect(answer.text).toContain('"validation.range"')
        expect(answer.text).toContain("consent.proof.givenAt")
      }
      const mapped = await file({
        mapping: { email: "email", when: "consent.proof.givenAt" },
        consent: { basis: "Subscribed", proof: { text: "Yes." } }
      })
      const path = `/imports/${mapped.value.id}`
      await eventually(
        async () => (await account.manage<{ status: string }>("GET", path)).value.status,
        (status) => status === "Completed"
      )
      expect((await account.manage("GET", `${path}/errors`)).text).toContain("validation.range")
      expect((await account.api("POST", "/events", event(2_000))).status).toBeLessThan(300)
    })

    it("lists every change in the history, newest first, and nothing else", async () => {
      const email = `history${++serial}@consent.example`
      const { contact } = (await write({ email })).value
      expect(await historyOf(contact.id)).toEqual([])
      const subscribe = (text: string) => ({ basis: "Subscribed", proof: { text } })
      for (const consent of [
        requests.Customer,
        requests.Customer,
        subscribe("First."),
        subscribe("First."),
        requests.Customer,
        subscribe("Second."),
        requests.Unsubscribed,
        requests.Customer,
        requests.Unsubscribed,
        subscribe("Third.")
      ]) {
        expect((await write({ email, consent })).status).toBe(200)
      }
      await account.manage("POST", "/suppressions", { email, kind: "Bounced" })
      await write({ email, consent: subscribe("Fourth.") })
      const history = await historyOf(contact.id)
      expect(
        history.map(({ from, proof, source, to }) => [from, to, source, proof?.["text"] ?? null])
      ).toEqual([
        ["Subscribed", "Bounced", "Bounce", null],
        ["Unsubscribed", "Subscribed", "Api", "Third."],
        ["Subscribed", "Unsubscribed", "Api", null],
        ["Subscribed", "Subscribed", "Api", "Second."],
        ["SoftOptIn", "Subscribed", "Api", "First."],
        ["Unknown", "SoftOptIn", "Api", null]
      ])
    })

    it("agrees with the suppression list for an address suppressed while its contact is created", async () => {
      const emails = Array.from({ length: 40 }, () => `raced-${serial++}@example.com`)
      const listings = emails.map((email) =>
        account.manage("POST", "/suppressions", { email, kind: "Bounced" })
      )
      const writes = emails.map((email) => write({ email, consent: requests.Customer }))
      for (const { status } of await Promise.all([...listings, ...writes])) expect(status).toBe(201)
      expect(new Set(await Promise.all(emails.map(statusOf)))).toEqual(new Set(["Bounced"]))
    })
  })
