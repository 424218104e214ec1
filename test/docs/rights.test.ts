/**
 * Tests that the table of rights in the documentation equals that of the code (docs/contributing/people.md 1).
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { companyRights, installationRights } from "../../core/model/Right.ts"
import { memberRoles } from "../../core/model/User.ts"
import { rolesOf } from "../../core/users/Rights.ts"

const page = readFileSync(new URL("../../docs/management-api.md", import.meta.url), "utf8")

it("the table of rights names every right with the roles that have it", () => {
  const rows = page.matchAll(/^\| `([a-z]+:[a-z]+)` +\|(.*)\|$/gm)
  const documented = [...rows].map(([, right, cells = ""]) => [
    right,
    memberRoles.filter((_, index) => cells.split("|")[index]?.trim() === "x")
  ])
  expect(documented).toEqual(
    companyRights.map((right) => [right, memberRoles.filter((role) => rolesOf[right].includes(role))])
  )
  for (const right of installationRights) expect(page).toContain(`\`${right}\``)
})
