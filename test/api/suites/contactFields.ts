/**
 * Tests contact fields, and contacts' attributes (docs/contributing/public-api.md "Contact fields",
 * docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { Answer } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { type Contact, type ContactWritten, dateTimePattern } from "../../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Field {
  readonly key: string
  readonly label: string
  readonly type: string
  readonly description: string | null
  readonly createdFrom: string
  readonly createdAt: string
  readonly archivedAt: string | null
}

const fieldsOf = (account: TestAccount) => ({
  create: (json: unknown) => account.api<Field>("POST", "/contact-attributes", json),
  list: async () => (await account.api<ReadonlyArray<Field>>("GET", "/contact-attributes")).value,
  change: (key: string, json: unknown) => account.api<Field>("PATCH", `/contact-attributes/${key}`, json),
  write: (json: object) => account.api<ContactWritten>("POST", "/contacts", json)
})

const expectRefusal = (answer: Answer<unknown>, status: number, code: string, field: string | null) => {
  expect([answer.status, ...answer.codes]).toEqual([status, code])
  expect(answer.fields).toEqual(field === null ? [] : [field])
}

export const contactFieldsSuite = (target: () => Target) =>
  describe("the API of contact fields", () => {
    let account: TestAccount
    let fields: ReturnType<typeof fieldsOf>
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Contact fields")).sandbox
      fields = fieldsOf(account)
    })
    const freshKey = () => `key_${++serial}`
    const freshEmail = () => `person${++serial}@fields.example`
    const freshFields = async (settings: object = {}) => {
      const { live } = await openWorkspace(target(), "Fields of its own")
      await live.manage("PATCH", "/settings", settings)
      return fieldsOf(live)
    }

    it("creates a field from a key alone", async () => {
      const answer = await fields.create({ key: " trial_ends_at " })
      expect(answer.status).toBe(201)
      const { createdAt, ...rest } = answer.value
      expect(rest).toEqual({
        key: "trial_ends_at",
        label: "Trial ends at",
        type: "Text",
        description: null,
        createdFrom: "Api",
        archivedAt: null
      })
      expect(createdAt).toMatch(dateTimePattern)
      expect(await fields.list()).toContainEqual(answer.value)
    })

    it.each(["Text", "Number", "Boolean", "Date", "DateTime", "TextList"])(
      "makes a field of type %s",
      async (type) => {
        const asked = { key: freshKey(), label: " Größe ", type, description: " How it is. " }
        expect((await fields.create(asked)).value).toMatchObject({
          ...asked,
          label: "Größe",
          description: "How it is."
        })
      }
    )

    it.each(["", "_a", "1a", "Plan", "a-b", "a.b", "plän", "a b", "x".repeat(41)])(
      "refuses the key %j",
      async (key) => {
        expectRefusal(await fields.create({ key }), 400, "audience.attribute_key_invalid", "key")
      }
    )

    it("reserves every name of the read shape", async () => {
      const { contact } = (await fields.write({ email: freshEmail() })).value
      for (const key of Object.keys(contact)) {
        expectRefusal(await fields.create({ key }), 400, "audience.attribute_reserved", "key")
      }
    })

    it.each([
      "first_name",
      "country_code",
      "consent_status",
      "external_id",
      "is_paying_customer",
      "added_at"
    ])("reserves %s, a built-in name in snake case", async (key) => {
      expectRefusal(await fields.create({ key }), 400, "audience.attribute_reserved", "key")
    })

    it.each([
      [{ type: "Money" }, "validation.format", "type"],
      [{ type: "text" }, "validation.format", "type"],
      [{ label: "x".repeat(81) }, "validation.max_length", "label"],
      [{ description: "x".repeat(301) }, "validation.max_length", "description"],
      [{ description: "a\0b" }, "validation.format", "description"]
    ])("rejects %j", async (values, code, field) => {
      expectRefusal(await fields.create({ key: freshKey(), ...values }), 400, code, field)
    })

    it("returns problem+json for a missing key or an invalid label", async () => {
      expect((await fields.create({ label: "Plan" })).refusal?.errors).toHaveProperty("key")
      expect((await fields.create({ key: "plan", label: 5 })).refusal?.errors).toHaveProperty("label")
      expect((await fields.change("plan", { archived: "yes" })).refusal?.errors).toHaveProperty("archived")
    })

    it("rejects a key that the account has, and accepts one of another account", async () => {
      const key = freshKey()
      const answers = await Promise.all(Array.from({ length: 8 }, () => fields.create({ key })))
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array(7).fill(409)])
      expectRefusal(await fields.create({ key }), 409, "audience.attribute_exists", "key")
      expect((await (await freshFields()).create({ key })).status).toBe(201)
    })

    it("accepts 100 fields, archived ones included, also in concurrent calls", async () => {
      const { change, create, list } = await freshFields()
      const answers = await Promise.all(
        Array.from({ length: 110 }, (_, index) => create({ key: `f${index}` }))
      )
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(100)
      for (const answer of answers.filter((one) => one.status !== 201)) {
        expectRefusal(answer, 400, "audience.attribute_limit_reached", null)
        expect(answer.envelope?.errors[0]?.params).toEqual({ max: 100 })
      }
      const [first] = await list()
      expect((await change(first!.key, { archived: true })).status).toBe(200)
      expectRefusal(await create({ key: "one_more" }), 400, "audience.attribute_limit_reached", null)
      expectRefusal(await create({ key: first!.key }), 409, "audience.attribute_exists", "key")
      expect(await list()).toHaveLength(100)
    })

    it("lists fields ordered by key, archived ones included", async () => {
      const { change, create, list } = await freshFields()
      for (const key of ["b", "a_b", "ab", "a", "a1"]) await create({ key })
      await change("ab", { archived: true })
      expect((await list()).map((field) => field.key)).toEqual(["a", "a1", "a_b", "ab", "b"])
    })

    it("changes what is given and keeps the rest", async () => {
      const key = freshKey()
      const made = (await fields.create({ key, label: "Plan", type: "Number", description: "Which." })).value
      const changed = await fields.change(key, { label: " Tier " })
      expect(changed.status).toBe(200)
      expect(changed.value).toEqual({ ...made, label: "Tier" })
      expect((await fields.change(key, {})).value).toEqual(changed.value)
      expect((await fields.change(key, { label: null, archived: null })).value).toEqual(changed.value)
      expect((await fields.change(key, { description: null })).value.description).toBeNull()
      expect((await fields.change(key, { key: "other", type: "Text" })).value).toMatchObject({
        key,
        type: "Number"
      })
      expectRefusal(
        await fields.change(key, { label: "x".repeat(81) }),
        400,
        "validation.max_length",
        "label"
      )
      expect(await fields.list()).toContainEqual({ ...made, label: "Tier", description: null })
    })

    it("returns 404 for an unknown field", async () => {
      for (const key of ["nobody", "constructor", "%00", "x".repeat(200)]) {
        expectRefusal(
          await fields.change(key, { archived: true }),
          404,
          "audience.attribute_not_found",
          "key"
        )
      }
    })

    it("archives and restores a field, keeping its values", async () => {
      const key = freshKey()
      await fields.create({ key })
      const email = freshEmail()
      await fields.write({ email, attributes: { [key]: "kept" } })
      const archived = (await fields.change(key, { archived: true })).value
      expect(archived.archivedAt).toMatch(dateTimePattern)
      expect((await fields.change(key, { archived: true })).value).toEqual(archived)
      for (const value of ["other", "kept", null, 5]) {
        expectRefusal(
          await fields.write({ email, attributes: { [key]: value } }),
          400,
          "audience.attribute_archived",
          `attributes.${key}`
        )
      }
      expect((await account.api<Contact>("GET", `/contacts/email:${email}`)).value["attributes"]).toEqual({
        [key]: "kept"
      })
      expect((await fields.change(key, { archived: false })).value.archivedAt).toBeNull()
      expect((await fields.write({ email, attributes: { [key]: "other" } })).status).toBe(200)
    })

    it("sets, keeps and removes attributes", async () => {
      const [text, list, moment] = [freshKey(), freshKey(), freshKey()]
      await fields.create({ key: text })
      await fields.create({ key: list, type: "TextList" })
      await fields.create({ key: moment, type: "DateTime" })
      const email = freshEmail()
      const attributesOf = async (attributes: object) =>
        (await fields.write({ email, attributes })).value.contact["attributes"]
      expect(await attributesOf({ [text]: " pro ", [list]: ["a", " b "] })).toEqual({
        [text]: "pro",
        [list]: ["a", "b"]
      })
      expect(await attributesOf({ [moment]: "2031-04-06T07:08:09+02:00", [list]: null })).toEqual({
        [text]: "pro",
        [moment]: "2031-04-06T05:08:09.000Z"
      })
      expect(await attributesOf({ [text]: null, [moment]: null, [list]: null })).toEqual({})
    })

    it.each<[string, ReadonlyArray<unknown>]>([
      ["Text", [1, true, ["a"], {}, "x".repeat(1001)]],
      ["Number", ["1", false, [1]]],
      ["Boolean", ["true", 1]],
      ["Date", ["2031-02-30", "31.12.2031", "2031-04-06T07:08:09Z", 5]],
      ["DateTime", ["2031-04-06", "2031-04-06T07:08:09", "soon", 5]],
      ["TextList", ["a", [1], ["x".repeat(201)], Array(101).fill("a")]]
    ])("rejects an invalid %s", async (type, values) => {
      const key = freshKey()
      await fields.create({ key, type })
      for (const value of values) {
        const answer = await fields.write({ email: freshEmail(), attributes: { [key]: value } })
        expectRefusal(answer, 400, "audience.attribute_type_mismatch", `attributes.${key}`)
      }
    })

    it("creates fields of unknown keys where the account allows it, typed by the first value", async () => {
      const { change, list, write } = await freshFields({ autoCreateAttributes: true })
      const attributes = {
        plan: "pro",
        seats: 3,
        vip: true,
        tags_used: ["a"],
        born: "1990-01-31",
        seen: "2031-04-06T07:08:09Z",
        constructor: "builder"
      }
      const email = freshEmail()
      const first = await write({ email, attributes: { ...attributes, nothing: null } })
      expect(first.status).toBe(201)
      expect(first.value.contact["attributes"]).toEqual({ ...attributes, seen: "2031-04-06T07:08:09.000Z" })
      expect((await list()).map(({ createdFrom, key, type }) => [key, type, createdFrom])).toEqual([
        ["born", "Date", "Api"],
        ["constructor", "Text", "Api"],
        ["plan", "Text", "Api"],
        ["seats", "Number", "Api"],
        ["seen", "DateTime", "Api"],
        ["tags_used", "TextList", "Api"],
        ["vip", "Boolean", "Api"]
      ])
      expectRefusal(
        await write({ email, attributes: { seats: "three" } }),
        400,
        "audience.attribute_type_mismatch",
        "attributes.seats"
      )
      for (const [key, code] of [
        ["Bad key", "audience.attribute_key_invalid"],
        ["email", "audience.attribute_reserved"]
      ] as const) {
        expectRefusal(await write({ email, attributes: { [key]: "x" } }), 400, code, `attributes.${key}`)
      }
      expectRefusal(
        await write({ email, attributes: { fresh: "x", seats: "three" } }),
        400,
        "audience.attribute_type_mismatch",
        "attributes.seats"
      )
      expectRefusal(
        await write({ email, attributes: { odd: { a: 1 } } }),
        400,
        "audience.attribute_type_mismatch",
        "attributes.odd"
      )
      expect(await list()).toHaveLength(7)
      expect((await change("plan", { archived: true })).status).toBe(200)
      expectRefusal(
        await write({ email, attributes: { plan: "x" } }),
        400,
        "audience.attribute_archived",
        "attributes.plan"
      )
    })

    it("creates one field for a key of many concurrent calls, and loses no value", async () => {
      const { list, write } = await freshFields({ autoCreateAttributes: true })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          write({ email: freshEmail(), attributes: { plan: `p${index}`, [`own_${index % 4}`]: index } })
        )
      )
      expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(201))
      expect((await list()).map((field) => field.key)).toEqual(["own_0", "own_1", "own_2", "own_3", "plan"])
      expect(answers.map((answer) => answer.value.contact["attributes"])).toEqual(
        answers.map((_, index) => ({ plan: `p${index}`, [`own_${index % 4}`]: index }))
      )
    })

    it("creates at most 100 fields of unknown keys, in all calls together", async () => {
      const { create, list, write } = await freshFields({ autoCreateAttributes: true })
      const many = Object.fromEntries(Array.from({ length: 95 }, (_, index) => [`f${index}`, index]))
      expect((await write({ email: freshEmail(), attributes: many })).status).toBe(201)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? create({ key: `made_${index}` })
            : write({ email: freshEmail(), attributes: { [`auto_${index}`]: index } })
        )
      )
      const refused = answers.filter((answer) => answer.status !== 201)
      expect(refused).toHaveLength(15)
      for (const answer of refused) expect(answer.codes).toEqual(["audience.attribute_limit_reached"])
      expect(await list()).toHaveLength(100)
    })

    it("requires the documented permission", async () => {
      const { key } = await account.issueKey(["contacts:read"])
      const send = (method: string, path: string) =>
        target().fetch(`/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: JSON.stringify({ key: "plan" }) })
        })
      expect((await send("GET", "/contact-attributes")).status).toBe(200)
      expect((await send("POST", "/contact-attributes")).status).toBe(403)
      expect((await send("PATCH", "/contact-attributes/plan")).status).toBe(403)
    })
  })
