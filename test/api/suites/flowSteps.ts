/**
 * The steps of flows (decisions 4).
 *
 * @module
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { keyOfSecret, signedHeaders } from "../../../core/webhooks/Signature.ts"
import { createHmac } from "node:crypto"
import { eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const short = "PT1S"

export const flowStepsSuite = (target: () => Target) =>
  describe("steps of flows", () => {
    let workspace: Workspace
    let flows: ReturnType<typeof flowsOf>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Flow steps")
      flows = flowsOf(workspace.sandbox)
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
      await workspace.sandbox.api("POST", "/contact-attributes", { key: "zone", type: "Text" })
    })
    const manage = <Value = unknown>(method: string, path: string, json?: unknown) =>
      workspace.sandbox.manage<Value>(method, path, json)
    /** Lets a second pass, at once where the clock is virtual. */
    const wait = async () => {
      const { advance } = target()
      if (advance === null) await new Promise((resolve) => setTimeout(resolve, 1_100))
      else await advance("1100 millis")
    }

    it("wait for an event, and go another way when it does not come", async () => {
      const [name, awaited] = [uniqueName(), uniqueName()]
      const flow = await flows.start(name, [
        {
          id: "w",
          kind: "WaitForEvent",
          name: awaited,
          filter: { join: "All", rules: [{ fieldKey: "event.ok", operator: "IsTrue" }] },
          timeout: short,
          then: [emailStep("came")],
          else: [emailStep("missed")]
        }
      ])
      const [one, two, three] = [await flows.person(), await flows.person(), await flows.person()]
      for (const { id } of [one, two]) await flows.report(name, { id })
      // Both in one call: it comes before the run's first turn.
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
      await wait()
      expect(await flows.mailTo(two.email, 1)).toMatchObject([{ subject: "Subject missed" }])
    })

    it("branch, split, change the contact and see it changed", async () => {
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

    it("send marketing to those who agree, with a way out that works", async () => {
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
      const signed = /^DKIM-Signature: ([^\r\n]*)/im.exec(headers)
      if (signed !== null) expect(signed[1]).toMatch(/list-unsubscribe-post/i)
      expect(offer["html"]).toContain(`href="${link}"`)
      expect(offer["text"]).toContain(link)
      const outcomes = (await flows.runsWhere(flow.id, (runs) => runs.length === 2)).map(flows.outcomes)
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

    it("call a webhook again that did not answer well", async () => {
      const { advance } = target()
      if (advance === null) return
      let calls = 0
      const bodies = new Set<string>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          bodies.add(Buffer.concat(chunks).toString())
          response.writeHead(++calls === 1 ? 500 : 204).end()
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      try {
        const { port } = server.address() as AddressInfo
        const name = uniqueName()
        const flow = await flows.start(name, [
          { id: "hook", kind: "Webhook", url: `http://127.0.0.1:${port}/` }
        ])
        await flows.report(name, { id: (await flows.person()).id })
        await eventually(
          async () => calls,
          (count) => count === 1
        )
        await advance("2 minutes")
        const [run] = await flows.runsWhere(flow.id, ([first]) => first?.log.length === 2)
        expect([calls, bodies.size, flows.outcomes(run!)]).toEqual([2, 1, ["hook called", "hook answered"]])
      } finally {
        server.close()
      }
    })

    it("call webhooks, signed", async () => {
      const received: Array<{ headers: Record<string, unknown>; body: string }> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
          response.writeHead(204).end()
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      try {
        const { port } = server.address() as AddressInfo
        const name = uniqueName()
        const flow = await flows.start(name, [
          { id: "hook", kind: "Webhook", url: `http://127.0.0.1:${port}/hook` }
        ])
        const person = await flows.person({ firstName: "Zoë" })
        await flows.report(name, { id: person.id }, { plan: "pro" })
        await eventually(
          async () => received,
          (list) => list.length > 0
        )
        const run = await flows.runsWhere(flow.id, ([first]) => first?.log.length === 2)
        expect(flows.outcomes(run[0]!)).toEqual(["hook called", "hook answered"])
        const [{ body, headers }] = received as [(typeof received)[0]]
        expect(JSON.parse(body)).toMatchObject({
          type: "flow.webhook",
          data: {
            flow_id: flow.id,
            run_id: run[0]!.id,
            step_id: "hook",
            contact: { id: person.id, firstName: "Zoë" },
            event: { name, properties: { plan: "pro" } }
          }
        })
        const { secret } = (await manage<{ secret: string }>("GET", `/flows/${flow.id}/webhook-secret`)).value
        const crypto = {
          hmacSha256: (key: Uint8Array, text: string) =>
            new Uint8Array(createHmac("sha256", key).update(text, "utf8").digest())
        }
        const at = Number(headers["webhook-timestamp"]) * 1000
        const expected = signedHeaders(
          crypto as unknown as Parameters<typeof signedHeaders>[0],
          [keyOfSecret(secret)],
          headers["webhook-id"] as string,
          at,
          body
        )
        expect(headers).toMatchObject(expected)
      } finally {
        server.close()
      }
    })
  })
