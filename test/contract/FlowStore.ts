/**
 * The contract of `core/ports/FlowStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Flow } from "../../core/model/Flow.ts"
import type { FlowDefinition, Step } from "../../core/model/FlowDefinition.ts"
import { FlowStore } from "../../core/ports/FlowStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  byId,
  edited,
  expectFailure,
  freshAccountId,
  newHash,
  newId,
  now,
  oddText,
  readOn,
  readPages,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

const definition: FlowDefinition = {
  trigger: { kind: "Event", name: "a", filter: { join: "Any", rules: [] } },
  stopEvents: [{ name: "b", filter: null }],
  steps: [
    {
      id: "u",
      kind: "UpdateContact",
      attributes: { odd: oddText, __proto__x: null, list: ["a"] },
      topics: {},
      tags: { add: [oddText], remove: [] }
    }
  ]
}

const draft = (accountId: string, values: Partial<Flow> = {}): Flow => ({
  id: newId(),
  accountId,
  name: oddText,
  status: "Draft",
  version: 0,
  definition,
  startsOn: null,
  segmentId: null,
  tokenHash: null,
  createdAt: now,
  updatedAt: now,
  updatedBy: null,
  ...values
})

/** Tests of the port `FlowStore`. */
export const flowStoreContract = (it: StorageTest): void => {
  describe("FlowStore", () => {
    it.effect("returns flows as they were added and saved, to their account only, newest first", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const flows = times(5, (index) => draft(accountId, { createdAt: now + (index % 3) }))
        for (const flow of flows) yield* store.insert(flow)
        const ids = flows.map(({ id }) => id)
        expect(byId(yield* store.find(accountId, [...ids, newId()]))).toEqual(byId(flows))
        expect(yield* store.find(other, ids)).toEqual([])
        expect(yield* store.find(accountId, [])).toEqual([])
        const saved: Flow = {
          ...flows[0]!,
          name: "x",
          status: "Published",
          version: 3,
          definition: { trigger: { kind: "Api" }, stopEvents: [], steps: [] },
          startsOn: "a",
          tokenHash: newHash(),
          ...edited
        }
        yield* store.save(saved)
        expect(yield* store.lock(accountId, saved.id)).toEqual(saved)
        expect(yield* store.lock(other, saved.id)).toBeNull()
        expect(yield* store.ofToken(saved.tokenHash!)).toEqual(saved)
        expect(yield* store.ofToken(newHash())).toBeNull()
        const copy = draft(other, { id: saved.id })
        yield* store.insert(copy)
        expect(yield* store.find(other, ids)).toEqual([copy])
        expect(yield* store.find(accountId, [saved.id])).toEqual([saved])
        const listed = yield* readPages((page) => store.list(accountId, page), 2)
        expect(listed).toEqual(
          [saved, ...flows.slice(1)].toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        )
      })
    )

    it.effect("finds the published flows that a segment starts, and those that name one", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const segmentId = newId()
        const on = (id: string): FlowDefinition => ({
          trigger: { kind: "Segment", segmentId: id, on: "Enter", includePresent: false },
          stopEvents: [],
          steps: []
        })
        const started = { segmentId, definition: on(segmentId) }
        const flow = draft(accountId, { name: "b", status: "Published", version: 2, ...started })
        const paused = draft(accountId, { name: "c", status: "Paused", version: 1, ...started })
        const unpublished = draft(accountId, { name: "a", definition: on(segmentId) })
        const others = [
          draft(accountId, { status: "Archived", version: 1, ...started }),
          draft(accountId, { status: "Published", version: 1, startsOn: "a" }),
          draft(yield* freshAccountId, { status: "Published", version: 1, ...started })
        ]
        for (const one of [flow, paused, unpublished, ...others]) yield* store.insert(one)
        yield* store.publish({
          accountId,
          flowId: flow.id,
          version: 2,
          publishedAt: null,
          definition: on(segmentId)
        })
        expect(yield* store.onSegments(accountId)).toEqual([
          { accountId, flowId: flow.id, version: 2, segmentId }
        ])
        expect(yield* store.using(accountId, "segmentId", segmentId)).toEqual([
          { id: unpublished.id, name: "a", status: "Draft", isPublished: false },
          { id: flow.id, name: "b", status: "Published", isPublished: true },
          { id: paused.id, name: "c", status: "Paused", isPublished: false }
        ])
        expect(yield* store.using(accountId, "templateId", segmentId)).toEqual([])
        expect(yield* store.using(accountId, "segmentId", newId())).toEqual([])
      })
    )

    it.effect("finds the published flows that an event starts", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const flow = draft(accountId, { status: "Published", version: 2, startsOn: "a" })
        const twin = draft(accountId, { status: "Published", version: 1, startsOn: "a" })
        yield* store.insert(flow)
        yield* store.insert(twin)
        yield* store.insert(draft(accountId, { status: "Published", version: 1, startsOn: "b" }))
        yield* store.insert(draft(accountId, { status: "Published", version: 1 }))
        yield* store.insert(draft(accountId, { status: "Paused", version: 1, startsOn: "a" }))
        yield* store.insert(draft(yield* freshAccountId, { status: "Published", version: 1, startsOn: "a" }))
        const started = yield* store.startedBy(accountId, ["a", "a", "c"])
        expect(started.toSorted((a, b) => (a.flowId < b.flowId ? -1 : 1))).toEqual([
          { accountId, flowId: flow.id, version: 2, event: "a" },
          { accountId, flowId: twin.id, version: 1, event: "a" }
        ])
        expect(yield* store.startedBy(accountId, [])).toEqual([])
      })
    )

    it.effect("stores versions as they were published, each once", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const version = { accountId, flowId: newId(), version: 1, definition, publishedAt: null }
        yield* store.publish(version)
        const conflict = yield* expectFailure(store.publish(version), "WriteConflict")
        expect(conflict.constraint).toBe("flow_versions_pkey")
        yield* store.publish({ ...version, version: 2 })
        const found = yield* store.versions([version, { ...version, version: 3 }, version])
        expect(found.length).toBeGreaterThan(0)
        for (const one of found) expect(one).toEqual(version)
        expect(yield* store.versions([])).toEqual([])
        const { flowId } = version
        yield* store.publish({ ...version, version: 3, publishedAt: 5 })
        yield* store.publish({ ...version, flowId: newId() })
        const listed = (pageSize: number) =>
          readOn((page) => store.listVersions(accountId, flowId, page), pageSize)
        expect(yield* listed(2)).toEqual([
          { version: 3, publishedAt: 5 },
          { version: 2, publishedAt: null },
          { version: 1, publishedAt: null }
        ])
      })
    )

    it.effect("finds the flows that send a template, in steps at any depth", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const templateId = newId()
        const email = (id: string | null): Step => ({
          id: "e",
          kind: "SendEmail",
          purpose: "Transactional",
          templateId: id,
          subject: null,
          html: null,
          text: null,
          topic: null
        })
        const nested = (id: string | null): FlowDefinition => ({
          ...definition,
          steps: [
            {
              id: "b",
              kind: "Branch",
              condition: { join: "All", rules: [] },
              then: [],
              else: [email(id)]
            }
          ]
        })
        const [published, drafted, archived, other] = [
          draft(accountId, { name: "b", status: "Paused", version: 2, definition: nested(null) }),
          draft(accountId, { name: "a", definition: { ...definition, steps: [email(templateId)] } }),
          draft(accountId, { name: "c", status: "Archived", definition: nested(templateId) }),
          draft(accountId, { name: "d", status: "Published", version: 2, definition: nested(newId()) })
        ]
        for (const flow of [published, drafted, archived, other]) yield* store.insert(flow)
        const version = { accountId, publishedAt: null, definition: nested(templateId) }
        yield* store.publish({ ...version, flowId: published.id, version: 2 })
        yield* store.publish({ ...version, flowId: other.id, version: 1 })
        expect(yield* store.using(accountId, "templateId", templateId)).toEqual([
          { id: drafted.id, name: "a", status: "Draft", isPublished: false },
          { id: published.id, name: "b", status: "Paused", isPublished: true }
        ])
        expect(yield* store.using(yield* freshAccountId, "templateId", templateId)).toEqual([])
      })
    )

    it.effect("accepts each call once, also concurrently", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const transaction = yield* Transaction
        const accountId = yield* freshAccountId
        const call = { accountId, flowId: newId(), callId: unique("call"), contactId: null, at: now }
        const once = transaction.run(
          Effect.gen(function* () {
            const earlier = yield* store.addCall(call)
            if (earlier === null) yield* store.nameCaller({ ...call, contactId: newId() })
            return earlier
          })
        )
        const answers = successes(yield* atOnce(times(8, () => once)))
        expect(answers).toHaveLength(8)
        const repeats = answers.filter((answer) => answer !== null)
        expect(repeats).toHaveLength(7)
        expect(new Set(repeats.map((repeat) => repeat.contactId)).size).toBe(1)
        const contactId = repeats[0]!.contactId!
        expect(repeats[0]).toEqual({ ...call, contactId })
        expect(yield* store.addCall({ ...call, flowId: newId() })).toBeNull()
      })
    )

    it.effect("erases the calls for contacts", () =>
      Effect.gen(function* () {
        const store = yield* FlowStore
        const accountId = yield* freshAccountId
        const flowId = newId()
        const calls = times(4, (index) => ({
          accountId,
          flowId,
          callId: unique("call"),
          contactId: index === 3 ? null : newId(),
          at: now
        }))
        for (const call of calls) yield* store.addCall(call)
        const ids = calls.map((call) => call.contactId!)
        yield* store.eraseCalls(yield* freshAccountId, ids.slice(0, 3))
        yield* store.eraseCalls(accountId, [])
        yield* store.eraseCalls(accountId, [ids[0]!, newId(), ids[1]!])
        const left = yield* Effect.forEach(calls, store.addCall)
        expect(left).toEqual([null, null, calls[2], calls[3]])
      })
    )
  })
}
