/**
 * Tests hostile input: it never causes a 500 (`call` fails on one), every response is an envelope or problem+json, and stored
 * input is returned unchanged.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { Contact, ContactWritten, EmailAccepted, EmailSubmission, Page } from "../../support/shapes.ts"
import { smallShare } from "../../fixtures/hostile/Hostile.ts"
import { brokenDocuments } from "../../fixtures/hostile/requests.ts"
import { hostileTexts } from "../../fixtures/hostile/texts.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** Unusual but valid strings, which must be stored unchanged. */
const unicode = [
  "Ærøskøbing",
  "漢字かな交じり文",
  "مرحبا بالعالم",
  "שלום",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "e\u0301 is not \u00e9",
  "\u202eright to left",
  "zero\u200bwidth",
  "\u{10ffff}",
  "\ufffd",
  "'; DROP TABLE contacts; --",
  "<script>alert(1)</script>",
  "{{7*7}} ${7*7} %s %n \\ \" '",
  "\u0001\u001f\u007f control"
] as const

export const hostileInputSuite = (target: () => Target) =>
  describe("hostile input", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Hostile")).sandbox
    })
    const freshEmail = () => `hostile${++serial}@hostile.example`
    const write = (json: unknown) => account.api<ContactWritten>("POST", "/contacts", json)
    const post = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
      call(target(), "POST", `/api/v1${path}`, { token: account.key, body })

    it.each(unicode.map((text) => [text]))("is kept in a contact: %j", async (text) => {
      const answer = await write({
        email: freshEmail(),
        firstName: text,
        city: text,
        externalId: `${++serial}${text}`
      })
      expect(answer.value.contact).toMatchObject({ firstName: text, city: text })
      const read = await account.api<Contact>(
        "GET",
        `/contacts/ext:${encodeURIComponent(`${serial}${text}`)}`
      )
      expect(read.value).toEqual(answer.value.contact)
    })

    it("is kept in an email", async () => {
      // Control characters are not allowed in an email.
      const text = unicode.slice(0, -1).join("\n")
      const metadata = Object.fromEntries(unicode.map((value, index) => [`k${index}`, value]))
      const to = { email: freshEmail(), name: "漢字 👩‍👩‍👧‍👦" }
      const sent = await account.api<EmailAccepted>("POST", "/sending/emails", {
        to,
        subject: "漢 😀",
        text,
        metadata
      })
      const path = `/sending/emails/${sent.value.id}`
      const read = await eventually(
        () => account.api<EmailSubmission>("GET", path),
        (answer) => answer.value.status === "Delivered"
      )
      expect(read.value).toMatchObject({ status: "Delivered", metadata, recipients: [{ name: to.name }] })
      const inbox = await account.manage<Page<Record<string, unknown>>>("GET", "/inbox?pageSize=1")
      expect(inbox.value.items[0]).toMatchObject({ subject: "漢 😀", text })
    })

    it.each(["a\u0000b", "\u0000", "\ud800", "\udc00x", "x\udbff"])(
      "is rejected field by field where it cannot be stored: %j",
      async (text) => {
        for (const field of [
          "externalId",
          "firstName",
          "lastName",
          "phone",
          "city",
          "countryCode",
          "language"
        ]) {
          const answer = await write({ email: freshEmail(), [field]: text })
          expect([field, answer.status, answer.fields]).toEqual([field, 400, [field]])
        }
        const email = { to: freshEmail(), subject: "s", text: "t" }
        for (const change of [
          { subject: text },
          { text },
          { html: text },
          { idempotencyKey: text },
          { to: { email: freshEmail(), name: `a${text}b` } }
        ]) {
          const answer = await account.api("POST", "/sending/emails", { ...email, ...change })
          expect([change, answer.status, answer.fields]).toEqual([change, 400, Object.keys(change)])
        }
        for (const field of ["tags", "metadata"]) {
          const answer = await account.api("POST", "/sending/emails", { ...email, [field]: { k: text } })
          expect([field, answer.status]).toEqual([field, 400])
        }
        const proof = { text: `a${text}b` }
        const consent = await write({ email: freshEmail(), consent: { basis: "Subscribed", proof } })
        expect([consent.status, consent.fields]).toEqual([400, ["consent.proof.text"]])
      }
    )

    it("is named in errors by text that every parser of JSON takes", async () => {
      const attributes = { "\ud800": 1, [`${"x".repeat(187)}😀`]: 1 }
      for (const body of [{ attributes }, { topics: attributes }]) {
        const answer = await post("/contacts", JSON.stringify(body))
        expect(answer.status).toBe(400)
        expect(answer.text).not.toMatch(/\\ud[89a-f]/i)
      }
    })

    it.each(brokenDocuments)("is rejected with 400: $name", async ({ make }) => {
      const body = make(smallShare)
      for (const path of ["/contacts", "/sending/emails"]) {
        const answer = await post(path, body)
        expect(answer.status).toBe(400)
        expect(answer.refusal).not.toBeNull()
      }
    })

    it("is rejected by field: strings of a megabyte", async () => {
      const long = "x".repeat(1_048_576)
      for (const field of ["externalId", "email", "firstName", "phone", "city", "countryCode", "language"]) {
        const answer = await write({ email: freshEmail(), [field]: long })
        expect([field, answer.status, answer.fields]).toEqual([field, 400, [field]])
      }
      const answer = await account.api("POST", "/sending/emails", {
        to: `${long}@b.example`,
        subject: long,
        html: long,
        text: long,
        tags: { [long]: long },
        metadata: { a: long }
      })
      expect(answer.status).toBe(400)
      expect(answer.fields).toEqual(["html", "metadata.a", "subject", "tags", "text", "to"])
    })

    it("is parsed quickly: addresses that are slow for backtracking expressions", async () => {
      const started = performance.now()
      for (const { make } of hostileTexts) {
        const email = make(0.1)
        expect((await write({ email })).status).toBe(400)
        expect(
          (await account.api("POST", "/sending/emails", { to: email, subject: "s", text: "t" })).status
        ).toBe(400)
      }
      expect(performance.now() - started).toBeLessThan(5000)
    })

    it("is treated as plain names: properties of JavaScript's objects", async () => {
      const email = freshEmail()
      for (const name of ["constructor", "toString", "hasOwnProperty", "prototype", "valueOf"]) {
        const answer = await write({ email, attributes: { [name]: "x" } })
        expect(answer.fields).toEqual([`attributes.${name}`])
        expect((await write({ email, topics: { [name]: true } })).codes).toEqual(["topics.not_found"])
        expect((await account.api("GET", `/contacts/ext:${name}`)).status).toBe(404)
        expect((await account.api("GET", `/sending/emails/${name}`)).status).toBe(404)
        expect((await account.api("GET", `/${name}`)).status).toBe(404)
        expect((await account.manage("GET", `/emails?status=${name}`)).status).toBe(400)
        expect((await account.manage("GET", `/emails?${name}=x&__proto__=y`)).status).toBe(400)
        const sent = { to: email, subject: "s", text: "t", tags: { [name]: name }, metadata: { [name]: "" } }
        const accepted = await account.api<EmailAccepted>("POST", "/sending/emails", sent)
        const read = await account.api<EmailSubmission>("GET", `/sending/emails/${accepted.value.id}`)
        expect(Object.entries(read.value.tags)).toEqual([[name, name]])
        expect(Object.entries(read.value.metadata)).toEqual([[name, ""]])
      }
      expect((await write({ email: freshEmail(), externalId: "__proto__" })).status).toBe(201)
      expect((await account.api("GET", "/contacts/ext:__proto__")).status).toBe(200)
    })

    it.each([
      "9223372036854775808",
      "-9223372036854775809",
      "123456789012345678901234567890",
      "1e308",
      "5e-324",
      "-0",
      "0.1e-10"
    ])("gets a valid response where no number is expected: %s", async (number) => {
      expect(
        (await post("/contacts", `{"email":"a@b.example","firstName":${number}}`)).refusal
      ).not.toBeNull()
      expect((await post("/contacts", `{"attributes":{"n":${number}}}`)).status).toBe(400)
      const limit = `{"contactLimit":${number}}`
      const path = `/manage/v1/accounts/${account.accountId}/settings`
      const answer = await call(target(), "PATCH", path, { token: target().managementToken, body: limit })
      expect(answer.status).toBe(number === "-0" ? 200 : 400)
      await account.manage("PATCH", "/settings", { contactLimit: null })
    })

    it.each([
      "%",
      "%zz",
      "%e2%82",
      "%c0%af",
      "%00",
      "%ed%a0%80",
      "ext:%00",
      "ext:%ff",
      "email:%",
      "ext:%F0%9F",
      "%2e%2e%2f",
      "..;",
      "a%2fb",
      `ext:${"x".repeat(201)}`,
      `ext:${"x".repeat(3000)}`,
      "x".repeat(8000),
      `ext:${"%F0%9F%98%80".repeat(201)}`
    ])("gets 400 or 404 as the path segment %s", async (segment) => {
      for (const path of [
        `/api/v1/contacts/${segment}`,
        `/api/v1/sending/emails/${segment}`,
        `/api/v1/${segment}`,
        `/${segment}`
      ]) {
        const answer = await call(target(), "GET", path, { token: account.key })
        expect([400, 404]).toContain(answer.status)
      }
      for (const path of [`/domains/${segment}`, `/api-keys/${segment}`, `/suppressions/${segment}`]) {
        expect([400, 404]).toContain((await account.manage("DELETE", path)).status)
      }
      expect([400, 404]).toContain((await account.manage("GET", `/inbox/${segment}`)).status)
    })

    it("gets a valid response as meaningless query strings", async () => {
      for (const query of [
        "?",
        "?&&&",
        "?=",
        "?%",
        "?page=%",
        "?page=%00",
        "?to=%00",
        `?x=${"y".repeat(4000)}`
      ]) {
        expect([200, 400]).toContain((await account.manage("GET", `/emails${query}`)).status)
      }
      const repeated = await account.manage("GET", `/emails?${"page=1&".repeat(200)}`)
      expect([200, 400]).toContain(repeated.status)
    })

    it("is an unknown token: any visible characters", async () => {
      for (const token of [
        "x\u00e9",
        "\u00ff".repeat(100),
        "svc_test_;--",
        "a,b",
        '"quoted"',
        "=".repeat(6000)
      ]) {
        expect((await call(target(), "GET", "/api/v1/contacts/ext:1", { token })).status).toBe(401)
        expect((await call(target(), "GET", "/metrics", { token })).status).toBe(401)
      }
    })
  })
