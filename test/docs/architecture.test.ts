/**
 * Tests that the files, folders and functions named on the page about the architecture exist.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { deliveryMoves } from "../../core/model/DeliveryStatus.ts"
import { rooms } from "../architecture/rooms.ts"
import { sourceOf } from "./blocks.ts"

const root = join(import.meta.dirname, "../..")
const page = sourceOf("architecture")

/** What the page names: a path, or after a colon a function or method of the file. */
const named = Array.from(
  page.matchAll(/`((?:core|adapters|runtimes|client|test|docs)\/[^\s`:]*)(?:: (\w+))?`/g),
  ([, path, name]) => ({ path: path!, name })
)

it("the page names the files of its walks", () => {
  expect(named.filter(({ name }) => name !== undefined).length).toBeGreaterThan(40)
})

it.each(named)("$path $name exists", ({ name, path }) => {
  expect(existsSync(join(root, path))).toBe(true)
  if (name === undefined) return
  // Its definition: a constant, a class, a method or a member, as a property or as `Effect.fn("X.name")`.
  const definition = new RegExp(
    String.raw`(?:const|class|function|readonly) ${name}\b|\b${name}(?:: |,$| \})|^ +(?:static |async )*${name}\(|"\w+\.${name}"`,
    "m"
  )
  expect(readFileSync(join(root, path), "utf8")).toMatch(definition)
})

it("the page shows every room and every state of a delivery", () => {
  for (const { name } of rooms) expect(page).toMatch(new RegExp(`^(?:.* )?${name}\\b`, "m"))
  for (const state of Object.keys(deliveryMoves)) expect(page).toContain(state)
})
