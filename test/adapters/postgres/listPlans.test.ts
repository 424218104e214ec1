/**
 * Tests that no page of a list of a large account reads more rows than it shows or counts. Each filter is tested with a value
 * that most entries have, and with one that only few, the oldest, have.
 *
 * @module
 */
import { expect, it } from "vitest"
import { pagesThatReadMore } from "../../support/listPlans.ts"
import { listCases, population, settling } from "../../support/listPopulation.ts"

it("a page of a list reads a bounded number of rows", { timeout: 240_000 }, async () => {
  expect(await pagesThatReadMore([...population(50_000, 2), settling], listCases, new Set())).toEqual({})
})
