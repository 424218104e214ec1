/**
 * Tests idempotency keys of POST /sending/emails (docs/contributing/public-api.md "Transactional email",
 * docs/contributing/decisions.md 5).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { content } from "../../support/mail.ts"
import type { EmailAccepted, EmailSubmission, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

export const idempotencySuite = (target: () => Target) =>
  describe("idempotency keys", () => {
    let workspace: Workspace
    let serial = 0
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Idempotency")
    })
    const freshKey = () => `key-${++serial}`
    const post = (headerKey: string | null, json: object, token = workspace.sandbox.key) =>
      call<EmailAccepted>(target(), "POST", "/api/v1/sending/emails", {
        token,
        json: { to: "a@b.example", ...content, ...json },
        ...(headerKey === null ? {} : { headers: { "idempotency-key": headerKey } })
      })
    const countTo = async (to: string) => {
      const path = `/emails?to=${encodeURIComponent(to)}`
      return (await workspace.sandbox.manage<Page<EmailSubmission>>("GET", path)).value.totalCount
    }
    const inboxTo = async (to: string) => {
      const inbox = await workspace.sandbox.manage<Page<{ to: string }>>("GET", "/inbox?pageSize=200")
      return inbox.value.items.filter((message) => message.to === to).length
    }

    it("are optional: each call without one queues a new email", async () => {
      const answers = [await post(null, {}), await post(null, {})]
      expect(answers.map((answer) => answer.status)).toEqual([201, 201])
      expect(answers[0]!.value.id).not.toBe(answers[1]!.value.id)
    })

    it("return 200 and the same value for a repeat, even when the body differs", async () => {
      const key = freshKey()
      const first = await post(key, { to: "first@once.example" })
      const again = await post(key, { to: "second@once.example", subject: "Other" })
      expect([first.status, again.status]).toEqual([201, 200])
      expect(again.value).toEqual(first.value)
      expect(await countTo("second@once.example")).toBe(0)
    })

    it("return the first call's value for a repeat whose body would be rejected", async () => {
      const key = freshKey()
      const to = "first@valid.example"
      const first = await post(key, { to })
      expect(first.status).toBe(201)
      const raw = (body: string, headerKey: string | null = key) =>
        call<EmailAccepted>(target(), "POST", "/api/v1/sending/emails", {
          token: workspace.sandbox.key,
          headers: {
            "content-type": "application/json",
            ...(headerKey === null ? {} : { "idempotency-key": headerKey })
          },
          body
        })
      const own = JSON.stringify(key)
      const many = `[${"0,".repeat(300_000)}0]`
      const repeats = [
        await post(key, { to: "nobody" }),
        await post(key, { to: null, subject: 5 }),
        await post(key, { from: "a@other.example" }),
        await post(key, { templateId: "none" }),
        await post(null, { to: ["a", {}], idempotencyKey: key }),
        await post(key, { idempotencyKey: 5 }),
        await raw("{}"),
        await raw("null"),
        await raw("[]"),
        await raw(`{"__proto__": 1, "idempotencyKey": ${own}}`, null),
        await raw(`{"idempotencyKey": ${own}, "metadata": {"a": 1e999}}`, null),
        await raw(`{"idempotencyKey": ${own}, "to": "a@b.example", "to": "b@b.example"}`, null),
        await raw(`{"idempotencyKey": ${own}, "variables": ${"[".repeat(99)}${"]".repeat(99)}}`, null),
        await raw(`{"variables": {"a": ${many}}}`)
      ]
      expect(repeats.map((answer) => [answer.status, answer.value?.id])).toEqual(
        repeats.map(() => [200, first.value.id])
      )
      // The key itself is still checked, and a body that is not JSON is not a repeat.
      expect((await post(key, { to: "nobody", idempotencyKey: "other" })).codes).toContain(
        "sending.idempotency_key_mismatch"
      )
      expect((await post(key, { to: 5, idempotencyKey: "other" })).codes).toContain(
        "sending.idempotency_key_mismatch"
      )
      for (const body of ["", "{", `{"idempotencyKey": ${own}`, "nonsense", '{"a": "\\x"}', "[".repeat(99)]) {
        expect((await raw(body)).status).toBe(400)
      }
      // A request with an unknown key is not a repeat either.
      expect((await raw('{"to": 5}', freshKey())).status).toBe(400)
      expect((await post(freshKey(), { to: "nobody" })).codes).toEqual(["validation.email"])
    })

    it("return the first call's value for a repeat, whatever happened to the email since", async () => {
      const key = freshKey()
      const first = await post(key, { to: "bounce@later.example" })
      const path = `/sending/emails/${first.value.id}`
      const now = await eventually(
        () => workspace.sandbox.api<EmailSubmission>("GET", path),
        (answer) => answer.value.status === "Bounced"
      )
      expect(now.value.status).toBe("Bounced")
      expect((await post(key, { to: "bounce@later.example" })).value).toEqual(first.value)
    })

    it("are read from header or body", async () => {
      const key = freshKey()
      const answers = [
        await post(key, {}),
        await post(null, { idempotencyKey: key }),
        await post(key, { idempotencyKey: key })
      ]
      expect(answers.map((answer) => answer.status)).toEqual([201, 200, 200])
      expect(new Set(answers.map((answer) => answer.value.id)).size).toBe(1)
    })

    it("are rejected when header and body differ", async () => {
      const answer = await post(freshKey(), { idempotencyKey: freshKey() })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual(["sending.idempotency_key_mismatch"])
    })

    it("differ by case and by every character", async () => {
      const answers = [
        await post("Case-1", {}),
        await post("case-1", {}),
        await post("case-1 ", {}),
        await post("~!#", {})
      ]
      expect(answers.map((answer) => answer.status)).toEqual([201, 201, 200, 201])
    })

    it.each(["", " ", "a b", "x".repeat(151), "ü", "a\u0000b", "a\nb"])("reject the key %j", async (key) => {
      const answer = await post(null, { idempotencyKey: key })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual(["sending.idempotency_key_invalid"])
      expect(answer.fields).toEqual(["idempotencyKey"])
    })

    it("accept 150 characters and reject 151, in the header too", async () => {
      expect((await post("y".repeat(150), {})).status).toBe(201)
      expect((await post("y".repeat(151), {})).codes).toEqual(["sending.idempotency_key_invalid"])
    })

    it("are not kept for a rejected call", async () => {
      const key = freshKey()
      expect((await post(key, { to: "nobody" })).status).toBe(400)
      expect((await post(key, {})).status).toBe(201)
    })

    it("are shared by all API keys of an account, and separate for each account", async () => {
      const key = freshKey()
      const other = await workspace.sandbox.issueKey(["emails:send"])
      const first = await post(key, {})
      const second = await post(key, {}, other.key)
      const live = await post(key, {}, workspace.live.key)
      expect([first.status, second.status, live.status]).toEqual([201, 200, 201])
      expect(second.value.id).toBe(first.value.id)
      expect(live.value.id).not.toBe(first.value.id)
    })

    it("create one email for fifty concurrent calls", async () => {
      const key = freshKey()
      const to = "fifty@once.example"
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => post(key, { to, subject: `Number ${index}` }))
      )
      expect(new Set(answers.map((answer) => answer.value.id)).size).toBe(1)
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(49)
      expect(await countTo(to)).toBe(1)
      const delivered = await eventually(
        () => inboxTo(to),
        (count) => count > 0
      )
      expect(delivered).toBe(1)
    })

    it("create one email for each of many concurrent keys", async () => {
      const keys = Array.from({ length: 10 }, freshKey)
      const to = "mixed@once.example"
      const answers = await Promise.all([...keys, ...keys, ...keys].map((key) => post(key, { to })))
      expect(new Set(answers.map((answer) => answer.value.id)).size).toBe(10)
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10)
      expect(await countTo(to)).toBe(10)
    })
  })
