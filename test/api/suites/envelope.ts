/**
 * Tests the form of every response, and the errors that precede a route's own rules (docs/contributing/public-api.md "Response
 * envelope" and "HTTP status", docs/contributing/decisions.md 2). `call` checks the form of every response; the tests here cause
 * each kind.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const megabyte = 1024 * 1024

/** A contact write with the given number of bytes. */
const bodyOf = (bytes: number): string => {
  const frame = JSON.stringify({ email: "big@b.example", unknown: "" })
  return `${frame.slice(0, -2)}${"x".repeat(bytes - frame.length)}"}`
}

export const envelopeSuite = (target: () => Target) =>
  describe("routes", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Envelope")).sandbox
    })
    const post = (body: string | Uint8Array<ArrayBuffer>, path = "/contacts") =>
      call(target(), "POST", `/api/v1${path}`, { token: account.key, body })

    it.each([
      "/",
      "/api",
      "/api/v1",
      "/api/v1/nothing",
      "/manage/v1/nothing",
      "/api/v2/contacts",
      "//api/v1/contacts/ext:1",
      "/api//v1/contacts/ext:1",
      "/manage/v1/audit-log/",
      "/Health/live"
    ])("return 404 for the unknown path %s", async (path) => {
      const answer = await call(target(), "GET", path, { token: account.key })
      expect(answer.status).toBe(404)
      expect(answer.codes).toEqual(["common.not_found"])
    })

    it.each([
      ["PUT", "/api/v1/contacts"],
      ["DELETE", "/api/v1/contacts"],
      ["PATCH", "/api/v1/contacts/ext:1"],
      ["GET", "/api/v1/sending/emails"],
      ["POST", "/health/live"]
    ])("return 405 for %s %s", async (method, path) => {
      const answer = await call(target(), method, path, { token: account.key })
      expect(answer.status).toBe(405)
      expect(answer.envelope).not.toBeNull()
      expect(answer.headers.get("allow")).toMatch(/[A-Z]+/)
    })

    it("respond to HEAD with the headers of GET and no body", async () => {
      const init = { headers: { authorization: `Bearer ${account.key}` } }
      for (const path of ["/health/live", "/api/v1/contacts/ext:nobody"]) {
        const get = await target().fetch(path, init)
        const head = await target().fetch(path, { ...init, method: "HEAD" })
        expect(head.status).toBe(get.status)
        expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
        const length = Number(get.headers.get("content-length") ?? Buffer.byteLength(await get.text()))
        expect(Number(head.headers.get("content-length"))).toBe(length)
        expect(await head.text()).toBe("")
      }
    })

    it.each(["%FF", "foo%ZZ", "%", "ext%3A%C0%80", `ext:${"a".repeat(3000)}`])(
      "check the key before the reference %s",
      async (reference) => {
        expect((await call(target(), "GET", `/api/v1/contacts/${reference}`)).status).toBe(401)
        const refused = await call(target(), "GET", `/api/v1/contacts/${reference}`, { token: account.key })
        expect(refused.status).toBe(400)
        expect(refused.codes).toEqual(["audience.contact_reference_invalid"])
        expect(refused.headers.get("ratelimit-limit")).not.toBeNull()
      }
    )

    it.each(["announced", "streamed"])("return 413 for a body of more than 10 MB, %s", async (way) => {
      const whole = new Uint8Array(10 * megabyte + 1).fill(32)
      const body = way === "announced" ? whole : new Blob([whole, whole]).stream()
      const response = await target().fetch("/api/v1/contacts", {
        method: "POST",
        headers: {
          authorization: `Bearer ${account.key}`,
          "content-type": "application/json",
          ...(way === "announced" ? { "content-length": String(whole.length) } : {})
        },
        body,
        duplex: "half"
      } as RequestInit)
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({
        isSuccess: false,
        value: null,
        status: 413,
        errors: [{ code: "common.body_too_large" }]
      })
    })

    it.each(["", " ", "{", "[1,]", "{'email':1}", "nul", '{"email":"a@b.example"} x', "\u{feff}x"])(
      "return problem+json for %j, which is invalid JSON",
      async (body) => {
        const answer = await post(body)
        expect(answer.status).toBe(400)
        expect(answer.refusal).not.toBeNull()
      }
    )

    it.each(["null", "5", "true", '"text"', "[]", "[{}]"])(
      "return problem+json for %s, which is not an object",
      async (body) => {
        for (const path of ["/contacts", "/sending/emails"]) {
          const answer = await post(body, path)
          expect(answer.status).toBe(400)
          expect(answer.refusal).not.toBeNull()
        }
      }
    )

    it.each([
      [{ email: 5 }, ["email"]],
      [{ email: {}, firstName: [] }, ["email", "firstName"]],
      [{ consent: { basis: "Subscribed", proof: { text: 1 } } }, ["consent.proof.text"]],
      [{ consent: { proof: { text: "yes" } } }, ["consent.basis"]],
      [{ consent: "Subscribed" }, ["consent"]],
      [{ attributes: [1] }, ["attributes"]],
      [{ topics: { news: "yes" } }, ["topics.news"]]
    ])("name the fields of the invalid shape %j", async (json, fields) => {
      const answer = await account.api("POST", "/contacts", json)
      expect(answer.status).toBe(400)
      expect(answer.refusal).not.toBeNull()
      expect(answer.fields).toEqual(fields)
    })

    it("report invalid shapes on management routes in the same way", async () => {
      const answer = await account.manage("POST", "/api-keys", { name: 5, permissions: ["emails:send"] })
      expect(answer.refusal).not.toBeNull()
      expect(answer.fields).toEqual(["expiresInDays", "name"])
    })

    it("report violated rules in the envelope, by field and with their numbers", async () => {
      const answer = await account.api("POST", "/contacts", {
        email: "nobody",
        phone: "1".repeat(41),
        consent: { basis: "Subscribed", proof: { text: " " } }
      })
      expect(answer.status).toBe(400)
      expect(answer.refusal).toBeNull()
      expect(answer.fields).toEqual(["consent.proof.text", "email", "phone"])
      expect(answer.envelope?.errors).toHaveLength(3)
      expect(answer.envelope?.fieldErrors?.["phone"]).toMatchObject([
        { code: "validation.max_length", params: { max: 40 } }
      ])
      expect(answer.envelope?.fieldErrors?.["email"]).toMatchObject([{ code: "validation.email" }])
    })

    it("accept a body of 10 MB", async () => {
      expect((await post(bodyOf(10 * megabyte))).status).toBe(201)
    })

    it.each(["abc", "a.b_c-D9", "01890a5d-ac96-774b-bcce-b302099a8057", "x".repeat(64)])(
      "keep the request id %s",
      async (id) => {
        for (const path of ["/health/live", "/api/v1/contacts/ext:1", "/nowhere"]) {
          const answer = await call(target(), "GET", path, { headers: { "x-request-id": id } })
          expect(answer.headers.get("x-request-id")).toBe(id)
        }
      }
    )

    it.each([
      "",
      "a b",
      "a\tb",
      "<script>",
      "a,b",
      "a;b",
      'x"y',
      "\u00e9",
      "%0d%0aset-cookie:x",
      "y".repeat(129)
    ])("replace the request id %j", async (id) => {
      const answer = await call(target(), "GET", "/health/live", { headers: { "x-request-id": id } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get("x-request-id")).not.toBe(id)
      expect(answer.headers.get("set-cookie")).toBeNull()
    })

    it("give each request a unique id", async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call(target(), "GET", "/health/live"))
      )
      expect(new Set(answers.map((answer) => answer.headers.get("x-request-id"))).size).toBe(20)
    })

    it("respond to HEAD as to GET, without a body", async () => {
      expect((await account.api("POST", "/contacts", { email: "head@b.example" })).status).toBe(201)
      for (const [path, token, status] of [
        ["/api/v1/contacts/email:head@b.example", account.key, 200],
        ["/api/v1/contacts/email:other@b.example", account.key, 404],
        ["/api/v1/contacts/email:head@b.example", undefined, 401],
        ["/nowhere", undefined, 404]
      ] as const) {
        const answer = await call(target(), "HEAD", path, { token })
        expect(answer.status).toBe(status)
        expect(answer.text).toBe("")
      }
    })

    it("respond to OPTIONS without running a route", async () => {
      const answer = await call(target(), "OPTIONS", "/api/v1/contacts", { token: account.key })
      expect([204, 405]).toContain(answer.status)
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    })

    it("ignore unknown fields", async () => {
      const answer = await account.api("POST", "/contacts", {
        email: "extra@b.example",
        surprise: { a: [1] }
      })
      expect(answer.status).toBe(201)
    })
  })
