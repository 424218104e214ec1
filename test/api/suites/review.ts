/**
 * Tests the review of a flow's first marketing emails, with the account setting `reviewFirst` (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { beforeEach, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { content } from "../../support/mail.ts"
import type { EmailSubmission, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface AuditEntry {
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

const consent = { basis: "Customer" }

export const reviewSuite = (target: () => Target) =>
  describe("the review of marketing emails", () => {
    let account: TestAccount
    let flows: ReturnType<typeof flowsOf>
    let serial = 0
    beforeEach(async () => {
      account = (await openWorkspace(target(), `Review ${++serial}`)).sandbox
      flows = flowsOf(account)
    })
    const review = (reviewFirst: number) => account.manage("PATCH", "/settings", { reviewFirst })
    const marketing = (id: string) => emailStep(id, { purpose: "Marketing" })
    const emails = async (flowId: string, query = "") =>
      (await account.manage<Page<EmailSubmission>>("GET", `/emails?pageSize=200&flowId=${flowId}${query}`))
        .value
    const held = (flowId: string) => emails(flowId, "&status=PendingReview")
    const decide = (id: string, how: "release" | "refuse") =>
      account.manage<EmailSubmission>("POST", `/emails/${id}/${how}`)
    const statusOf = async (id: string) => {
      const { reason, status } = (await account.manage<EmailSubmission>("GET", `/emails/${id}`)).value
      return [status, reason]
    }
    /** Starts the flow by an event for new people, and waits until each run has passed its emails. */
    const runFor = async (flowId: string, name: string, count: number) => {
      const contacts = Array.from({ length: count }, () => ({
        email: `${uniqueName()}@review.example`,
        consent
      }))
      await account.api("POST", "/contacts/batch", { contacts })
      const events = contacts.map(({ email }) => ({ id: uniqueName(), name, contact: { email } }))
      const before = (await flows.runs(flowId)).length
      await account.api("POST", "/events", { events })
      const done = await flows.runsWhere(
        flowId,
        (runs) => runs.length === before + count && runs.every(({ log }) => log.length > 0)
      )
      expect(done).toHaveLength(before + count)
      return contacts.map(({ email }) => email)
    }
    const startFlow = async (...steps: ReadonlyArray<object>) => {
      const name = uniqueName()
      return { name, flow: await flows.start(name, steps.length === 0 ? [marketing("news")] : steps) }
    }
    const settled = (id: string, status: string) =>
      eventually(
        () => statusOf(id),
        ([now]) => now === status
      )

    it("holds the first of each flow, which are sent when they are released", async () => {
      await review(2)
      const one = await startFlow()
      const other = await startFlow(marketing("news"), emailStep("receipt"))
      await runFor(one.flow.id, one.name, 5)
      await runFor(other.flow.id, other.name, 1)
      const waiting = await held(one.flow.id)
      expect(waiting.items.map(({ reason, status }) => [status, reason])).toEqual([
        ["PendingReview", "sending.in_review"],
        ["PendingReview", "sending.in_review"]
      ])
      const sent = await eventually(
        () => emails(one.flow.id, "&status=Delivered"),
        ({ totalCount }) => totalCount === 3
      )
      expect(sent.totalCount).toBe(3)
      const [elsewhere] = (await held(other.flow.id)).items
      const receipt = await eventually(
        () => emails(other.flow.id, "&status=Delivered"),
        ({ totalCount }) => totalCount === 1
      )
      expect(receipt.totalCount).toBe(1)
      expect((await emails(other.flow.id)).totalCount).toBe(2)

      const [first, second] = waiting.items
      const released = await decide(first!.id, "release")
      expect(released.status).toBe(200)
      expect(["Queued", "HandingOff", "Sent", "Delivered"]).toContain(released.value.status)
      expect(await settled(first!.id, "Delivered")).toEqual(["Delivered", null])
      const refused = await decide(second!.id, "refuse")
      expect([refused.value.status, refused.value.reason]).toEqual(["Failed", "sending.review_refused"])
      expect(await statusOf(elsewhere!.id)).toEqual(["PendingReview", "sending.in_review"])

      // Each email can be decided only once.
      for (const id of [first!.id, second!.id]) {
        for (const how of ["release", "refuse"] as const) {
          const again = await decide(id, how)
          expect([again.status, again.codes]).toEqual([409, ["sending.email_not_in_review"]])
        }
      }
      const log = (await account.manage<Page<AuditEntry>>("GET", "/audit-log?pageSize=200")).value.items
      const entries = log.filter((entry) => entry.target.id === first!.id || entry.target.id === second!.id)
      expect(entries).toMatchObject([
        {
          action: "email.refused",
          target: { kind: "email", id: second!.id },
          before: { held: 1 },
          after: { refused: 1 }
        },
        {
          action: "email.released",
          target: { kind: "email", id: first!.id },
          before: { held: 1 },
          after: { queued: 1, suppressed: 0 }
        }
      ])
      // The first emails were held; the flow's next ones are sent, whatever was decided.
      await runFor(one.flow.id, one.name, 1)
      expect((await held(one.flow.id)).totalCount).toBe(0)
    })

    it("is off by default, holds no transactional email, and decides nothing that is not held", async () => {
      const { flow, name } = await startFlow()
      await runFor(flow.id, name, 1)
      expect((await held(flow.id)).totalCount).toBe(0)
      await review(5)
      const { id } = (
        await account.api<EmailSubmission>("POST", "/sending/emails", {
          to: "ada@review.example",
          ...content
        })
      ).value
      for (const how of ["release", "refuse"] as const) {
        expect((await decide(id, how)).codes).toEqual(["sending.email_not_in_review"])
        expect((await decide("00000000-0000-7000-8000-000000000000", how)).status).toBe(404)
        expect((await decide("none", how)).status).toBe(404)
      }
      expect(await settled(id, "Delivered")).toEqual(["Delivered", null])
    })

    it("asks consent, suppressions and erasure again when an email is released", async () => {
      await review(9)
      const { flow, name } = await startFlow()
      const [withdrawn, listed, erased] = await runFor(flow.id, name, 3)
      const byAddress = new Map(
        (await held(flow.id)).items.map(({ id, recipients }) => [recipients[0]!.email, id])
      )
      await account.api("POST", "/contacts", { email: withdrawn, consent: { basis: "Unsubscribed" } })
      await account.manage("POST", "/suppressions", { email: listed, kind: "Protected" })
      await account.api("DELETE", `/contacts/${encodeURIComponent(`email:${erased}`)}`)
      const outcomes = [withdrawn, listed].map(async (email) => {
        const { reason, status } = (await decide(byAddress.get(email!)!, "release")).value
        return [status, reason]
      })
      expect(await Promise.all(outcomes)).toEqual([
        ["Suppressed", "sending.gate_consent"],
        ["Suppressed", "sending.gate_protected"]
      ])
      expect((await decide(byAddress.get(erased!)!, "release")).status).toBe(404)
    })

    it("ends with a run that a stop event ends", async () => {
      await review(9)
      const [name, stop] = [uniqueName(), uniqueName()]
      const flow = await flows.start(name, [marketing("news"), { id: "w", kind: "Wait", duration: "P1D" }], {
        stopEvents: [{ name: stop }]
      })
      const [email] = await runFor(flow.id, name, 1)
      const [{ id } = { id: "" }] = (await held(flow.id)).items
      await flows.report(stop, { email })
      await flows.runIn(flow.id, "Stopped")
      expect(await statusOf(id)).toEqual(["Failed", "sending.cancelled"])
      expect((await decide(id, "release")).codes).toEqual(["sending.email_not_in_review"])
    })

    it("takes no place in the queue of an account with a daily limit", async () => {
      await account.manage("PATCH", "/settings", { reviewFirst: 50, dailySendLimit: 1 })
      const { flow, name } = await startFlow()
      await runFor(flow.id, name, 12)
      expect((await held(flow.id)).totalCount).toBe(12)
      const send = (count: number) => {
        const [to, ...bcc] = Array.from({ length: count }, (_, index) => `p${index}@review.example`)
        return account.api("POST", "/sending/emails", { to, bcc, ...content })
      }
      expect((await send(10)).status).toBe(201)
      expect((await send(2)).codes).toEqual(["sending.queue_full"])
      const [first] = (await held(flow.id)).items
      const released = (await decide(first!.id, "release")).value
      expect(["Queued", "HandingOff", "Sent", "Delivered"]).toContain(released.status)
    })
  })
