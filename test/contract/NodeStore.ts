/**
 * The contract of `core/ports/NodeStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { ServiceNode } from "../../core/model/Node.ts"
import { NodeStore } from "../../core/ports/NodeStore.ts"
import { newId, oddText, readOn, type StorageTest, times } from "./fixtures.ts"

const longAgo = Date.UTC(1990, 0, 1)

const draft = (values: Partial<ServiceNode> = {}): ServiceNode => ({
  id: newId(),
  host: oddText,
  version: "1.2.3",
  runtime: "node 24",
  roles: ["api", "worker"],
  startedAt: longAgo,
  addresses: ["192.0.2.1", "2001:db8::1"],
  seenAt: longAgo,
  eventLoopDelayMs: 1.5,
  memoryBytes: 5_000_000_000,
  heapUsedBytes: 1,
  heapLimitBytes: 2,
  ...values
})

/** Tests of the port `NodeStore`. */
export const nodeStoreContract = (it: StorageTest): void => {
  describe("NodeStore", () => {
    it.effect("lists processes as they reported themselves last, and deletes those that are gone", () =>
      Effect.gen(function* () {
        const store = yield* NodeStore
        const nodes = times(3, (index) => draft({ startedAt: longAgo + index, seenAt: longAgo + 10 * index }))
        for (const node of nodes) yield* store.report(node)
        const again = { ...nodes[0]!, seenAt: longAgo + 15, memoryBytes: 7, version: "1.2.4" }
        yield* store.report(again)
        const until = longAgo + 1_000
        const seen = (since: number) => readOn((page) => store.list({ since, until }, page), 2)
        expect(yield* seen(longAgo)).toEqual([nodes[2], nodes[1], again])
        expect(yield* seen(longAgo + 11)).toEqual([nodes[2], again])
        expect(yield* store.prune(longAgo + 16, 1)).toBe(1)
        expect(yield* store.prune(longAgo + 16, 9)).toBe(1)
        expect(yield* seen(longAgo)).toEqual([nodes[2]])
        yield* store.prune(until, 9)
      })
    )
  })
}
