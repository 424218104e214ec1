/**
 * Tests the typed client against the API: the generated code matches the service.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../../client/generated.ts"
import { ApiError, type Client, createClient } from "../../../client/index.ts"
import type { Operation } from "../../../client/Operation.ts"
import { eventually } from "../../support/client.ts"
import { flowsOf } from "../../support/flows.ts"
import { triggerTokenOf } from "../../support/fullAccount.ts"
import { idPattern } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** A well-formed key that belongs to no account. */
const unknownKey = `svc_test_${"A".repeat(43)}`

export const clientSuite = (target: () => Target) =>
  describe("typed client", () => {
    let account: TestAccount
    let svc: Client
    const clientOf = (apiKey: string): Client => {
      const { baseUrl, fetch } = target()
      return createClient({
        baseUrl: `${baseUrl}/`,
        apiKey,
        fetch: (request) => fetch(request.url.slice(baseUrl.length), request)
      })
    }
    const refusal = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

    beforeAll(async () => {
      account = (await openWorkspace(target(), "Typed client")).sandbox
      svc = clientOf(account.key)
    })

    it("has only operations that are served, and reports an invalid key", async () => {
      const groups = Object.entries<Readonly<Record<string, Operation>>>(operations)
      const client: Readonly<
        Record<string, Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>>>
      > = { ...clientOf(unknownKey) } as never
      for (const [group, members] of groups) {
        for (const [name, { body, params, token }] of Object.entries(members)) {
          const args = [
            ...Array.from({ length: params }, () => "anything"),
            ...(body ? [{}] : []),
            ...(token ? [{ token: "x" }] : [])
          ]
          const error = await refusal(client[group]![name]!(...args))
          expect([group, name, error]).toEqual([group, name, expect.any(ApiError)])
          expect(error).toMatchObject({
            status: 401,
            code: token ? "automation.api_trigger_invalid" : "auth.unauthorized"
          })
        }
      }
      expect(groups.length).toBeGreaterThan(0)
    })

    it("starts a flow with the flow's token, once for each call id", async () => {
      const other = (await openWorkspace(target(), "Typed client of a flow")).sandbox
      const flows = flowsOf(other)
      const flow = (await flows.create({ trigger: { kind: "Api" }, steps: [] })).value
      await flows.publish(flow.id)
      const token = await triggerTokenOf(other, flow.id)
      const body = { id: "client-call", email: "flow@client.example" }
      const { contactId, duplicate } = await clientOf(unknownKey).flowTrigger.trigger(flow.id, body, {
        token
      })
      expect(duplicate).toBe(false)
      expect(await svc.flowTrigger.trigger(flow.id, body, { token })).toEqual({ contactId, duplicate: true })
    })

    it("writes, reads, lists and erases contacts", async () => {
      const { contact, created } = await svc.contacts.write({
        externalId: "client/1 ä",
        email: "one@client.example",
        firstName: undefined,
        consent: { basis: "Subscribed", proof: { text: "Yes" } }
      })
      expect({ created, status: contact.consentStatus }).toEqual({ created: true, status: "Subscribed" })
      expect(contact.id).toMatch(idPattern)
      expect(await svc.contacts.get(contact.id)).toEqual(contact)
      expect(await svc.contacts.get("ext:client/1 ä")).toEqual(contact)
      expect(await svc.contacts.get("email:one@client.example")).toEqual(contact)

      const batch = await svc.contacts.writeBatch({
        contacts: [{ email: "two@client.example" }, { email: "not an address" }]
      })
      expect(batch).toMatchObject({ created: 1, updated: 0, failed: 1 })
      expect(batch.results.map(({ status }) => status)).toEqual(["Created", "Failed"])

      const page = await svc.contacts.list({ pageSize: 1, page: 2 })
      expect(page).toEqual({ items: [contact], page: 2, pageSize: 1, totalCount: 2 })
      expect((await svc.contacts.list()).items).toHaveLength(2)
      expect((await svc.contacts.list({ page: 1, segment: undefined })).totalCount).toBe(2)

      expect(await svc.contacts.erase(contact.id)).toEqual({ id: contact.id })
      expect(await refusal(svc.contacts.get(contact.id))).toMatchObject({
        status: 404,
        code: "audience.contact_not_found"
      })
    })

    it("reads an account's segments, topics and fields", async () => {
      const field = await svc.contactFields.create({ key: "plan", type: "Text" })
      expect(await svc.contactFields.update("plan", { label: "The plan" })).toEqual({
        ...field,
        label: "The plan"
      })
      expect(await svc.contactFields.list()).toHaveLength(1)
      expect((await svc.segments.list()).map(({ builtInKey }) => builtInKey)).toContain("all")
      expect(await svc.topics.list()).toEqual([])
      expect(await svc.orders.list({ view: "All" })).toMatchObject({ items: [], totalCount: 0 })
      const item = await svc.items.write({ id: "a/b", name: "Tea", price: 12.5, currency: "EUR" })
      expect(await svc.items.get("a/b")).toEqual(item)
      expect(await svc.items.remove("a/b")).toBeNull()
    })

    it("sends an email once for each idempotency key", async () => {
      const email = { to: "ada@client.example", subject: "Hello", text: "It works." }
      const first = await svc.sending.submit(email, { idempotencyKey: "client-1" })
      expect(first).toEqual({ id: expect.stringMatching(idPattern), status: "Queued", reason: null })
      expect((await svc.sending.submit(email, { idempotencyKey: "client-1" })).id).toBe(first.id)
      const own = await svc.sending.submit({ ...email, idempotencyKey: "client-2" })
      expect((await svc.sending.submit({ ...email, idempotencyKey: "client-2" })).id).toBe(own.id)
      const third = await svc.sending.submit(email)
      const fourth = await svc.sending.submit(email)
      expect(new Set([first.id, own.id, third.id, fourth.id]).size).toBe(4)
      const delivered = await eventually(
        () => svc.sending.get(first.id),
        ({ status }) => status === "Delivered"
      )
      expect(delivered).toMatchObject({ id: first.id, status: "Delivered" })
    })

    it("reports errors by code and by field", async () => {
      const error = await refusal(svc.contacts.write({ firstName: "Nobody" }))
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({
        name: "ApiError",
        status: 400,
        code: "audience.contact_email_required",
        message: expect.stringMatching(/^email must be given/),
        fieldErrors: { email: [{ code: "audience.contact_email_required" }] },
        requestId: expect.stringMatching(/./),
        retryAfterSeconds: null
      })
    })

    it("reports an invalid shape", async () => {
      const wrong = { email: 17 } as never
      expect(await refusal(svc.contacts.write(wrong))).toMatchObject({
        status: 400,
        code: "validation.type",
        message: expect.stringMatching(/^email: ./),
        fieldErrors: { email: [{ code: "validation.type", params: null }] }
      })
    })

    it("reports a missing permission", async () => {
      const { key } = await account.issueKey(["items:read"])
      expect(await refusal(clientOf(key).contacts.list())).toMatchObject({
        status: 403,
        code: "auth.forbidden"
      })
    })
  })
