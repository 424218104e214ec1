/**
 * Tests the trigger URL of flows (docs/contributing/public-api.md "Flow API trigger").
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { emailStep, type Flow, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Target } from "../../support/targets.ts"
import { enterWindow } from "../../support/window.ts"
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

    it("is a duplicate with a known id, whatever else the call has", async () => {
      const email = `${uniqueName()}@example.org`
      const { contactId } = (await post({ id: "known", email })).value
      const invalid: ReadonlyArray<object> = [
        { id: "known" },
        { id: " known ", email: "nobody" },
        { id: "known", email, properties: 7 },
        { id: "known", email: 5, consent: [] },
        { id: "known", email, attributes: { none: 1 } }
      ]
      for (const one of invalid) {
        expect((await post(one)).value).toEqual({ contactId, duplicate: true })
      }
      expect((await post({ id: "unknown", email: 5 })).fields).toEqual(["email"])
      expect((await post({ id: 5, email })).fields).toEqual(["id"])
      // A rejected call does not use up its id.
      expect((await post({ id: "unknown", email })).value.duplicate).toBe(false)
    })

    it("accepts the same id once in concurrent calls", async () => {
      const email = `${uniqueName()}@example.org`
      const answers = await Promise.all(Array.from({ length: 10 }, () => post({ id: "same", email })))
      expect(answers.filter(({ value }) => !value.duplicate)).toHaveLength(1)
      expect(new Set(answers.map(({ value }) => value.contactId)).size).toBe(1)
    })

    it("starts one run for many calls about a person, and accepts all fields of POST /contacts", async () => {
      await workspace.sandbox.manage("POST", "/topics", { key: "calls", name: "Calls" })
      const called = (
        await flows.create({
          trigger: { kind: "Api" },
          steps: [
            {
              id: "b",
              kind: "Branch",
              condition: { rules: [{ fieldKey: "topics.calls", operator: "IsFalse" }] }
            },
            { id: "w", kind: "Wait", duration: "P1D" }
          ]
        })
      ).value
      await flows.publish(called.id)
      const issued = await workspace.sandbox.manage<{ token: string }>(
        "POST",
        `/flows/${called.id}/trigger-token`
      )
      const trigger = (json: object) =>
        call<{ contactId: string; duplicate: boolean }>(target(), "POST", `/flows/${called.id}/trigger`, {
          token: issued.value.token,
          json
        })
      const name = uniqueName()
      const body = {
        email: `${name}@example.org`,
        externalId: name,
        lastName: "Lovelace",
        phone: "+44 1",
        city: "London",
        countryCode: "GB",
        language: "en",
        topics: { calls: false },
        consent: { basis: "Subscribed", proof: { text: "Yes, call me." } }
      }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => trigger({ ...body, id: `call-${index}` }))
      )
      expect(answers.map(({ status, value }) => [status, value.duplicate])).toEqual(
        answers.map(() => [200, false])
      )
      const { contactId } = answers[0]!.value
      expect(new Set(answers.map(({ value }) => value.contactId))).toEqual(new Set([contactId]))
      const run = await flows.runIn(called.id, "Active", "w")
      expect(run.contactId).toBe(contactId)
      expect(flows.outcomes(run)).toEqual(["b then"])
      const { email, lastName, phone, city, countryCode, language } = body
      const person = await workspace.sandbox.api("GET", `/contacts/${contactId}`)
      expect(person.value).toMatchObject({
        email,
        lastName,
        phone,
        city,
        countryCode,
        language,
        consentStatus: "Subscribed",
        consentSource: "FlowTrigger"
      })
      // Without `consent`, the basis is Customer, which does not lower the status.
      const later = await trigger({ externalId: name, id: "later" })
      expect(later.value).toEqual({ contactId, duplicate: false })
      const after = await workspace.sandbox.api<{ consentStatus: string }>("GET", `/contacts/${contactId}`)
      expect(after.value.consentStatus).toBe("Subscribed")
      await workspace.sandbox.manage("POST", `/flows/${called.id}/archive`)
      const archived = await trigger({ email, id: "archived" })
      expect([archived.status, archived.codes]).toEqual([409, ["automation.workflow_not_published"]])
    })

    it("checks the token first, and rejects the previous one at once", async () => {
      const codes = ["automation.api_trigger_invalid"]
      const other = (await flows.create({ trigger: { kind: "Api" }, steps: [] })).value
      const mistyped = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0")
      for (const given of ["x", mistyped, workspace.sandbox.key]) {
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

    it("reports the errors of a call", async () => {
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
      // A rejected call does not use up its id.
      expect((await post({ id: "1", email })).value.duplicate).toBe(false)
      expect((await post({ id: 5, email })).status).toBe(400)
      await workspace.sandbox.manage("POST", `/flows/${flow.id}/pause`)
      const paused = await post({ id: "2", email })
      expect([paused.status, paused.codes]).toEqual([409, ["automation.workflow_not_published"]])
      await flows.publish(flow.id)
    })

    it("has a separate rate window for its token", async () => {
      const account = (await openWorkspace(target(), "Trigger limits")).sandbox
      const own = flowsOf(account)
      const limited = (await own.create({ trigger: { kind: "Api" }, steps: [] })).value
      await own.publish(limited.id)
      const issued = await account.manage<{ token: string }>("POST", `/flows/${limited.id}/trigger-token`)
      await account.manage("PATCH", "/settings", { rateLimitPerMinute: 3 })
      await enterWindow(target())
      const trigger = (id: string, given: string, sent: object = {}) =>
        call(target(), "POST", `/flows/${limited.id}/trigger`, {
          token: given,
          json: { id, email: "c@example.org" },
          ...sent
        })
      const { token: itsToken } = issued.value
      // A call with an invalid token does not count towards the limit; one with an invalid body does.
      for (let index = 0; index < 5; index++) {
        expect((await trigger("x", `${itsToken}x`)).headers.get("ratelimit-limit")).toBeNull()
      }
      const answers = [
        await trigger("1", itsToken),
        await trigger("", itsToken),
        await trigger("2", itsToken),
        await trigger("3", itsToken),
        await trigger("4", itsToken, { json: undefined, body: "{" })
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 429, 429])
      const header = (name: string) => answers.map(({ headers }) => headers.get(name))
      expect(header("ratelimit-limit")).toEqual(["3", "3", "3", "3", "3"])
      expect(header("ratelimit-remaining")).toEqual(["2", "1", "0", "0", "0"])
      for (const [index, { codes, headers }] of answers.entries()) {
        const reset = Number(headers.get("ratelimit-reset"))
        expect(reset >= 1 && reset <= 60).toBe(true)
        expect(headers.get("retry-after")).toBe(index < 3 ? null : String(reset))
        if (index >= 3) expect(codes).toEqual(["common.rate_limited"])
      }
      // The windows of the account's keys and of other flows are not affected.
      expect((await account.api("GET", "/contacts")).headers.get("ratelimit-remaining")).toBe("2")
    })
  })
