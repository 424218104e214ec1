/**
 * Tests the parsing of SVC_PROCESSES.
 *
 * @module
 */
import * as fc from "fast-check"
import { availableParallelism } from "node:os"
import { describe, expect, it } from "vitest"
import { isSingle, maxProcesses, parsePlan } from "../../runtimes/supervisor/ProcessPlan.ts"

describe("parsePlan", () => {
  it.each([
    ["1", [{ count: 1, roles: null }]],
    ["auto", [{ count: Math.min(maxProcesses, availableParallelism()), roles: null }]],
    ["64", [{ count: 64, roles: null }]],
    [
      "2 api, 1 worker,1 smtp",
      [
        { count: 2, roles: "api" },
        { count: 1, roles: "worker" },
        { count: 1, roles: "smtp" }
      ]
    ],
    ["3 api+smtp+api", [{ count: 3, roles: "api,smtp" }]]
  ])("reads %s", (value, groups) => expect(parsePlan(value)).toEqual(groups))

  it.each([
    "0",
    "65",
    "-1",
    "1.5",
    "two",
    "1 apis",
    "1 api,",
    "0 api, 1 smtp",
    "40 api, 25 worker",
    "1 api worker"
  ])("rejects %s", (value) => expect(parsePlan(value)).toBeUndefined())

  it("never names more processes than allowed, nor none, for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z+, ]{0,40}$/)), (value) => {
        const count = parsePlan(value)?.reduce((sum, group) => sum + group.count, 0) ?? 1
        expect(count >= 1 && count <= maxProcesses).toBe(true)
      })
    )
  })

  it("knows the plan of a process without a supervisor", () => {
    expect(["1", "2", "1 api", "1 api, 1 smtp"].map((value) => isSingle(parsePlan(value)!))).toEqual([
      true,
      false,
      false,
      false
    ])
  })
})
