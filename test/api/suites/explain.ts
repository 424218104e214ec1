/**
 * Tests the explanations of why a person did or did not get an email, or the emails of a flow (docs/email-status.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { content, mailOf } from "../../support/mail.ts"
import type { ContactWritten, EmailAccepted } from "../../support/shapes.ts"
import { settled, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Explanation {
  readonly verdict: string
  readonly because: ReadonlyArray<{
    readonly code: string
    readonly sentence: string
    readonly at: string | null
    readonly evidence: { readonly kind: string; readonly id: string } | null
  }>
  readonly next: ReadonlyArray<{
    readonly sentence: string
    readonly action?: { readonly method: string; readonly path: string }
  }>
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const explainSuite = (target: () => Target) =>
  describe("explanations", () => {
    let account: TestAccount
    let live: TestAccount
    let flows: ReturnType<typeof flowsOf>
    let mail: ReturnType<typeof mailOf>
    beforeAll(async () => {
      const workspace = await openWorkspace(target(), "Explanations")
      account = workspace.sandbox
      live = workspace.live
      flows = flowsOf(account)
      mail = mailOf(account)
    })
    const ask = (query: string, of = account) => of.manage<Explanation>("GET", `/explain?${query}`)
    const why = async (contact: string, kind: "email" | "flow", id: string, of = account) =>
      (await ask(`contact=${encodeURIComponent(contact)}&${kind}=${id}`, of)).value
    /** The verdict, and the codes in order. */
    const codes = ({ because, verdict }: Explanation) => [verdict, ...because.map(({ code }) => code)]
    const address = () => `${uniqueName().replaceAll(".", "-")}@why.example`

    it("say that a server accepted an email, and that no more can be known", async () => {
      const email = address()
      const { id } = await mail.send(email)
      await mail.settled(id, "Delivered")
      const found = await why(`email:${email.toUpperCase()}`, "email", id)
      expect(codes(found)).toEqual(["Received", "explain.delivered"])
      expect(found.because[0]).toMatchObject({ evidence: { kind: "Email", id }, at: expect.any(String) })
      expect(found.because[0]!.sentence).toMatch(/cannot be known/)
      const contact = (await account.api<ContactWritten>("POST", "/contacts", { email, externalId: email }))
        .value.contact
      expect(await why(contact.id, "email", id)).toEqual(found)
      expect(await why(`ext:${email}`, "email", id)).toEqual(found)
      // The address that the person had at the time also counts.
      await account.manage("PATCH", `/contacts/${contact.id}`, { email: address() })
      expect(await why(contact.id, "email", id)).toEqual(found)
      const other = await why(`email:${address()}`, "email", id)
      expect(codes(other)).toEqual(["NotSent", "explain.not_in_audience"])
    })

    it("name the server's answer to what bounced or is retried, and what suppresses an address", async () => {
      const bounced = `bounce@${uniqueName().replaceAll(/[._]/g, "-")}.example`
      const first = await mail.send(bounced)
      await mail.settled(first.id, "Bounced")
      expect(codes(await why(`email:${bounced}`, "email", first.id))).toEqual([
        "NotReceived",
        "explain.bounced"
      ])
      const second = await mail.send(bounced)
      const suppressed = await why(`email:${bounced}`, "email", second.id)
      expect(codes(suppressed)).toEqual(["NotSent", "sending.gate_bounced"])
      const { action } = suppressed.next[0]!
      expect(action?.method).toBe("DELETE")
      // The suggested action is a call that works.
      const prefix = `/manage/v1/accounts/${account.accountId}`
      expect(action!.path.startsWith(prefix)).toBe(true)
      expect((await account.manage("DELETE", action!.path.slice(prefix.length))).status).toBe(200)
      for (const [kind, code] of [
        ["Complained", "sending.gate_complained"],
        ["Protected", "sending.gate_protected"]
      ] as const) {
        const email = address()
        await account.manage("POST", "/suppressions", { email, kind })
        const { id } = await mail.send(email)
        expect(codes(await why(`email:${email}`, "email", id))).toEqual(["NotSent", code])
      }
      const deferred = `defer@${uniqueName().replaceAll(/[._]/g, "-")}.example`
      const third = await mail.send(deferred)
      await expect
        .poll(async () => codes(await why(`email:${deferred}`, "email", third.id)), { timeout: 40_000 })
        .toEqual(["OnItsWay", "sending.retrying"])
    })

    it("explain what waits and what was cancelled", async () => {
      const email = address()
      const sendAt = new Date(target().now() + 3_600_000).toISOString()
      const later = await mail.send(email, { sendAt })
      const scheduled = await why(`email:${email}`, "email", later.id)
      expect(codes(scheduled)).toEqual(["OnItsWay", "sending.scheduled"])
      expect(scheduled.because[0]!.sentence).toContain(sendAt)
      await account.manage("POST", `/emails/${later.id}/cancel`)
      const cancelled = await why(`email:${email}`, "email", later.id)
      expect(codes(cancelled)).toEqual(["NotSent", "sending.cancelled"])
      const unverified = await live.api<EmailAccepted>("POST", "/sending/emails", { to: email, ...content })
      expect(codes(await why(`email:${email}`, "email", unverified.value.id, live))).toEqual([
        "OnItsWay",
        "sending.no_verified_sender"
      ])
    })

    it("explain the daily limit and the review", async () => {
      const limited = (await openWorkspace(target(), "Explained limits")).sandbox
      const limitedMail = mailOf(limited)
      const limitedFlows = flowsOf(limited)
      const name = uniqueName()
      await limited.manage("PATCH", "/settings", { reviewFirst: 1 })
      const flow = await limitedFlows.start(name, [emailStep("offer", { purpose: "Marketing" })])
      const person = await limitedFlows.person({ consent: { basis: "Customer" } })
      await limitedFlows.report(name, { id: person.id })
      await limitedFlows.runIn(flow.id, "Completed")
      const held = await why(person.id, "flow", flow.id, limited)
      expect(codes(held)).toEqual(["OnItsWay", "sending.in_review"])
      expect(held.next[0]!.action!.path).toContain(`/emails/${held.because[0]!.evidence!.id}/release`)
      await limited.manage("POST", `/emails/${held.because[0]!.evidence!.id}/refuse`)
      expect(codes(await why(person.id, "flow", flow.id, limited))).toEqual([
        "NotSent",
        "sending.review_refused"
      ])
      await limited.manage("PATCH", "/settings", { dailySendLimit: 1 })
      const emails = [address(), address()]
      const sent = [await limitedMail.send(emails[0]), await limitedMail.send(emails[1])]
      await limitedMail.settled(sent[0]!.id, "Delivered")
      await expect
        .poll(async () => codes(await why(`email:${emails[1]}`, "email", sent[1]!.id, limited)), {
          timeout: 40_000
        })
        .toEqual(["OnItsWay", "sending.daily_cap"])
    })

    it("explain why a flow has not started", async () => {
      const name = uniqueName()
      const person = await flows.person()
      const filter = {
        join: "All",
        rules: [
          { fieldKey: "event.paid", operator: "IsTrue" },
          { fieldKey: "event.plan", operator: "Equals", value: "pro" }
        ]
      }
      const trigger = { kind: "Event", name, filter }
      const { id } = (await flows.create({ trigger, steps: [emailStep("hello")] })).value
      const draft = await why(person.id, "flow", id)
      expect(codes(draft)).toEqual(["NotSent", "explain.flow_not_published"])
      expect(draft.next[0]!.action!.path).toMatch(/\/publish$/)
      await flows.publish(id)
      expect(codes(await why(person.id, "flow", id))).toEqual(["NotSent", "explain.event_not_recorded"])
      await flows.report(name, { id: person.id }, { paid: true, plan: "free" })
      await expect
        .poll(async () => codes(await why(person.id, "flow", id)), { timeout: 40_000 })
        .toEqual(["NotSent", "explain.filter_not_matched"])
      const unmatched = await why(person.id, "flow", id)
      expect(unmatched.because[0]!.sentence).toContain('event.plan Equals "pro"')
      expect(unmatched.because[0]!.evidence!.kind).toBe("Event")
      await flows.report(name, { id: person.id }, { paid: true, plan: "pro" })
      await flows.runIn(id, "Completed")
      await expect
        .poll(async () => codes(await why(person.id, "flow", id)), { timeout: 40_000 })
        .toEqual(["Received", "explain.delivered"])
      const call = (await flows.create({ trigger: { kind: "Api" }, steps: [emailStep("hello")] })).value
      await flows.publish(call.id)
      expect(codes(await why(person.id, "flow", call.id))).toEqual(["NotSent", "explain.not_called"])
      await account.manage("POST", `/flows/${call.id}/pause`)
      expect(codes(await why(person.id, "flow", call.id))).toEqual(["NotSent", "explain.flow_not_published"])
    })

    it("explain a run that waits, that was already there, and that an event ended", async () => {
      const [name, stop] = [uniqueName(), uniqueName()]
      const wait = { id: "pause", kind: "Wait", duration: "P1D" }
      const flow = await flows.start(name, [wait, emailStep("late")], { stopEvents: [{ name: stop }] })
      const person = await flows.person()
      await flows.report(name, { id: person.id })
      await expect
        .poll(async () => codes(await why(person.id, "flow", flow.id)), { timeout: 40_000 })
        .toEqual(["OnItsWay", "explain.waiting_in_flow"])
      const waiting = await why(person.id, "flow", flow.id)
      expect(waiting.because[0]!.sentence).toContain("pause")
      await settled(target())
      await flows.report(name, { id: person.id })
      await expect
        .poll(async () => codes(await why(person.id, "flow", flow.id)), { timeout: 40_000 })
        .toEqual(["OnItsWay", "explain.waiting_in_flow", "explain.already_in_run"])
      await flows.report(stop, { id: person.id })
      await flows.runIn(flow.id, "Stopped")
      const stopped = await why(person.id, "flow", flow.id)
      expect(codes(stopped).slice(0, 2)).toEqual(["NotSent", "explain.stopped_by_event"])
      expect(stopped.because[0]!.sentence).toContain(stop)
    })

    it("explain consent and topics that forbid marketing", async () => {
      const name = uniqueName()
      const key = uniqueName().replaceAll(".", "_")
      await account.manage("POST", "/topics", { key, name: key })
      const flow = await flows.start(name, [emailStep("offer", { purpose: "Marketing", topic: key })])
      const left = await flows.person({ consent: { basis: "Unsubscribed" } })
      const chose = await flows.person({ consent: { basis: "Customer" }, topics: { [key]: false } })
      for (const { id } of [left, chose]) await flows.report(name, { id })
      await flows.runsWhere(
        flow.id,
        (runs) => runs.length === 2 && runs.every(({ status }) => status === "Completed")
      )
      expect(codes(await why(left.id, "flow", flow.id))).toEqual(["NotSent", "automation.no_consent"])
      expect(codes(await why(chose.id, "flow", flow.id))).toEqual(["NotSent", "automation.topic_off"])
      const idle = await flows.start(uniqueName(), [{ id: "end", kind: "Exit" }])
      const trigger = uniqueName()
      const empty = await flows.start(trigger, [{ id: "end", kind: "Exit" }])
      await flows.report(trigger, { id: left.id })
      await flows.runIn(empty.id, "Completed")
      expect(codes(await why(left.id, "flow", empty.id))).toEqual(["NotSent", "explain.no_email_on_path"])
      expect(codes(await why(left.id, "flow", idle.id))).toEqual(["NotSent", "explain.event_not_recorded"])
    })

    it("say of an erased person that nothing is kept", async () => {
      const name = uniqueName()
      const flow = await flows.start(name, [emailStep("hello")])
      const person = await flows.person()
      const { id } = await mail.send(person.email)
      await mail.settled(id, "Delivered")
      await account.manage("DELETE", `/contacts/${person.id}`)
      for (const reference of [person.id, `email:${person.email}`]) {
        for (const [kind, of] of [
          ["email", id],
          ["flow", flow.id]
        ] as const) {
          const found = await why(reference, kind, of)
          expect(codes(found)).toEqual(["Unknown", "explain.erased"])
          expect(found.because[0]!.evidence).toBeNull()
        }
      }
    })

    it("reject questions without a person or with another number of subjects than one", async () => {
      const person = await flows.person()
      const { id } = await mail.send(person.email)
      const outcome = async (query: string, of = account) => {
        const { codes: found, fields, status } = await ask(query, of)
        return [status, ...found, ...fields]
      }
      const contact = `contact=${person.id}`
      expect(await outcome(`email=${id}`)).toEqual([400, "validation.required", "contact"])
      expect(await outcome(contact)).toEqual([400, "validation.required", "email"])
      expect(await outcome(`${contact}&email=${id}&flow=${unknownId}`)).toEqual([
        400,
        "validation.format",
        "flow"
      ])
      expect(await outcome(`contact=ada&email=${id}`)).toEqual([
        400,
        "audience.contact_reference_invalid",
        "contact"
      ])
      for (const kind of ["email", "flow", "campaign"]) {
        expect(await outcome(`${contact}&${kind}=${unknownId}`)).toEqual([404, "common.not_found"])
      }
      expect(await outcome(`contact=${unknownId}&email=${id}`)).toEqual([
        404,
        "audience.contact_not_found",
        "contact"
      ])
      expect((await outcome(`${contact}&email=${id}`, live))[0]).toBe(404)
    })
  })
