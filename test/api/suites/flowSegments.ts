/**
 * Tests flows that start when people enter or leave a segment (docs/flows.md).
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Flow, flowsOf, uniqueName } from "../../support/flows.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

export const flowSegmentsSuite = (target: () => Target) =>
  describe("flows on segments", () => {
    let workspace: Workspace
    let account: TestAccount
    let flows: ReturnType<typeof flowsOf>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "FlowSegments")
      account = workspace.sandbox
      flows = flowsOf(account)
      await account.api("POST", "/contact-attributes", { key: "plan", type: "Text" })
    })
    /** Archives the flows of an account, because their segments are evaluated as long as they are published. */
    const archiveAll = async (ended: TestAccount) => {
      const { items } = (await ended.manage<Page<Flow>>("GET", "/flows?limit=200")).value
      for (const { id } of items) await ended.manage("POST", `/flows/${id}/archive`)
    }
    afterAll(() => archiveAll(account))
    /** Advances a virtual clock until segments have been evaluated. */
    const evaluated = async () => target().advance?.("901 seconds")
    const segmentOf = async (plan: string): Promise<string> => {
      const rules = [{ fieldKey: "attributes.plan", operator: "Equals", value: plan }]
      const write = { name: plan, definition: { join: "All", rules } }
      return (await account.manage<{ id: string }>("POST", "/segments", write)).value.id
    }
    const setPlan = async ({ email }: { readonly email: string | null }, plan: string) =>
      account.api("POST", "/contacts", { email, attributes: { plan } })
    const draftOn = async (trigger: object) =>
      (
        await flows.create({
          trigger: { kind: "Segment", ...trigger },
          steps: [{ id: "end", kind: "Exit" }]
        })
      ).value
    const publishedOn = async (trigger: object) => flows.publish((await draftOn(trigger)).id)
    /** The people of a flow's runs, once there are `count`. */
    const peopleOf = async ({ id }: Flow, count: number) => {
      await evaluated()
      const runs = await flows.runsWhere(id, (found) => found.length >= count)
      return runs.map(({ contactId }) => contactId).toSorted()
    }

    it("start each time a person enters, and each time one leaves, not for those who are there", async () => {
      const [gold, none] = [uniqueName(), uniqueName()]
      const segmentId = await segmentOf(gold)
      const present = await flows.person({ attributes: { plan: gold } })
      const enter = await publishedOn({ segmentId, on: "Enter" })
      const leave = await publishedOn({ segmentId, on: "Leave" })
      const everyone = await publishedOn({ segmentId, on: "Enter", includePresent: true })
      expect(enter).toMatchObject({
        status: "Published",
        trigger: { kind: "Segment", segmentId, on: "Enter", includePresent: false }
      })
      expect(await peopleOf(everyone, 1)).toEqual([present.id])
      const person = await flows.person({ attributes: { plan: gold } })
      const stranger = await flows.person({ attributes: { plan: none } })
      expect(await peopleOf(enter, 1)).toEqual([person.id])
      expect(await peopleOf(everyone, 2)).toEqual([present.id, person.id].toSorted())
      await setPlan(person, none)
      expect(await peopleOf(leave, 1)).toEqual([person.id])
      await setPlan(person, gold)
      await setPlan(stranger, gold)
      await setPlan(present, none)
      expect(await peopleOf(enter, 3)).toEqual([person.id, person.id, stranger.id].toSorted())
      expect(await peopleOf(leave, 2)).toEqual([person.id, present.id].toSorted())
      const [run] = await flows.runs(enter.id)
      expect(run).toMatchObject({ status: "Completed" })
    })

    it("start no runs while they are paused, and continue with what they know", async () => {
      const gold = uniqueName()
      const segmentId = await segmentOf(gold)
      const flow = await publishedOn({ segmentId, on: "Enter", includePresent: true })
      const first = await flows.person({ attributes: { plan: gold } })
      expect(await peopleOf(flow, 1)).toEqual([first.id])
      await account.manage("POST", `/flows/${flow.id}/pause`)
      const second = await flows.person({ attributes: { plan: gold } })
      await evaluated()
      await flows.publish(flow.id)
      expect(await peopleOf(flow, 2)).toEqual([first.id, second.id].toSorted())
    })

    it("start by what people do and by the passing of days, and let people be erased", async () => {
      const { advance } = target()
      const name = uniqueName()
      const rules = [
        { fieldKey: `events.${name}`, operator: "HappenedAtLeast", value: { count: 1, days: 1 } }
      ]
      const segmentId = (
        await account.manage<{ id: string }>("POST", "/segments", {
          name,
          definition: { join: "All", rules }
        })
      ).value.id
      const enter = await publishedOn({ segmentId, on: "Enter" })
      const leave = await publishedOn({ segmentId, on: "Leave" })
      const [person, erased] = [await flows.person(), await flows.person()]
      await flows.report(name, { id: person.id })
      await flows.report(name, { id: erased.id })
      expect(await peopleOf(enter, 2)).toEqual([person.id, erased.id].toSorted())
      expect((await account.api("DELETE", `/contacts/${erased.id}`)).status).toBe(200)
      expect(await peopleOf(enter, 1)).toEqual([person.id])
      if (advance === null) return
      await advance("3 days")
      expect(await peopleOf(leave, 1)).toEqual([person.id])
    })

    it("name a segment that exists, which stays while they name it", async () => {
      const segmentId = await segmentOf(uniqueName())
      const refused = async (trigger: object) =>
        (await flows.create({ trigger: { kind: "Segment", ...trigger }, steps: [] })).codes
      expect(await refused({ segmentId: account.accountId, on: "Enter" })).toEqual(["segments.not_found"])
      expect(await refused({ segmentId, on: "Stay" })).toEqual(["validation.format"])
      expect(await refused({ segmentId, on: "Leave", includePresent: true })).toEqual(["validation.format"])
      expect(await refused({ on: null, name: "x" })).toEqual([
        "validation.unknown_field",
        "validation.required",
        "validation.format"
      ])
      const flow = await draftOn({ segmentId, on: "Leave" })
      const remove = async () => (await account.manage("DELETE", `/segments/${segmentId}`)).codes
      expect(await remove()).toEqual(["segments.in_use"])
      const campaign = { name: "To it", audience: { segments: [], exclude: [segmentId] } }
      const { id } = (await account.manage<{ id: string }>("POST", "/campaigns", campaign)).value
      expect((await account.manage("GET", `/segments/${segmentId}/usage`)).value).toEqual({
        flows: [{ id: flow.id, name: flow.name, status: "Draft", isPublished: false }],
        campaigns: [{ id, name: "To it", status: "Draft" }]
      })
      expect((await account.manage("GET", `/segments/${flow.id}/usage`)).codes).toEqual(["common.not_found"])
      await flows.publish(flow.id)
      expect(await remove()).toEqual(["segments.in_use"])
      await account.manage("POST", `/flows/${flow.id}/archive`)
      expect(await remove()).toEqual([])
    })

    it("are at most 20 published in an account", async () => {
      const segmentId = await segmentOf(uniqueName())
      const other = await openWorkspace(target(), "FlowSegmentLimit")
      const own = flowsOf(other.sandbox)
      const builtIn = (
        await other.sandbox.manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/segments?pageSize=1")
      ).value.items[0]!.id
      expect(builtIn).not.toBe(segmentId)
      const publish = async () => {
        const trigger = { kind: "Segment", segmentId: builtIn, on: "Enter" }
        const { id } = (await own.create({ trigger, steps: [] })).value
        return (await other.sandbox.manage("POST", `/flows/${id}/publish`)).codes
      }
      const codes: Array<string> = []
      for (let index = 0; index < 21; index++) codes.push(...(await publish()))
      expect(codes).toEqual(["automation.segment_flow_limit_reached"])
      await archiveAll(other.sandbox)
    })
  })
