/**
 * Tests the steps of flows (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { type Receiver, startReceiver, verifyWebhook } from "../../support/receiver.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const short = "PT1S"

export const flowStepsSuite = (target: () => Target) =>
  describe("steps of flows", () => {
    let workspace: Workspace
    let flows: ReturnType<typeof flowsOf>
    let receiver: Receiver
    beforeAll(async () => {
      receiver = await startReceiver()
      workspace = await openWorkspace(target(), "Flow steps")
      flows = flowsOf(workspace.sandbox)
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "zone", type: "Text" })
    })
    afterAll(() => receiver.stop())
    const manage = <Value = unknown>(method: string, path: string, json?: unknown) =>
      workspace.sandbox.manage<Value>(method, path, json)
    /** Waits a second, or advances a virtual clock. */
    const wait = async () => {
      const { advance } = target()
      if (advance === null) await new Promise((resolve) => setTimeout(resolve, 1_100))
      else await advance("1100 millis")
    }

    it("wait for an event, and take the other branch when it does not come", async () => {
      const [name, hasty, awaited] = [uniqueName(), uniqueName(), uniqueName()]
      const waiting = (timeout: string) => ({
        id: "w",
        kind: "WaitForEvent",
        name: awaited,
        filter: { join: "All", rules: [{ fieldKey: "event.ok", operator: "IsTrue" }] },
        timeout,
        then: [emailStep("came")],
        else: [emailStep("missed")]
      })
      const flow = await flows.start(name, [waiting("P1D")])
      await flows.start(hasty, [waiting(short)])
      const [one, two, three] = [await flows.person(), await flows.person(), await flows.person()]
      for (const { id } of [one, two]) await flows.report(name, { id })
      // Both events are in one call, so the second is recorded before the run first advances.
      await workspace.sandbox.api("POST", "/events", {
        events: [
          { id: uniqueName(), name, contact: { id: three.id } },
          { id: uniqueName(), name: awaited, contact: { id: three.id }, properties: { ok: true } }
        ]
      })
      await flows.runsWhere(flow.id, (runs) => runs.filter((run) => run.stepId === "w").length >= 2)
      await flows.report(awaited, { id: one.id }, { ok: true })
      await flows.report(awaited, { id: two.id }, { ok: false })
      expect(await flows.mailTo(one.email, 1)).toMatchObject([{ subject: "Subject came" }])
      expect(await flows.mailTo(three.email, 1)).toMatchObject([{ subject: "Subject came" }])
      const late = await flows.person()
      await flows.report(hasty, { id: late.id })
      await wait()
      expect(await flows.mailTo(late.email, 1)).toMatchObject([{ subject: "Subject missed" }])
      const waits = (await flows.runs(flow.id)).filter(({ status }) => status === "Active")
      expect(waits.map(({ contactId, stepId }) => [contactId, stepId])).toEqual([[two.id, "w"]])
    })

    it("render templates that take long outside their transaction, and fail where one takes too long", async () => {
      const [name, hasty] = [uniqueName(), uniqueName()]
      // Templates whose cost depends only on the count of their loops.
      const loops = (count: number, inner: string): string =>
        count === 0 ? inner : `{% for i in event.a %}${loops(count - 1, inner)}{% endfor %}`
      const flow = await flows.start(name, [
        emailStep("slow", { html: loops(5, "{% assign x = 1 %}") }),
        emailStep("next", { subject: "{% assign word = event.word %}Next {{ word }}" })
      ])
      const other = await flows.start(hasty, [emailStep("fast")])
      const people = await Promise.all([flows.person(), flows.person(), flows.person()])
      const a = Array.from({ length: 60 }, () => 1)
      for (const [index, { id }] of people.entries())
        await flows.report(name, { id }, { a, word: `${index}` })
      const last = await flows.person()
      await flows.report(hasty, { id: last.id })
      await flows.runsWhere(
        flow.id,
        (runs) => runs.filter(({ status }) => status === "Completed").length === 3
      )
      for (const run of await flows.runs(flow.id))
        expect(flows.outcomes(run)).toEqual(["slow failed: sending.template_render_failed", "next sent"])
      await flows.runIn(other.id, "Completed")
      for (const [index, { email }] of people.entries())
        expect(await flows.mailTo(email, 1)).toMatchObject([{ subject: `Next ${index}` }])
    })

    it("branch, split, change the contact and read the change", async () => {
      const name = uniqueName()
      await workspace.sandbox.manage("POST", "/topics", { key: "offers", name: "Offers" })
      const flow = await flows.start(name, [
        {
          id: "u",
          kind: "UpdateContact",
          attributes: { plan: "gold" },
          topics: { offers: false },
          tags: { add: ["vip", "new"], remove: ["old"] }
        },
        {
          id: "b",
          kind: "Branch",
          condition: {
            join: "All",
            rules: [
              { fieldKey: "attributes.plan", operator: "Equals", value: "gold" },
              { fieldKey: "topics.offers", operator: "IsFalse" },
              { fieldKey: "tags", operator: "HasAll", value: ["vip", "new"] },
              { fieldKey: "event.n", operator: "Between", value: { from: 1, to: 2 } }
            ]
          },
          then: [
            {
              id: "s",
              kind: "Split",
              paths: [
                { weight: 1, steps: [emailStep("yes", { subject: "{{ contact.attributes.plan }}" })] },
                { weight: 0, steps: [{ id: "never", kind: "Exit" }] }
              ]
            }
          ],
          else: [{ id: "no", kind: "Exit" }]
        }
      ])
      const person = await flows.person({ attributes: { plan: "iron" } })
      await flows.report(name, { id: person.id }, { n: 1.5 })
      const run = await flows.runIn(flow.id, "Completed")
      expect(flows.outcomes(run)).toEqual(["u updated", "b then", "s path 1", "yes sent"])
      expect(await flows.mailTo(person.email, 1)).toMatchObject([{ subject: "gold" }])
      const { value } = await workspace.sandbox.api<{ tags: unknown }>("GET", `/contacts/${person.id}`)
      expect(value.tags).toEqual(["vip", "new"])
    })

    it("send marketing to people who consented, with a working unsubscribe link", async () => {
      const name = uniqueName()
      const flow = await flows.start(name, [
        emailStep("offer", { purpose: "Marketing", text: "Plain" }),
        emailStep("service")
      ])
      const customer = await flows.person({ consent: { basis: "Customer" } })
      const stranger = await flows.person()
      await flows.report(name, { id: customer.id })
      await flows.report(name, { id: stranger.id })
      const messages = await flows.mailTo(customer.email, 2)
      const offer = messages.find((message) => message.subject === "Subject offer")!
      const raw = (
        await target().fetch(`/manage/v1/accounts/${workspace.sandbox.accountId}/inbox/${offer.id}/raw`, {
          headers: { authorization: `Bearer ${target().managementToken}` }
        })
      ).text()
      const headers = (await raw).split("\r\n\r\n")[0]!.replaceAll(/\r\n[ \t]+/g, "")
      const link = /^List-Unsubscribe: ?<([^>]+)>$/im.exec(headers)![1]!
      expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/im)
      expect(offer["html"]).toContain(`href="${link}"`)
      expect(offer["text"]).toContain(link)
      const ended = await flows.runsWhere(
        flow.id,
        (runs) => runs.length === 2 && runs.every(({ status }) => status === "Completed")
      )
      const outcomes = ended.map(flows.outcomes)
      await flows.mailTo(stranger.email, 1)
      expect(outcomes.toSorted()).toEqual([
        ["offer sent", "service sent"],
        ["offer skipped: automation.no_consent", "service sent"]
      ])
      const path = link.slice(link.indexOf("/u/"))
      const posted = await target().fetch(path, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "List-Unsubscribe=One-Click"
      })
      expect(posted.status).toBe(200)
      await flows.report(name, { id: customer.id })
      const again = await flows.runsWhere(
        flow.id,
        (runs) => runs[0]?.status === "Completed" && runs.length === 3
      )
      expect(flows.outcomes(again[0]!)).toEqual(["offer skipped: automation.no_consent", "service sent"])
    })

    /** A published flow that calls a path of the receiver. */
    const calling = async (path: string, of = flows) => {
      const name = uniqueName()
      const flow = await of.start(name, [{ id: "hook", kind: "Webhook", url: receiver.url + path }])
      return { name, flow }
    }
    /** The flow's only run, once its request has ended. */
    const settled = async (flowId: string) =>
      (await flows.runsWhere(flowId, ([run]) => run?.log.length === 2))[0]!

    it("call a webhook again after a failure, with the same body", async () => {
      const { advance } = target()
      if (advance === null) return
      receiver.answer("/again", 500)
      const { flow, name } = await calling("/again")
      await flows.report(name, { id: (await flows.person()).id })
      await receiver.awaited("/again", 1)
      receiver.answer("/again", 204)
      await advance("2 minutes")
      const run = await settled(flow.id)
      const received = receiver.received("/again")
      expect([received.length, new Set(received.map(({ body }) => body)).size]).toEqual([2, 1])
      expect(flows.outcomes(run)).toEqual(["hook called", "hook answered"])
    })

    it("call webhooks, signed", async () => {
      const { flow, name } = await calling("/signed")
      const person = await flows.person({ firstName: "Zoë" })
      await flows.report(name, { id: person.id }, { plan: "pro" })
      const run = await settled(flow.id)
      expect(flows.outcomes(run)).toEqual(["hook called", "hook answered"])
      const [received] = receiver.received("/signed")
      expect(received!.json).toMatchObject({
        type: "flow.webhook",
        data: {
          flow_id: flow.id,
          run_id: run.id,
          step_id: "hook",
          contact: { id: person.id, firstName: "Zoë" },
          event: { name, properties: { plan: "pro" } }
        }
      })
      const { secret } = (await manage<{ secret: string }>("GET", `/flows/${flow.id}/webhook-secret`)).value
      verifyWebhook(secret, received!, target().now())
    })

    it("call webhooks of one account while another's receiver does not respond", async () => {
      if (target().advance !== null) return
      const hanging = receiver.hang("/hangs")
      const { name: slow } = await calling("/hangs")
      const other = (await openWorkspace(target(), "Flow steps beside")).sandbox
      const quick = await calling("/quick", flowsOf(other))
      for (let call = 0; call < 3; call++) {
        const events = Array.from({ length: 100 }, () => {
          const id = uniqueName()
          return { id, name: slow, contact: { email: `${id}@steps.example` } }
        })
        await workspace.sandbox.api("POST", "/events", { events })
      }
      await receiver.awaited("/hangs", 1)
      await flowsOf(other).report(quick.name, { email: "quick@steps.example" })
      expect(await receiver.awaited("/quick", 1)).toHaveLength(1)
      expect(hanging.givenUp()).toBe(0)
      hanging.release()
    })
  })
