/**
 * Tests the screenshots of the documentation: each one is shown on a page, and small enough to be published with it.
 *
 * @module
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

const screens = `${root}docs/screens/`

/** The largest size of a screenshot, in bytes. */
const maxBytes = 100_000

const files = readdirSync(screens)

/** The names of the screenshots that the dashboard's tests write: those with `isShown`. */
const shown = readdirSync(`${root}test/dashboard`)
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) =>
    readFileSync(`${root}test/dashboard/${file}`, "utf8")
      .split(/\bname: "/)
      .filter((look) => look.includes("isShown: true"))
      .map((look) => `${look.slice(0, look.indexOf('"'))}.png`)
  )

describe("the screenshots of the documentation", () => {
  it("are those that the tests of the dashboard write", () => {
    expect(files.toSorted()).toEqual(shown.toSorted())
  })

  it("are each on the page of the dashboard", () => {
    const page = readFileSync(`${root}docs/dashboard.md`, "utf8")
    expect(files.filter((file) => !page.includes(`](screens/${file})`))).toEqual([])
  })

  it("are small", () => {
    expect(files.filter((file) => statSync(screens + file).size >= maxBytes)).toEqual([])
  })
})
