/**
 * Tests flows (docs/contributing/decisions.md 4, docs/contributing/management-api.md A/flows): events about a person start runs
 * that send email.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { emailStep, type Flow, type FlowRun, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
const short = "PT1S"
const dayMillis = 86_400_000

export const flowsSuite = (target: () => Target) =>
  describe("flows", () => {
    let workspace: Workspace
    let flows: ReturnType<typeof flowsOf>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Flows")
      flows = flowsOf(workspace.sandbox)
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "zone", type: "Text" })
    })
    const manage = <Value = unknown>(method: string, path: string, json?: unknown) =>
      workspace.sandbox.manage<Value>(method, path, json)
    /** A step that waits for an event. */
    const until = (id: string, name: string) => ({ id, kind: "WaitForEvent", name, timeout: "P1D" })
    /** Waits a second, or advances a virtual clock. */
    const wait = async () => {
      const { advance } = target()
      if (advance === null) await new Promise((resolve) => setTimeout(resolve, 1_100))
      else await advance("1100 millis")
    }

    it("are created, read, listed, changed, published, paused and archived", async () => {
      const name = uniqueName()
      const answer = await flows.create({
        name: " Onboarding ",
        trigger: { kind: "Event", name },
        stopEvents: [{ name: "order.paid" }],
        steps: [{ id: "w", kind: "Wait", duration: "P1D" }]
      })
      expect(answer.status).toBe(201)
      const flow = answer.value
      expect(flow).toMatchObject({
        name: "Onboarding",
        status: "Draft",
        version: 0,
        trigger: { kind: "Event", name, filter: null },
        stopEvents: [{ name: "order.paid", filter: null }],
        steps: [{ id: "w", kind: "Wait", duration: "P1D" }],
        hasTriggerToken: false
      })
      expect((await manage("GET", `/flows/${flow.id}`)).value).toEqual(flow)
      expect((await manage<Page<Flow>>("GET", "/flows?pageSize=1")).value.items).toEqual([flow])
      const changed = await manage<Flow>("PUT", `/flows/${flow.id}`, {
        name: "Other",
        trigger: { kind: "Api" },
        steps: [{ id: "x", kind: "Exit" }]
      })
      expect(changed.value).toMatchObject({ name: "Other", status: "Draft", stopEvents: [] })
      expect((await manage("POST", `/flows/${flow.id}/pause`)).codes).toEqual([
        "automation.workflow_not_published"
      ])
      expect(await flows.publish(flow.id)).toMatchObject({ status: "Published", version: 1 })
      expect((await manage<Flow>("POST", `/flows/${flow.id}/pause`)).value.status).toBe("Paused")
      expect(await flows.publish(flow.id)).toMatchObject({ status: "Published", version: 2 })
      expect((await manage<Flow>("POST", `/flows/${flow.id}/archive`)).value.status).toBe("Archived")
      const refused = await manage("POST", `/flows/${flow.id}/publish`)
      expect([refused.status, refused.codes]).toEqual([409, ["automation.flow_archived"]])
      for (const path of [`/flows/${unknown}`, `/flows/${unknown}/runs`]) {
        expect((await manage("GET", path)).codes).toEqual(["common.not_found"])
      }
      expect((await workspace.live.manage("GET", `/flows/${flow.id}`)).status).toBe(404)
    })

    it("are started and stopped by hand, and count what runs do at each step and version", async () => {
      const name = uniqueName()
      const marketing = emailStep("offer", { purpose: "Marketing" })
      const flow = await flows.start(name, [emailStep("hello"), marketing, until("w", uniqueName())])
      const person = await flows.person()
      const start = (json: object) => manage<FlowRun>("POST", `/flows/${flow.id}/start`, json)
      const started = await start({ contactId: person.id.toUpperCase(), properties: { n: 1 } })
      expect(started.status).toBe(201)
      expect(started.value).toMatchObject({ contactId: person.id, version: 1, status: "Active" })
      const { value: ofPerson } = await manage<{ readonly items: ReadonlyArray<object> }>(
        "GET",
        `/contacts/${person.id}/runs`
      )
      expect(ofPerson.items).toMatchObject([{ id: started.value.id, flowId: flow.id, status: "Active" }])
      expect((await manage("GET", `/contacts/${unknown}/runs`)).codes).toEqual(["common.not_found"])
      const again = await start({ contactId: person.id })
      expect([again.status, again.codes]).toEqual([409, ["automation.already_in_run"]])
      for (const contactId of [unknown, "x", ""]) {
        const refused = await start({ contactId })
        expect([refused.status, refused.codes]).toEqual([404, ["audience.contact_not_found"]])
      }
      expect((await start({ contactId: person.id, properties: { n: "\u0000" } })).codes).toEqual([
        "automation.trigger_properties_invalid"
      ])
      await flows.runIn(flow.id, "Active", "w")
      const stats = async () => (await manage<object>("GET", `/flows/${flow.id}/stats`)).value
      const steps = (waiting: number) => [
        { stepId: "hello", waiting: 0, passed: 1, skippedBy: {}, failed: 0 },
        { stepId: "offer", waiting: 0, passed: 0, skippedBy: { "automation.no_consent": 1 }, failed: 0 },
        { stepId: "w", waiting, passed: 0, skippedBy: {}, failed: 0 }
      ]
      expect(await stats()).toMatchObject({
        started: 1,
        active: 1,
        revenue: [],
        steps: steps(1),
        versions: [{ version: 1, active: 1 }]
      })
      const stop = () => manage<FlowRun>("POST", `/flows/${flow.id}/runs/${started.value.id}/stop`)
      expect((await manage("POST", `/flows/${unknown}/runs/${started.value.id}/stop`)).status).toBe(404)
      expect((await stop()).value).toMatchObject({ status: "Stopped", reason: "stopped", stepId: "w" })
      const ended = await stop()
      expect([ended.status, ended.codes]).toEqual([409, ["automation.run_ended"]])
      expect(await stats()).toMatchObject({ active: 0, stopped: 1, steps: steps(0), versions: [] })
      const draft = (await flows.create({ trigger: { kind: "Api" } })).value
      const refused = await manage("POST", `/flows/${draft.id}/start`, { contactId: person.id })
      expect(refused.codes).toEqual(["automation.workflow_not_published"])
    })

    it("list the versions that were published, with their definitions", async () => {
      const flow = await flows.start(uniqueName(), [{ id: "one", kind: "Exit" }])
      await manage("PUT", `/flows/${flow.id}`, {
        name: "Changed",
        trigger: { kind: "Api" },
        steps: [{ id: "two", kind: "Exit" }]
      })
      const path = `/flows/${flow.id}/versions`
      expect((await manage("GET", `${path}/2`)).status).toBe(404)
      await flows.publish(flow.id)
      const { items } = (await manage<Page<{ version: number; publishedAt: string }>>("GET", path)).value
      expect(items.map(({ version }) => version)).toEqual([2, 1])
      expect(Date.parse(items[0]!.publishedAt)).toBeGreaterThan(0)
      expect((await manage("GET", `${path}/1`)).value).toMatchObject({
        version: 1,
        steps: [{ id: "one", kind: "Exit" }]
      })
      for (const version of ["0", "3", "-1", "1.5", "x", "99999999999"]) {
        expect([version, (await manage("GET", `${path}/${version}`)).codes]).toEqual([
          version,
          ["common.not_found"]
        ])
      }
    })

    it("are rejected with the path of each error", async () => {
      const answer = await flows.create({
        name: "",
        trigger: { kind: "Event", name: "Bad" },
        stopEvents: Array.from({ length: 11 }, () => ({ name: "a" })),
        steps: [
          { id: "a", kind: "Exit" },
          { id: "a", kind: "Sleep" },
          emailStep("m", { templateId: unknown, subject: undefined, html: undefined }),
          emailStep("l", { subject: "{{ broken" })
        ]
      })
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.envelope!.fieldErrors!).toSorted()).toEqual([
        "name",
        "steps[1]",
        "steps[1].id",
        "steps[1].kind",
        "steps[2]",
        "steps[2].templateId",
        "steps[3]",
        "stopEvents",
        "trigger.name"
      ])
      const liquid = await flows.create({
        trigger: { kind: "Api" },
        steps: [emailStep("l", { subject: "{{ broken" })]
      })
      expect([liquid.codes, liquid.fields]).toEqual([["sending.template_invalid"], ["steps[0].subject"]])
      expect((await flows.create({ trigger: 1, steps: [7, null] })).codes).toEqual([
        "validation.type",
        "validation.type",
        "validation.required"
      ])
    })

    it("start on their event, once while a run is active, and again after it", async () => {
      const [name, go] = [uniqueName(), uniqueName()]
      const flow = await flows.start(name, [
        emailStep("hi", {
          subject: "Hello {{ contact.firstName }}",
          html: "<p>{{ event.plan }}|{{ event.list }}|{{ contact.attributes.plan }}</p>"
        }),
        { id: "w", kind: "Wait", duration: short },
        until("u", go)
      ])
      const person = await flows.person({ firstName: "Ada", attributes: { plan: "pro" } })
      await flows.report(name, { id: person.id }, { plan: "<b>team</b>", list: [1] })
      await wait()
      const run = await flows.runIn(flow.id, "Active", "u")
      expect(run).toMatchObject({ contactId: person.id, version: 1, reason: null, endedAt: null })
      expect(flows.outcomes(run)).toEqual(["hi sent", "w waited"])
      const [sentAt, waitedAt] = run.log.map(({ at }) => Date.parse(at)) as [number, number]
      expect(waitedAt - sentAt).toBeGreaterThanOrEqual(1000)
      expect(Date.parse(run.nextAt!) - waitedAt).toBe(dayMillis)
      await flows.report(name, { email: person.email })
      const [message] = await flows.mailTo(person.email, 1)
      expect(message).toMatchObject({ subject: "Hello Ada" })
      expect(message!["html"]).toContain("<p>&lt;b&gt;team&lt;/b&gt;||pro</p>")
      const emails = await manage<Page<{ id: string }>>("GET", `/emails?flowId=${flow.id}`)
      expect(emails.value.items.map(({ id }) => id)).toEqual([message!.submissionId])
      expect((await manage("GET", `/emails/${message!.submissionId}`)).value).toMatchObject({
        source: "Flow",
        flowId: flow.id,
        runId: run.id,
        campaignId: null,
        idempotencyKey: null
      })
      await flows.report(go, { id: person.id })
      const ended = await flows.runIn(flow.id, "Completed")
      expect(ended).toMatchObject({ stepId: null, nextAt: null })
      expect(flows.outcomes(ended)).toEqual(["hi sent", "w waited", "u event"])
      await flows.report(name, { id: person.id })
      expect(await flows.runsWhere(flow.id, (runs) => runs.length === 2)).toHaveLength(2)
      const completed = await flows.runs(flow.id, "&status=Completed")
      expect(new Set(completed.map(({ status }) => status))).toEqual(new Set(["Completed"]))
      expect((await manage("GET", `/flows/${flow.id}/runs?status=Odd`)).codes).toEqual(["validation.format"])
    })

    it("start only on events that match the trigger's filter, and not while paused", async () => {
      const name = uniqueName()
      const rule = { fieldKey: "event.plan", operator: "Equals", value: "pro" }
      const flow = await flows.start(name, [{ id: "x", kind: "Exit" }], {
        trigger: { kind: "Event", name, filter: { join: "All", rules: [rule] } }
      })
      const person = await flows.person()
      await flows.report(name, { id: person.id }, { plan: "free" })
      await flows.report(name, { id: person.id }, { plan: "PRO" })
      await flows.runIn(flow.id, "Completed")
      await manage("POST", `/flows/${flow.id}/pause`)
      await flows.report(name, { id: person.id }, { plan: "pro" })
      // Events about a person are processed in order: once this one is processed, so are the previous ones.
      const later = uniqueName()
      const seen = await flows.start(later, [{ id: "x", kind: "Exit" }])
      await flows.report(later, { id: person.id })
      await flows.runIn(seen.id, "Completed")
      expect(await flows.runs(flow.id)).toHaveLength(1)
    })

    it("finish runs on the version they started with", async () => {
      const name = uniqueName()
      const steps = (subject: string) => [
        { id: "w", kind: "Wait", duration: short },
        emailStep("m", { subject })
      ]
      const flow = await flows.start(name, steps("first"))
      const person = await flows.person()
      await flows.report(name, { id: person.id })
      await flows.runIn(flow.id, "Active", "w")
      await manage("PUT", `/flows/${flow.id}`, {
        name: "New",
        trigger: { kind: "Event", name },
        steps: steps("second")
      })
      await flows.publish(flow.id)
      await wait()
      expect(await flows.mailTo(person.email, 1)).toMatchObject([{ subject: "first" }])
    })

    it("are ended by a stop event that matches its filter", async () => {
      const [name, go, stop] = [uniqueName(), uniqueName(), uniqueName()]
      const rules = [{ fieldKey: "event.total", operator: "GreaterThan", value: 10 }]
      const flow = await flows.start(name, [until("w", go), emailStep("never")], {
        stopEvents: [{ name: stop, filter: { join: "All", rules } }]
      })
      const [one, two] = [await flows.person(), await flows.person()]
      await flows.report(name, { id: one.id })
      await flows.report(name, { id: two.id })
      await flows.runsWhere(flow.id, (runs) => runs.filter((run) => run.stepId === "w").length === 2)
      await flows.report(stop, { id: one.id }, { total: 11 })
      await flows.report(stop, { id: two.id }, { total: 9 })
      const stopped = await flows.runsWhere(flow.id, (runs) => runs.some((run) => run.status === "Stopped"))
      expect(stopped.find((run) => run.contactId === one.id)).toMatchObject({
        status: "Stopped",
        stepId: "w",
        reason: `event: ${stop}`,
        nextAt: null
      })
      for (const { id } of [one, two]) await flows.report(go, { id })
      expect(await flows.mailTo(two.email, 1)).toHaveLength(1)
      expect(await flows.mailTo(one.email, 0)).toEqual([])
    })

    it("can be simulated without side effects", async () => {
      const { id } = (
        await flows.create({
          trigger: { kind: "Event", name: "user.signed_up" },
          stopEvents: [{ name: "order.paid" }],
          steps: [
            emailStep("hi", { subject: "Hi {{ contact.firstName }}, {{ event.plan }}" }),
            { id: "w", kind: "Wait", duration: "P3D" },
            {
              id: "z",
              kind: "WaitUntil",
              time: "09:00",
              timeZone: "UTC",
              timeZoneAttribute: "zone"
            },
            emailStep("offer", { purpose: "Marketing" })
          ]
        })
      ).value
      const story = {
        contact: {
          firstName: "Ada",
          attributes: { zone: "Europe/Berlin" },
          consent: { basis: "Customer" }
        },
        event: { occurredAt: "2025-03-27T12:00:00Z", properties: { plan: "pro" } }
      }
      const played = (await manage<Record<string, unknown>>("POST", `/flows/${id}/simulate`, story)).value
      expect(played).toMatchObject({
        started: true,
        status: "Completed",
        startedAt: "2025-03-27T12:00:00.000Z",
        endedAt: "2025-03-31T07:00:00.000Z",
        path: [
          { stepId: "hi", at: "2025-03-27T12:00:00.000Z", outcome: "sent" },
          { stepId: "w", at: "2025-03-30T12:00:00.000Z", outcome: "waited" },
          { stepId: "z", at: "2025-03-31T07:00:00.000Z", outcome: "waited" },
          { stepId: "offer", at: "2025-03-31T07:00:00.000Z", outcome: "sent" }
        ],
        emails: [{ stepId: "hi", subject: "Hi Ada, pro", failure: null }, { stepId: "offer" }]
      })
      const stopped = await manage("POST", `/flows/${id}/simulate`, {
        ...story,
        events: [{ name: "order.paid", after: "P1D" }]
      })
      expect(stopped.value).toMatchObject({
        status: "Stopped",
        reason: "event: order.paid",
        endedAt: "2025-03-28T12:00:00.000Z"
      })
      const wrong = await manage("POST", `/flows/${id}/simulate`, { event: { name: "other" } })
      expect(wrong.value).toMatchObject({ started: false, status: null, path: [] })
      const refused = await manage("POST", `/flows/${id}/simulate`, {
        contact: { email: "no" },
        events: []
      })
      expect([refused.codes, refused.fields]).toEqual([["validation.email"], ["contact.email"]])

      // Whether an attribute becomes a field depends on the account's setting, as for contact writes.
      const shoes = { contact: { attributes: { shoe_size: 42 } } }
      const strange = await manage("POST", `/flows/${id}/simulate`, shoes)
      expect([strange.codes, strange.fields]).toEqual([
        ["audience.attribute_unknown"],
        ["contact.attributes.shoe_size"]
      ])
      await manage("PATCH", "/settings", { autoCreateAttributes: true })
      expect((await manage("POST", `/flows/${id}/simulate`, shoes)).status).toBe(200)
      await manage("PATCH", "/settings", { autoCreateAttributes: false })
      expect(await flows.runs(id)).toEqual([])
    })

    it("have blueprints that can be published unchanged", async () => {
      const list = (await manage<ReadonlyArray<{ key: string }>>("GET", "/flow-blueprints")).value
      expect(list.map(({ key }) => key)).toEqual([
        "user_signed_up",
        "user_activated",
        "trial_ending",
        "subscription_started",
        "abandoned_cart",
        "welcome",
        "new_customer"
      ])
      const account = (await openWorkspace(target(), "Blueprints")).live
      for (const { key } of list) {
        const installed = await account.manage<Flow>("POST", `/flow-blueprints/${key}/install`)
        expect([installed.status, installed.value.status]).toEqual([201, "Draft"])
        const { trigger } = installed.value as unknown as { trigger: { name: string } }
        const played = await account.manage<{ emails: ReadonlyArray<{ failure: unknown }> }>(
          "POST",
          `/flows/${installed.value.id}/simulate`,
          {
            contact: { firstName: "Ada", consent: { basis: "Customer" } },
            event: {
              name: trigger.name,
              properties: key === "new_customer" ? { occasion: "Customer" } : {}
            }
          }
        )
        expect(played.value.emails.length).toBeGreaterThan(0)
        expect(played.value.emails.every(({ failure }) => failure === null)).toBe(true)
        const published = await account.manage<Flow>("POST", `/flows/${installed.value.id}/publish`)
        expect(published.value.status).toBe("Published")
      }
      expect((await account.manage("POST", "/flow-blueprints/none/install")).status).toBe(404)
    })

    it("start on consent, and are erased with their person", async () => {
      const account = (await openWorkspace(target(), "Consent")).sandbox
      const own = flowsOf(account)
      const flow = await own.start("contact.subscribed", [
        emailStep("hi"),
        { id: "w", kind: "Wait", duration: "P1D" }
      ])
      const consent = { basis: "Subscribed", proof: { text: "Yes, please." } }
      const person = await own.person({ consent })
      const run = await own.runIn(flow.id, "Active", "w")
      expect(Date.parse(run.nextAt!) - Date.parse(run.log[0]!.at)).toBe(dayMillis)
      expect((await account.api("DELETE", `/contacts/${person.id}`)).status).toBe(200)
      expect(await own.runs(flow.id)).toEqual([])
    })

    it("start one run for a hundred events at once", async () => {
      const name = uniqueName()
      const flow = await flows.start(name, [{ id: "w", kind: "Wait", duration: "P1D" }])
      const person = await flows.person()
      await Promise.all(Array.from({ length: 100 }, () => flows.report(name, { id: person.id })))
      await flows.runIn(flow.id, "Active", "w")
      // Events about a person are processed in order: once this one is processed, so are the previous ones.
      const later = uniqueName()
      const seen = await flows.start(later, [{ id: "x", kind: "Exit" }])
      await flows.report(later, { id: person.id })
      await flows.runIn(seen.id, "Completed")
      expect(await flows.runs(flow.id)).toHaveLength(1)
    })
  })
