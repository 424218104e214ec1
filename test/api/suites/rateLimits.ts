/**
 * Tests the fixed one-minute windows of keys (docs/contributing/public-api.md "Limits", docs/contributing/decisions.md 2).
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import { connectStore } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { enterWindow, windowMillis } from "../../support/window.ts"
import { openWorkspace } from "../../support/workspace.ts"

const numberOf = (answer: Answer<unknown>, name: string): number => {
  const value = answer.headers.get(name)
  expect(value).toMatch(/^\d+$/)
  return Number(value)
}

const rateOf = (answer: Answer<unknown>) => ({
  limit: numberOf(answer, "ratelimit-limit"),
  remaining: numberOf(answer, "ratelimit-remaining")
})

export const rateLimitsSuite = (target: () => Target) =>
  describe("rate limits", () => {
    /** Creates an account with a limit. Returns a function that calls the API with each of its keys. */
    const openLimited = async (rateLimitPerMinute: number) => {
      const { sandbox } = await openWorkspace(target(), "Rates")
      const limit = (value: number) => sandbox.manage("PATCH", "/settings", { rateLimitPerMinute: value })
      await limit(rateLimitPerMinute)
      await enterWindow(target())
      const read = (token = sandbox.key) => call(target(), "GET", "/api/v1/contacts/ext:1", { token })
      return { sandbox, limit, read }
    }

    it("are 600 calls a minute for each key by default", async () => {
      const { accountId } = target().sandbox
      const token = target().managementToken
      const path = `/manage/v1/accounts/${accountId}`
      const account = await call<{ settings: { rateLimitPerMinute: number } }>(target(), "GET", path, {
        token
      })
      expect(account.value.settings.rateLimitPerMinute).toBe(600)
    })

    it("count down to 429, with the time to wait", async () => {
      const { read } = await openLimited(3)
      const answers = [await read(), await read(), await read(), await read(), await read()]
      expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 429, 429])
      expect(answers.map(rateOf)).toEqual([2, 1, 0, 0, 0].map((remaining) => ({ limit: 3, remaining })))
      const refused = answers[3]!
      expect(refused.envelope).not.toBeNull()
      expect(numberOf(refused, "retry-after")).toBeGreaterThanOrEqual(1)
      expect(numberOf(refused, "retry-after")).toBeLessThanOrEqual(60)
      expect(numberOf(refused, "retry-after")).toBe(numberOf(refused, "ratelimit-reset"))
      expect(answers[0]!.headers.get("retry-after")).toBeNull()
    })

    it("have windows that end with the minute of the wall clock", async () => {
      const { read } = await openLimited(1000)
      const secondsLeft = () =>
        Math.max(1, Math.ceil((windowMillis - (target().now() % windowMillis)) / 1000))
      const before = secondsLeft()
      const reset = numberOf(await read(), "ratelimit-reset")
      expect(reset).toBeLessThanOrEqual(before)
      expect(reset).toBeGreaterThanOrEqual(secondsLeft())
    })

    it("set the headers on every response to a call with a key", async () => {
      const { sandbox } = await openLimited(1000)
      const weak = await sandbox.issueKey(["items:read"])
      const answers = [
        await sandbox.api("POST", "/contacts", { email: "rate@b.example" }),
        await sandbox.api("POST", "/contacts", { email: "rate@b.example" }),
        await sandbox.api("POST", "/contacts", { email: "wrong" }),
        await sandbox.api("POST", "/contacts", { email: 5 }),
        await sandbox.api("GET", "/contacts/nobody"),
        await sandbox.api("GET", "/contacts/ext:nobody"),
        await sandbox.api("POST", "/sending/emails", { to: "a@b.example", subject: "s", text: "t" })
      ]
      expect(answers.map((answer) => answer.status)).toEqual([201, 200, 400, 400, 400, 404, 201])
      expect(answers.map(rateOf)).toEqual(
        answers.map((_, index) => ({ limit: 1000, remaining: 999 - index }))
      )
      const forbidden = await call(target(), "GET", "/api/v1/contacts/ext:1", { token: weak.key })
      expect(forbidden.status).toBe(403)
      expect(rateOf(forbidden)).toEqual({ limit: 1000, remaining: 1000 })
    })

    it("count calls of a wrong path or method, whatever the key may do", async () => {
      const { sandbox } = await openLimited(3)
      const weak = await sandbox.issueKey(["items:read"])
      const read = (method: string, path: string) => call(target(), method, path, { token: weak.key })
      const answers = [
        await read("GET", "/api/v1/nothing"),
        await read("DELETE", "/api/v1/contacts"),
        await read("PUT", "/nothing"),
        await read("GET", "/api/v1/nothing")
      ]
      expect(answers.map((answer) => answer.status)).toEqual([404, 405, 404, 404])
      expect(answers.map(rateOf)).toEqual([2, 1, 0, 0].map((remaining) => ({ limit: 3, remaining })))
      expect((await call(target(), "GET", "/api/v1/items/1", { token: weak.key })).status).toBe(429)
      expect(answers[1]!.headers.get("allow")).toContain("POST")
      for (const token of [undefined, "wrong", `${weak.key.slice(0, -1)}*`, target().managementToken]) {
        const answer = await call(target(), "GET", "/api/v1/nothing", { token })
        expect([answer.status, answer.codes]).toEqual([404, ["common.not_found"]])
        expect(answer.headers.get("ratelimit-limit")).toBeNull()
        expect(answer.headers.get("www-authenticate")).toBeNull()
      }
    })

    it("do not count 401 and 403", async () => {
      const { sandbox, read } = await openLimited(2)
      const writer = await sandbox.issueKey(["contacts:write"])
      for (let index = 0; index < 5; index++) {
        expect((await read(writer.key)).status).toBe(403)
        expect((await read(`${writer.key.slice(0, -1)}*`)).status).toBe(401)
      }
      const write = () => call(target(), "POST", "/api/v1/contacts", { token: writer.key, body: "{" })
      expect([await write(), await write(), await write()].map((answer) => answer.status)).toEqual([
        400, 400, 429
      ])
    })

    it("have a window for each key", async () => {
      const { sandbox, read } = await openLimited(1)
      const other = await sandbox.issueKey()
      expect((await read()).status).toBe(404)
      expect((await read()).status).toBe(429)
      expect(rateOf(await read(other.key))).toEqual({ limit: 1, remaining: 0 })
      expect((await read(other.key)).status).toBe(429)
    })

    it("have a window for each store's token, and do not count 401", async () => {
      const { sandbox, read } = await openLimited(2)
      const [store, other] = [await connectStore(target(), sandbox), await connectStore(target(), sandbox)]
      const reportWith = (token: string) =>
        call(target(), "POST", `/ingest/v1/stores/${store.id}/events`, { token, json: { events: [] } })
      for (let index = 0; index < 5; index++) expect((await reportWith(other.token)).status).toBe(401)
      const answers = [await store.report("nothing"), await reportWith(store.token), await store.report({})]
      expect(answers.map((answer) => answer.status)).toEqual([200, 400, 429])
      expect(answers.map(rateOf)).toEqual([1, 0, 0].map((remaining) => ({ limit: 2, remaining })))
      expect(numberOf(answers[2]!, "retry-after")).toBe(numberOf(answers[2]!, "ratelimit-reset"))
      expect(answers[2]!.codes).toEqual(["common.rate_limited"])
      expect((await other.report("nothing")).status).toBe(200)
      expect((await read()).status).toBe(404)
    })

    it("admit no more than the limit of concurrent calls", async () => {
      const { read } = await openLimited(20)
      const answers = await Promise.all(Array.from({ length: 50 }, () => read()))
      expect(answers.filter((answer) => answer.status === 404)).toHaveLength(20)
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30)
    })

    it("apply a changed setting at once", async () => {
      const { limit, read } = await openLimited(1)
      expect((await read()).status).toBe(404)
      expect((await read()).status).toBe(429)
      await limit(50)
      const answer = await read()
      expect(answer.status).toBe(404)
      expect(rateOf(answer).limit).toBe(50)
    })

    it("reset with the next minute", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const { read } = await openLimited(2)
      expect([await read(), await read(), await read()].map((answer) => answer.status)).toEqual([
        404, 404, 429
      ])
      await advance("1 minute")
      expect(rateOf(await read())).toEqual({ limit: 2, remaining: 1 })
    })
  })
