/**
 * The trigger URL of flows (public-api, Flow API trigger).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { emailStep, type Flow, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

export const flowTriggerSuite = (target: () => Target) =>
  describe("the flow trigger", () => {
    let workspace: Workspace
    let flows: ReturnType<typeof flowsOf>
    let flow: Flow
    let token: string
    let path: string
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Trigger")
      flows = flowsOf(workspace.sandbox)
      flow = (
        await flows.create({
          trigger: { kind: "Api" },
          steps: [
            emailStep("m", {
              subject: "{{ event.plan }} {{ contact.firstName }}"
            })
          ]
        })
      ).value
      await flows.publish(flow.id)
      await issue()
    })
    const issue = async () => {
      const issued = await workspace.sandbox.manage<{ triggerUrl: string; token: string }>(
        "POST",
        `/flows/${flow.id}/trigger-token`
      )
      token = issued.value.token
      path = issued.value.triggerUrl.slice(target().baseUrl.length)
    }
    const post = (json: unknown, given: string | undefined = token) =>
      call<{ contactId: string; duplicate: boolean }>(target(), "POST", path, { token: given, json })

    it("starts the flow for a person, found or created, once for each id", async () => {
      expect(path).toBe(`/flows/${flow.id}/trigger`)
      expect(token).toMatch(/^svc_flow_/)
      const email = `${uniqueName()}@example.org`
      const body = { id: "call-1", email, firstName: "Ada", properties: { plan: "pro" } }
      const first = await post(body)
      expect(first.status).toBe(200)
      expect(first.value).toEqual({ contactId: expect.any(String), duplicate: false })
      expect(first.headers.get("ratelimit-remaining")).not.toBeNull()
      expect((await post({ ...body, email: "other@example.org" })).value).toEqual({
        contactId: first.value.contactId,
        duplicate: true
      })
      expect(await flows.mailTo(email, 1)).toMatchObject([{ subject: "pro Ada" }])
      const { value: person } = await workspace.sandbox.api<{ consentStatus: string; consentSource: string }>(
        "GET",
        `/contacts/${first.value.contactId}`
      )
      expect(person).toMatchObject({ consentStatus: "SoftOptIn", consentSource: "FlowTrigger" })
      expect(await flows.runs(flow.id)).toHaveLength(1)
    })

    it("takes the same id at the same time once", async () => {
      const email = `${uniqueName()}@example.org`
      const answers = await Promise.all(Array.from({ length: 10 }, () => post({ id: "same", email })))
      expect(answers.filter(({ value }) => !value.duplicate)).toHaveLength(1)
      expect(new Set(answers.map(({ value }) => value.contactId)).size).toBe(1)
    })

    it("refuses tokens before anything else, and the one before at once", async () => {
      const codes = ["automation.api_trigger_invalid"]
      const other = (await flows.create({ trigger: { kind: "Api" }, steps: [] })).value
      for (const given of ["x", `${token.slice(0, -1)}0`, workspace.sandbox.key]) {
        const refused = await call(target(), "POST", path, { token: given, body: "{" })
        expect([refused.status, refused.codes]).toEqual([401, codes])
      }
      const elsewhere = await call(target(), "POST", `/flows/${other.id}/trigger`, { token, json: {} })
      expect([elsewhere.status, elsewhere.codes]).toEqual([401, codes])
      expect((await call(target(), "POST", path, { json: {} })).status).toBe(401)
      expect((await call(target(), "POST", "/flows/x/trigger", { token, json: {} })).status).toBe(401)
      const before = token
      await issue()
      expect((await post({ id: "r", email: "a@example.org" }, before)).status).toBe(401)
      expect((await post({ id: "r", email: "a@example.org" })).status).toBe(200)
    })

    it("says what is wrong with a call", async () => {
      const email = "b@example.org"
      expect((await post({ email })).codes).toEqual(["automation.trigger_call_id_invalid"])
      expect((await post({ id: "x".repeat(101), email })).codes).toEqual([
        "automation.trigger_call_id_invalid"
      ])
      expect((await post({ id: "1" })).codes).toEqual(["automation.trigger_contact_required"])
      for (const properties of [7, [], { a: { b: { c: {} } } }, { a: "x".repeat(17_000) }]) {
        const answer = await post({ id: "1", email, properties })
        expect([answer.status, answer.codes]).toEqual([400, ["automation.trigger_properties_invalid"]])
      }
      expect((await post({ id: "1", email: "no" })).codes).toEqual(["validation.email"])
      expect((await post({ id: "1", externalId: "nobody" })).codes).toEqual([
        "audience.contact_email_required"
      ])
      expect((await post({ id: "1", email, attributes: { none: 1 } })).codes).toEqual([
        "audience.attribute_unknown"
      ])
      // What was refused did not use its id up.
      expect((await post({ id: "1", email })).value.duplicate).toBe(false)
      expect((await post({ id: 5, email })).status).toBe(400)
      await workspace.sandbox.manage("POST", `/flows/${flow.id}/pause`)
      const paused = await post({ id: "2", email })
      expect([paused.status, paused.codes]).toEqual([409, ["automation.workflow_not_published"]])
      await flows.publish(flow.id)
    })

    it("counts calls of its token for themselves", async () => {
      const account = (await openWorkspace(target(), "Trigger limits")).sandbox
      const own = flowsOf(account)
      const limited = (await own.create({ trigger: { kind: "Api" }, steps: [] })).value
      await own.publish(limited.id)
      const issued = await account.manage<{ token: string }>("POST", `/flows/${limited.id}/trigger-token`)
      await account.manage("PATCH", "/settings", { rateLimitPerMinute: 3 })
      const answers = []
      for (let index = 0; index < 8; index++) {
        answers.push(
          await call(target(), "POST", `/flows/${limited.id}/trigger`, {
            token: issued.value.token,
            json: { id: String(index), email: "c@example.org" }
          })
        )
      }
      const refused = answers.filter((answer) => answer.status === 429)
      expect(refused.length).toBeGreaterThanOrEqual(2)
      expect(refused[0]!.codes).toEqual(["common.rate_limited"])
      expect(Number(refused[0]!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    })
  })
