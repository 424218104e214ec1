/**
 * Tests the limits of request bodies: an unreadable element of a batch fails alone, bodies with more values than any valid one
 * are rejected, and a response lists a bounded number of errors.
 *
 * @module
 */
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import { connectStore, type EventsTaken, storeEvent } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface BatchWritten {
  readonly created: number
  readonly failed: number
  readonly results: ReadonlyArray<{
    readonly errors: ReadonlyArray<{ readonly params: Readonly<Record<string, number>> | null }> | null
  }>
}

interface EventsReported {
  readonly accepted: number
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly reasons: ReadonlyArray<unknown> }>
}

const repeated = (count: number, entry: string): string => `${entry}${`,${entry}`.repeat(count - 1)}`

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** Values that make the containing element fail, with the field of the error. */
const unreadable: ReadonlyArray<readonly [name: string, value: string, field: string]> = [
  ["a number beyond a double", "1e400", "attributes.x"],
  ["a nested number beyond a double", '{"y":[0,-1e400]}', "attributes.x.y[1]"],
  ["a key named __proto__", '{"__proto__":1}', "attributes.x"],
  ["values nested too deeply", nested(70), "attributes"],
  ["values nested much too deeply", nested(5000), "attributes"]
]

export const bodyBoundsSuite = (target: () => Target) =>
  describe("body bounds", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Bounds")).sandbox
    })
    const post = <Value = unknown>(path: string, body: string): Promise<Answer<Value>> =>
      call(target(), "POST", `/api/v1${path}`, { token: account.key, body })
    const freshEmail = () => `bounds${++serial}@bounds.example`
    const contact = (more = "") => `{"email":"${freshEmail()}"${more}}`
    const event = (more = "") =>
      `{"id":"bounds-${++serial}","name":"tested","contact":{"email":"${freshEmail()}"}${more}}`
    const item = (more = "") => `{"id":"bounds-${++serial}","name":"n"${more}}`

    it.each(unreadable)("fail an entry of a batch alone: %s", async (_name, value, field) => {
      const wrong = `,"attributes":{"x":${value}}`
      const contacts = await post<BatchWritten>(
        "/contacts/batch",
        `{"contacts":[${contact()},${contact(wrong)},${contact()}]}`
      )
      expect(contacts.value).toMatchObject({ created: 2, failed: 1 })
      const errors = [{ code: "validation.type", field, params: null }]
      expect(contacts.value.results[1]).toMatchObject({ status: "Failed", errors })
      const items = await post<BatchWritten>("/items/batch", `{"items":[${item(wrong)},${item()}]}`)
      expect(items.value).toMatchObject({ created: 1, failed: 1 })
      expect(items.value.results[0]).toMatchObject({ status: "failed", errors })
    })

    it("fail an entry of a batch with a key given twice alone", async () => {
      const twice = `,"attributes":{"x":1,"\\u0078":2}`
      const contacts = await post<BatchWritten>(
        "/contacts/batch",
        `{"contacts":[${contact(twice)},${contact()}]}`
      )
      expect(contacts.value).toMatchObject({ created: 1, failed: 1 })
      expect(contacts.value.results[0]).toMatchObject({
        errors: [{ code: "validation.type", field: null, params: null }]
      })
      const events = await post<EventsReported>(
        "/events",
        `{"events":[${event(',"properties":{"a":1,"a":1}')},${event()}]}`
      )
      expect(events.value).toMatchObject({
        accepted: 1,
        rejected: [{ index: 0, reasons: [{ code: "validation.type", field: null }] }]
      })
    })

    it("name the properties of an event that are too deep", async () => {
      for (const levels of [4, 62, 70, 5000]) {
        const { value } = await post<EventsReported>(
          "/events",
          `{"events":[${event()},${event(`,"properties":{"a":${nested(levels)}}`)}]}`
        )
        const reasons = [{ code: "activity.event_properties_too_deep", field: "properties" }]
        expect(value).toMatchObject({ accepted: 1, rejected: [{ index: 1, reasons }] })
      }
    })

    it("fail an event of a store alone", async () => {
      const store = await connectStore(target(), account)
      const good = JSON.stringify(storeEvent("cart.cleared", { id: "c1" }))
      const answer = await call<EventsTaken>(target(), "POST", `/ingest/v1/stores/${store.id}/events`, {
        token: store.token,
        body: `{"events":[${good.replace("}}", ',"x":1e999}}')},${good}]}`
      })
      expect(answer.value).toMatchObject({
        accepted: 1,
        rejected: [{ index: 0, reasons: [{ code: "validation.type", field: "data.x" }] }]
      })
    })

    it.each([
      ["an entry that is no JSON", '{"contacts":[{"email":]}'],
      ["nothing between commas", '{"contacts":[{},,{}]}'],
      ["a comma at the end", '{"contacts":[{},]}'],
      ["a comma alone", '{"contacts":[,]}'],
      ["entries without a comma", '{"contacts":[{} {}]}'],
      ["a bracket of another kind", '{"contacts":[{]}}'],
      ["a list that does not end", '{"contacts":[{}'],
      ["brackets that never end", `{"contacts":[${"[".repeat(50_000)}`],
      ["a byte order mark before an entry", '{"contacts":[\ufeff{}]}'],
      ["what follows the list", '{"contacts":[{}]} x'],
      ["the list twice", '{"contacts":[],"contacts":[]}'],
      ["no list", '{"contact":[{}]}'],
      ["a list that is none", '{"contacts":{}}'],
      ["a list that is text", '{"contacts":"[]"}'],
      ["a list beside an object", '[{"contacts":[]}]']
    ])("refuse the whole body of a batch: %s", async (_name, body) => {
      const answer = await post("/contacts/batch", body)
      expect([answer.status, answer.refusal === null]).toEqual([400, false])
    })

    it("refuse a body that is compressed, and take it as it is", async () => {
      const send = (path: string, token: string, encoding: string, body: Uint8Array<ArrayBuffer>) =>
        call(target(), "POST", path, { token, body, headers: { "content-encoding": encoding } })
      const { accountId, key } = account
      const manage = `/manage/v1/accounts/${accountId}`
      const unsupported = [415, ["common.encoding_unsupported"]]
      for (const [path, token, body] of [
        ["/api/v1/contacts", key, contact()],
        ["/api/v1/contacts/batch", key, `{"contacts":[${contact()}]}`],
        [`${manage}/topics`, target().managementToken, '{"key":"packed","name":"Packed"}'],
        [`${manage}/import`, target().managementToken, "{}"]
      ] as const) {
        const packed = await send(path, token, "gzip", new Uint8Array(gzipSync(body)))
        expect([path, packed.status, packed.codes]).toEqual([path, ...unsupported])
      }
      const plain = await send("/api/v1/contacts", key, "identity", new TextEncoder().encode(contact()))
      expect(plain.status).toBe(201)
    })

    it("find the list however its key is written, and wherever it is", async () => {
      const body = ` {"x":{"contacts":[1]}, "\\u0063ontacts" : [ ${contact()} , ${contact()} ] ,"y":[[]]}`
      expect((await post<BatchWritten>("/contacts/batch", body)).value).toMatchObject({ created: 2 })
      expect((await post<BatchWritten>("/contacts/batch", '{"contacts": [ ] }')).value).toMatchObject({
        results: []
      })
    })

    it("accept every finite number as an attribute", async () => {
      const numbers = ["1e21", "9223372036854775808", "-12345678901234567890123", "1.5e-300", "1e308"]
      for (const [index, number] of numbers.entries()) {
        const key = `number_${index}`
        await account.api("POST", "/contact-attributes", { key, type: "Number" })
        const written = await post<{ readonly contact: { readonly attributes: unknown } }>(
          "/contacts",
          contact(`,"attributes":{"${key}":${number}}`)
        )
        expect(written.value.contact.attributes).toEqual({ [key]: Number(number) })
      }
    })

    it.each([
      ["/contacts/batch", (list: string) => `{"contacts":[],"x":[${list}]}`],
      ["/events", (list: string) => `{"x":[${list}],"events":[]}`],
      ["/sending/emails", (list: string) => `{"to":"a@b.example","subject":"s","text":"t","bcc":[${list}]}`],
      ["/contacts", (list: string) => `{"email":"a@b.example","attributes":{"x":[${list}]}}`],
      ["/items", (list: string) => `{"id":"a","categories":[${list}]}`]
    ])("refuse a body with more values than any valid one: %s", async (path, body) => {
      for (const entry of ["{}", '"x"']) {
        const answer = await post(path, body(repeated(300_000, entry)))
        expect([answer.status, answer.codes]).toEqual([400, ["common.body_too_complex"]])
      }
    })

    it("refuse more different keys than any valid body has, in an entry of a batch alone", async () => {
      const keys = `{${Array.from({ length: 30_001 }, (_, index) => `"k${index}":1`).join()}}`
      for (const [path, body] of [
        ["/contacts", contact(`,"attributes":${keys}`)],
        ["/contacts/batch", `{"contacts":[],"x":${keys}}`],
        ["/sending/emails", `{"to":"a@b.example","subject":"s","text":"t","variables":${keys}}`]
      ] as const) {
        const answer = await post(path, body)
        expect([answer.status, answer.codes]).toEqual([400, ["common.body_too_complex"]])
      }
      const store = await connectStore(target(), account)
      const good = JSON.stringify(storeEvent("cart.cleared", { id: "c1" }))
      const taken = await call<EventsTaken>(target(), "POST", `/ingest/v1/stores/${store.id}/events`, {
        token: store.token,
        body: `{"events":[${good.replace("}}", `,"x":${keys}}}`)},${good}]}`
      })
      expect(taken.value).toMatchObject({
        accepted: 1,
        rejected: [{ index: 0, reasons: [{ code: "common.body_too_complex" }] }]
      })
    })

    it("refuse such a body on management routes", async () => {
      const answers = await Promise.all([
        account.manage("POST", "/segments", { name: "s", definition: { join: "All", rules: many({}) } }),
        account.manage("POST", "/flows", { name: "f", trigger: { kind: "Api" }, steps: many([]) }),
        account.manage("POST", "/templates", { name: "t", subject: "s", html: "h", x: many(1) })
      ])
      for (const answer of answers) {
        expect([answer.status, answer.codes]).toEqual([400, ["common.body_too_complex"]])
      }
    })

    it("refuse a list that is too long without reading its entries", async () => {
      const answer = await post("/contacts/batch", `{"contacts":[${repeated(1001, "{}")},not JSON`)
      expect([answer.status, answer.codes]).toEqual([400, ["audience.batch_too_large"]])
    })

    it("list twenty errors of an entry, and count the others", async () => {
      const attributes = `,"attributes":{${Array.from({ length: 3000 }, (_, index) => `"u${index}":1`).join()}}`
      const single = await post("/contacts", contact(attributes))
      expect(single.status).toBe(400)
      expect(single.envelope?.errors).toHaveLength(20)
      expect(single.envelope?.errors.at(-1)).toMatchObject({
        code: "audience.attribute_unknown",
        params: { more: 2980 }
      })
      const { value } = await post<BatchWritten>(
        "/contacts/batch",
        `{"contacts":[${contact(attributes)},${contact()}]}`
      )
      expect(value.results[0]!.errors).toHaveLength(20)
      expect(value.results[0]!.errors!.at(-1)!.params).toEqual({ more: 2980 })
    })

    it("list a thousand errors of a batch", async () => {
      const attributes = `,"attributes":{${Array.from({ length: 300 }, (_, index) => `"u${index}":1`).join()}}`
      const { value } = await post<BatchWritten>(
        "/contacts/batch",
        `{"contacts":[${Array.from({ length: 200 }, () => contact(attributes)).join()}]}`
      )
      const errors = value.results.flatMap((result) => result.errors ?? [])
      expect(errors).toHaveLength(1000)
      const more = errors.reduce((sum, error) => sum + (error.params?.["more"] ?? 0), 0)
      expect(more).toBe(200 * 300 - 1000)
    })

    it("list twenty errors of a shape, and count the others", async () => {
      const email = `{"to":"a@b.example","subject":"s","text":"t","bcc":[${repeated(50_000, "{}")}]}`
      const answer = await post("/sending/emails", email)
      expect(answer.status).toBe(400)
      expect(answer.fields).toHaveLength(20)
      expect(answer.refusal?.message).toContain("49980 more errors")
      const topics = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`t${index}`, 1]))
      const { value } = await account.api<EventsReported>("POST", "/events", {
        events: [{ id: "many", name: "tested", contact: { email: freshEmail(), topics } }]
      })
      expect(value.rejected[0]!.reasons).toHaveLength(20)
      expect(value.rejected[0]!.reasons.at(-1)).toMatchObject({ params: { more: 70 } })
    })

    it("cut the names of fields in errors", async () => {
      const answer = await account.api("POST", "/contacts", {
        email: freshEmail(),
        attributes: { ["k".repeat(100_000)]: 1 }
      })
      expect(answer.codes).toEqual(["audience.attribute_unknown"])
      expect(answer.fields[0]).toHaveLength(200)
    })
  })

const many = (entry: unknown): ReadonlyArray<unknown> => Array.from({ length: 300_000 }, () => entry)
