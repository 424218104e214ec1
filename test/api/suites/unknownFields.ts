/**
 * Tests unknown fields: management routes reject them and suggest the name probably meant; the public API ignores them and names
 * them in `X-Svc-Warnings`.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const header = "x-svc-warnings"

const rule = { fieldKey: "city", operator: "Equals", value: "Rome" }
const segment = { name: "Romans", definition: { join: "All", rules: [rule] } }
const mail = { id: "mail", kind: "SendEmail", purpose: "Marketing", subject: "Hello", text: "Hello" }
const flow = { name: "Welcome", trigger: { kind: "Api" }, steps: [mail] }

/** Bodies for management routes with one unknown field: its path, and the name that was meant. */
const mistakes: ReadonlyArray<
  readonly [method: string, path: string, body: object, field: string, like: string]
> = [
  ["POST", "/api-keys", { nmae: "Key", permissions: [], expiresInDays: null }, "nmae", "name"],
  [
    "POST",
    "/api-keys",
    { name: "K", permissions: [], expires_in_days: 30 },
    "expires_in_days",
    "expiresInDays"
  ],
  ["PATCH", "/settings", { retentiondays: 30 }, "retentiondays", "retentionDays"],
  [
    "PATCH",
    "/settings",
    { tracking: { opens: true, clicks: true, click: true } },
    "tracking.click",
    "clicks"
  ],
  [
    "POST",
    "/segments",
    { ...segment, definition: { join: "All", rules: [rule, { ...rule, oprator: "Equals" }] } },
    "definition.rules[1].oprator",
    "operator"
  ],
  ["POST", "/flows", { ...flow, trigger: { kind: "Api", filters: null } }, "trigger.filters", "filter"],
  ["POST", "/flows", { ...flow, steps: [{ ...mail, subjet: "Hi" }] }, "steps[0].subjet", "subject"],
  [
    "POST",
    "/flows",
    { ...flow, steps: [{ id: "a", kind: "Split", paths: [{ weigth: 1, steps: [] }, { weight: 1 }] }] },
    "steps[0].paths[0].weigth",
    "weight"
  ]
]

export const unknownFieldsSuite = (target: () => Target) =>
  describe("unknown fields", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Unknown fields")).sandbox
    })
    const freshEmail = () => `unknown${++serial}@unknown.example`
    const post = (path: string, body: string): Promise<Answer<unknown>> =>
      call(target(), "POST", `/api/v1${path}`, { token: account.key, body })

    it.each(mistakes)("of %s %s are refused: %j", async (method, path, body, field, like) => {
      const answer = await account.manage(method, path, body)
      expect(answer.status).toBe(400)
      const entries = answer.envelope?.fieldErrors?.[field] ?? []
      expect(entries.map(({ code }) => code)).toEqual(["validation.unknown_field"])
      expect(entries[0]?.message).toBe(`The field ${field} is not known; did you mean ${like}?`)
    })

    it("are refused without a guess where no name is like them", async () => {
      const { envelope } = await account.manage("POST", "/segments", { ...segment, zzzzzzzz: 1 })
      expect(envelope?.errors).toEqual([
        { code: "validation.unknown_field", message: "The field zzzzzzzz is not known.", params: null }
      ])
    })

    it("change nothing where they are refused", async () => {
      const answer = await account.manage("PATCH", "/settings", { retentionDays: 77, retention: 1 })
      expect(answer.codes).toEqual(["validation.unknown_field"])
      const { value } = await account.manage<{ settings: { retentionDays: number } }>("GET", "")
      expect(value.settings.retentionDays).not.toBe(77)
    })

    it("of the public API are ignored and named", async () => {
      const written = await account.api("POST", "/contacts", {
        email: freshEmail(),
        first_name: "Ada",
        consent: { basis: "Subscribed", proof: { text: "Yes", text_versoin: "2" } }
      })
      expect(written.status).toBe(201)
      expect(written.headers.get(header)).toBe(
        'unknown_field;field="consent.proof.text_versoin";nearest="textVersion", ' +
          'unknown_field;field="first_name";nearest="firstName"'
      )
      const plain = await account.api("POST", "/contacts", { email: freshEmail(), firstName: "Ada" })
      expect(plain.headers.has(header)).toBe(false)
    })

    it("of a batch are named once for all of its elements", async () => {
      const contacts = [{ nam: "Ada" }, { nam: "Ada", other: 1 }, { nam: "Ada" }].map((more) => ({
        email: freshEmail(),
        ...more
      }))
      const { headers, status } = await account.api("POST", "/contacts/batch", { contacts, dryRun: true })
      expect(status).toBe(200)
      expect(headers.get(header)).toBe(
        'unknown_field;field="contacts[0].nam", unknown_field;field="contacts[1].other", unknown_field;field="dryRun"'
      )
    })

    it("of a refused call are named too", async () => {
      const answer = await account.api("POST", "/sending/emails", {
        to: freshEmail(),
        subjet: "Hi",
        text: "Hi"
      })
      expect(answer.status).toBe(400)
      expect(answer.headers.get(header)).toBe('unknown_field;field="subjet";nearest="subject"')
    })

    it("may have any name", async () => {
      const names = [
        "prénom",
        'a"b\\c',
        "line\r\nSet-Cookie: a=b",
        "\u0000",
        "\ud83d\ude00",
        "x".repeat(5_000)
      ]
      for (const name of names) {
        const body = { email: freshEmail(), [name]: 1 }
        const answer = await account.api("POST", "/contacts", body)
        expect(answer.status).toBe(201)
        expect(answer.headers.get(header)).toMatch(/^unknown_field;field="[\x20-\x7e]{1,400}"$/)
        expect(answer.headers.has("set-cookie")).toBe(false)
        expect((await account.manage("POST", "/segments", { ...segment, [name]: 1 })).codes).toEqual([
          "validation.unknown_field"
        ])
      }
    })

    it("may be 20,000", async () => {
      const many = Array.from({ length: 20_000 }, (_, index) => `,"field${index}":1`).join("")
      const ignored = await post("/contacts", `{"email":"${freshEmail()}"${many}}`)
      expect(ignored.status).toBe(201)
      const named = ignored.headers.get(header) ?? ""
      expect(named.length).toBeLessThanOrEqual(2_000)
      expect(named).toMatch(/, more;count=\d{4,}$/)
      const refused = await call(target(), "POST", `/manage/v1/accounts/${account.accountId}/segments`, {
        token: target().managementToken,
        body: `${JSON.stringify(segment).slice(0, -1)}${many}}`
      })
      expect(refused.codes).toEqual(Array.from({ length: 20 }, () => "validation.unknown_field"))
      expect(refused.envelope?.errors.at(-1)?.params).toEqual({ more: 19_980 })
    })
  })
