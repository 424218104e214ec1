/**
 * Tests that no page of a list reads more than it shows, or counts, of an account with many entries: with each filter, for a
 * value that most entries have and one that few have, which are the oldest.
 *
 * @module
 */
import { expect, it } from "vitest"
import { pagesThatReadMore } from "../../support/listPlans.ts"
import { listCases, population, settling } from "../../support/listPopulation.ts"

it("a page of a list reads a bounded number of rows", { timeout: 240_000 }, async () => {
  expect(await pagesThatReadMore([...population(50_000, 2), settling], listCases, new Set())).toEqual({})
})
