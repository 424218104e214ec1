/**
 * Tests active runs of flows while the contact, its consent or the flow changes (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { emailStep, type FlowRun, flowsOf, uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import { queuedId } from "../../support/relayed.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import { loggedIn } from "../../support/smtpClient.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Submission {
  readonly status: string
  readonly recipients: ReadonlyArray<{ readonly email: string; readonly reason: string | null }>
}

export const flowRunsSuite = (target: () => Target) =>
  describe("active runs", () => {
    let account: TestAccount
    let flows: ReturnType<typeof flowsOf>
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Runs")).sandbox
      flows = flowsOf(account)
    })

    /** A step that waits for an event. */
    const until = (name: string) => ({ id: "w", kind: "WaitForEvent", name, timeout: "P1D" })
    /** Starts a flow for people, and waits until each run is at its step `w`. */
    const asleep = async (flowId: string, name: string, ids: ReadonlyArray<string>, of = flows) => {
      for (const id of ids) await of.report(name, { id })
      await of.runsWhere(flowId, (runs) => runs.filter(({ stepId }) => stepId === "w").length === ids.length)
    }

    it("check consent, topic and suppression again for each email", async () => {
      const [name, go] = [uniqueName(), uniqueName()]
      await account.manage("POST", "/topics", { key: "deals", name: "Deals" })
      const offer = (id: string) => emailStep(id, { purpose: "Marketing", topic: "deals" })
      const flow = await flows.start(name, [offer("before"), until(go), offer("after"), emailStep("service")])
      const consent = { basis: "Customer" }
      const people = await Promise.all(Array.from({ length: 5 }, () => flows.person({ consent })))
      const [willing, left, chose, bounced, guarded] = people as [Contact, Contact, Contact, Contact, Contact]
      await asleep(
        flow.id,
        name,
        people.map(({ id }) => id)
      )
      // Emails that still wait would be checked again too.
      for (const { email } of people) await flows.mailTo(email, 1)
      await account.api("POST", "/contacts", { id: left.id, consent: { basis: "Unsubscribed" } })
      await account.api("POST", "/contacts", { id: chose.id, topics: { deals: false } })
      await account.manage("POST", "/suppressions", { email: bounced.email, kind: "Bounced" })
      await account.manage("POST", "/suppressions", { email: guarded.email, kind: "Protected" })
      for (const { id } of people) await flows.report(go, { id })
      const ended = await flows.runsWhere(flow.id, (runs) =>
        runs.every(({ status }) => status === "Completed")
      )
      const expected = [
        [willing, "sent", "sent"],
        [left, "skipped: automation.no_consent", "sent"],
        [chose, "skipped: automation.topic_off", "sent"],
        [bounced, "skipped: sending.gate_bounced", "skipped: sending.gate_bounced"],
        [guarded, "skipped: sending.gate_protected", "skipped: sending.gate_protected"]
      ] as const
      for (const [person, after, service] of expected) {
        const run = ended.find(({ contactId }) => contactId === person.id)!
        expect(flows.outcomes(run)).toEqual([
          "before sent",
          "w event",
          `after ${after}`,
          `service ${service}`
        ])
        const sent = ["sent", after, service].filter((outcome) => outcome === "sent").length
        expect(await flows.mailTo(person.email, sent)).toHaveLength(sent)
      }
    })

    it.each(["Bounced", "Complained"])(
      "send service email again once a suppression %s is lifted, as the API and SMTP do, and no marketing",
      async (kind) => {
        const name = uniqueName()
        const flow = await flows.start(name, [
          emailStep("offer", { purpose: "Marketing" }),
          emailStep("service")
        ])
        const { email, id } = await flows.person({ consent: { basis: "Customer" } })
        await account.manage("POST", "/suppressions", { email, kind })
        await account.manage("DELETE", `/suppressions/${encodeURIComponent(email!)}`)
        // No write restores the suppression, and none makes the person eligible for marketing again.
        await account.api("POST", "/contacts", { id, firstName: "Ann", consent: { basis: "Explicit" } })
        await flows.report(name, { id })
        const [run] = await flows.runsWhere(
          flow.id,
          (runs) => runs.length === 1 && runs[0]!.status === "Completed"
        )
        expect(flows.outcomes(run!)).toEqual(["offer skipped: automation.no_consent", "service sent"])
        expect(await flows.mailTo(email, 1)).toMatchObject([{ subject: "Subject service" }])
        const mail = mailOf(account)
        await mail.settled((await mail.send(email)).id, "Delivered")
        const client = await loggedIn(target().smtp.tls, account.key)
        const message = `From: Suite <suite@mail.example>\r\nTo: ${email}\r\nSubject: Relayed\r\n\r\nIt works.\r\n`
        await mail.settled(queuedId(await client.send([email!], message)), "Delivered")
        client.close()
        const contact = await account.api<Contact>("GET", `/contacts/${id}`)
        expect(contact.value.consentStatus).toBe(kind)
      }
    )

    it("continue when their flow is paused or archived, which starts no new ones", async () => {
      const [name, go, stop] = [uniqueName(), uniqueName(), uniqueName()]
      const steps = [until(go), emailStep("m")]
      const paused = await flows.start(name, steps, { stopEvents: [{ name: stop }] })
      const archived = await flows.start(name, steps)
      const [one, two, late] = [await flows.person(), await flows.person(), await flows.person()]
      for (const { id } of [one, two]) await flows.report(name, { id })
      for (const { id } of [paused, archived]) {
        await flows.runsWhere(id, (runs) => runs.filter(({ stepId }) => stepId === "w").length === 2)
      }
      await account.manage("POST", `/flows/${paused.id}/pause`)
      await account.manage("POST", `/flows/${archived.id}/archive`)
      await flows.report(name, { id: late.id })
      await flows.report(stop, { id: two.id })
      for (const { id } of [one, two]) await flows.report(go, { id })
      expect(await flows.mailTo(one.email, 2)).toHaveLength(2)
      expect(await flows.mailTo(two.email, 1)).toHaveLength(1)
      const statuses = async (id: string) =>
        (await flows.runsWhere(id, (runs) => runs.every(({ status }) => status !== "Active"))).map(
          ({ contactId, status }) => [contactId, status]
        )
      expect(await statuses(paused.id)).toEqual([
        [two.id, "Stopped"],
        [one.id, "Completed"]
      ])
      expect(await statuses(archived.id)).toEqual([
        [two.id, "Completed"],
        [one.id, "Completed"]
      ])
    })

    it("keep the stop events and waits of their flow version", async () => {
      const [name, go, stop] = [uniqueName(), uniqueName(), uniqueName()]
      const [newGo, newStop] = [uniqueName(), uniqueName()]
      const flow = await flows.start(name, [until(go)], { stopEvents: [{ name: stop }] })
      const [one, two, late] = [await flows.person(), await flows.person(), await flows.person()]
      await asleep(flow.id, name, [one.id, two.id])
      await account.manage("PUT", `/flows/${flow.id}`, {
        name: "Flow",
        trigger: { kind: "Event", name },
        stopEvents: [{ name: newStop }],
        steps: [until(newGo)]
      })
      await flows.publish(flow.id)
      await flows.report(name, { id: late.id })
      await flows.runsWhere(flow.id, (runs) => runs.filter(({ stepId }) => stepId === "w").length === 3)
      for (const [event, person] of [
        [newStop, one],
        [go, one],
        [newGo, two],
        [stop, two],
        [stop, late],
        [newGo, late]
      ] as const) {
        await flows.report(event, { id: person.id })
      }
      const runs = await flows.runsWhere(flow.id, (all) => all.every(({ status }) => status !== "Active"))
      expect(runs.map(({ contactId, status, version }) => [contactId, status, version])).toEqual([
        [late.id, "Completed", 2],
        [two.id, "Stopped", 1],
        [one.id, "Completed", 1]
      ])
    })

    it("that are stopped cancel their waiting emails", async () => {
      const own = (await openWorkspace(target(), "Stopped")).sandbox
      const its = flowsOf(own)
      const domains = await own.manage<Page<{ id: string }>>("GET", "/domains")
      await own.manage("DELETE", `/domains/${domains.value.items[0]!.id}`)
      const [name, stop] = [uniqueName(), uniqueName()]
      const flow = await its.start(name, [emailStep("m"), until(uniqueName())], {
        stopEvents: [{ name: stop }]
      })
      const [stopped, kept] = [await its.person(), await its.person()]
      await asleep(flow.id, name, [stopped.id, kept.id], its)
      const emailTo = async (email: string) =>
        (await own.manage<Page<Submission>>("GET", `/emails?flowId=${flow.id}`)).value.items.find(
          ({ recipients }) => recipients.some((one) => one.email === email)
        )!
      expect((await emailTo(stopped.email)).status).toBe("Queued")
      await its.report(stop, { id: stopped.id })
      const taken = await eventually(
        () => emailTo(stopped.email),
        ({ status }) => status !== "Queued"
      )
      expect([taken.status, taken.recipients[0]!.reason]).toEqual(["Failed", "sending.cancelled"])
      await own.manage("POST", "/domains", { domain: "mail.example" })
      expect(await its.mailTo(kept.email, 1)).toHaveLength(1)
      expect(await its.mailTo(stopped.email, 0)).toEqual([])
    })

    it("are listed newest first, page by page, by status or all", async () => {
      const name = uniqueName()
      const flow = await flows.start(name, [until(uniqueName())])
      const people = await Promise.all(Array.from({ length: 3 }, () => flows.person()))
      const ids = people.map(({ id }) => id)
      await asleep(flow.id, name, ids)
      const page = async (query: string) => {
        const path = `/flows/${flow.id}/runs?${query}`
        const {
          items,
          page: number,
          pageSize,
          totalCount
        } = (await account.manage<Page<FlowRun>>("GET", path)).value
        return [items.map(({ contactId }) => contactId), { page: number, pageSize, totalCount }]
      }
      const newest = ids.toReversed()
      expect(await page("pageSize=2")).toEqual([newest.slice(0, 2), { page: 1, pageSize: 2, totalCount: 3 }])
      expect(await page("pageSize=2&page=2&status=Active")).toEqual([
        newest.slice(2),
        { page: 2, pageSize: 2, totalCount: 3 }
      ])
      const path = `/flows/${flow.id}/runs`
      const [latest] = (await account.manage<Page<FlowRun>>("GET", path)).value.items
      expect((await page(`runId=${latest!.id}`))[0]).toEqual(newest.slice(0, 1))
      expect(await page("status=Completed")).toEqual([[], { page: 1, pageSize: 50, totalCount: 0 }])
    })
  })
