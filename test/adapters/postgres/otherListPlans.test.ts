/**
 * Tests that no page of the lists of companies, operators, stores and campaigns reads more rows than it shows or counts.
 *
 * @module
 */
import { expect, it } from "vitest"
import { pagesThatReadMore } from "../../support/listPlans.ts"
import { otherCases, otherPopulation, otherTables } from "../../support/otherLists.ts"

/**
 * Lists of things of which there are hundreds, or thousands at most: campaigns of an account, lanes, processes and users. A page
 * reads all of them.
 */
const unbounded = new Set([
  "campaigns by name",
  "campaigns by start",
  "campaigns by update",
  "campaigns isArchived",
  "campaigns q=zebra",
  "campaigns status=Paused, by name",
  "campaigns tag=rare",
  "campaigns topic=rare",
  "lanes lane",
  "lanes lane=rare",
  "lanes that are paused",
  "nodes",
  "nodes seen lately",
  "users by volume"
])

const settling = otherTables.map((table) => `vacuum (analyze) ${table}`)

it("a page of another list reads a bounded number of rows", { timeout: 240_000 }, async () => {
  expect(
    await pagesThatReadMore([...otherPopulation(50_000, 50_000), settling], otherCases, unbounded)
  ).toEqual({})
})
