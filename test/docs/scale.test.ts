/**
 * Tests that the page about scale shows the simulation's results.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { machines, manyAddresses, measuredCosts } from "../bench/scale.ts"
import { keepsUp, simulate } from "../bench/simulation.ts"

const page = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8")

const number = (text: string): number => Number(text.replaceAll(",", ""))

const rows = [...page.matchAll(/^\| ([\d,]+) \| (\d+) \| (\d+) \| (\d+) \| \d+ % \| \d+ % \|/gm)].map(
  ([, emails = "", nodes = "", databases = "", addresses = ""]) => ({
    emailsPerDay: number(emails),
    nodes: number(nodes),
    databases: number(databases),
    sendingAddresses: number(addresses)
  })
)

describe("the installations of the page of scale", () => {
  it("are some", () => expect(rows).toHaveLength(5))

  it.each(rows)("$nodes nodes and $databases databases keep up with $emailsPerDay emails a day", (row) => {
    const day = simulate({ ...machines, ...row }, measuredCosts)
    expect(keepsUp(day)).toBe(true)
    expect(simulate({ ...machines, ...row }, measuredCosts)).toEqual(day)
  })

  it("do not keep up with one node less", () => {
    for (const row of rows.filter(({ nodes }) => nodes > 1)) {
      const scenario = { ...machines, ...row, nodes: row.nodes - 1, sendingAddresses: manyAddresses }
      expect(keepsUp(simulate(scenario, measuredCosts))).toBe(false)
    }
  })
})
