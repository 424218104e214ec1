/**
 * Tests who may call what: every route of the management API by every role, in a company's live and sandbox account, on the
 * company itself and on the installation, and with credentials that are no longer valid. The rights of each role are read from
 * the table in docs/contributing/people.md. A caller with the right must get the same result as the management token.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Confirmation } from "../../../adapters/http/schema/Envelope.ts"
import type { Requirement } from "../../../core/users/Caller.ts"
import { joinCompany } from "../../support/browser.ts"
import { allEndpoints, type Endpoint } from "../../support/endpoints.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace } from "../../support/workspace.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/contributing/people.md"), "utf8")

const roles = ["Owner", "Admin", "Marketer", "Developer", "Support", "Viewer"] as const
type Role = (typeof roles)[number]

/** The rights of each role, as in the table of the page. */
const tableOfPage = (): ReadonlyMap<string, ReadonlySet<Role>> => {
  const rows = page
    .slice(page.indexOf("| Right |"))
    .split("\n\n")[0]!
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
  return new Map(
    rows.flatMap(([names = "", ...cells]) =>
      names
        .replaceAll(/ *\([^)]*\)/g, "")
        .split(", ")
        .map((right) => {
          const has = (cell = "") => cell.startsWith("x") || (cell !== "" && right.endsWith(`:${cell}`))
          return [right, new Set(roles.filter((_, index) => has(cells[index])))] as const
        })
    )
  )
}

/** The rights to personal data, as listed on the page. */
const personal = new Set(
  /the rights ((?:`[a-z:]+`,? ?)+), in the live account/
    .exec(page)![1]!
    .split(",")
    .map((name) => name.replaceAll(/[` ]/g, ""))
)

/** The scope on which a path acts. */
type Place = "Live" | "Sandbox" | "Company" | "Installation"

/** The caller whose credential is used. */
interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** The expected status and code of a rejection; null if the call is allowed. */
  readonly refused: (requires: Requirement, place: Place, confirmation: Confirmation) => string | null
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
/** A parameter value that refers to nothing. */
const unknownOf = (parameter: string): string => (parameter === "version" ? "1" : unknownId)

const unauthorized = "401 auth.unauthorized"
const notFound = "404 common.not_found"

/** The result of allowed calls that differs from the management token's, because the token is no person. */
const ofPeople: Readonly<Record<string, string>> = { "DELETE /manage/v1/companies/:companyId/access": "200" }

/** Calls that would change the secrets of the whole installation. Only their rejections are tested. */
const refusalsAlone: ReadonlyArray<string> = ["POST /manage/v1/secrets/rotate"]

/** Calls whose effect is undone, so that later calls still find their resources. */
const undone: ReadonlyArray<string> = [
  "DELETE /manage/v1/companies/:companyId",
  "DELETE /manage/v1/companies/:companyId/access"
]

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** Tests every route with every role. Moves the clock by a day. */
export const authorizationMatrixSuite = (target: () => Target): void => {
  describe("the authorization matrix", () => {
    it("allows each role what the table of rights gives it, and refuses the rest with its exact status", async () => {
      const table = tableOfPage()
      const company = await openWorkspace(target(), "Matrix")
      const other = await openWorkspace(target(), "Other matrix")
      const own = `/companies/${company.companyId}`
      let last = 0
      const cookiesOf = (cookies: ReadonlyMap<string, string>) => ({
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        origin: target().baseUrl,
        "x-svc-request": "1"
      })
      const joinAs = async (role: string, liveAccess: boolean, companyId = company.companyId) => {
        const email = `matrix-${Date.now().toString(36)}-${++last}@people.example`
        const { browser, userId } = await joinCompany(target(), companyId, email, role)
        if (!liveAccess) {
          const json = { liveAccess }
          await manage(target(), "PATCH", `/companies/${companyId}/members/${userId}`, { json })
        }
        return { browser, headers: cookiesOf(browser.cookies), userId }
      }
      const tokenOf = async (expiresInDays: number | null) => {
        const json = { name: "matrix", rights: [...table.keys()], expiresInDays }
        const made = await manage<{ id: string; token: string }>(target(), "POST", `${own}/tokens`, { json })
        return { id: made.value.id, headers: { authorization: `Bearer ${made.value.token}` } }
      }

      const expired = { session: await joinAs("Owner", true), token: await tokenOf(1) }
      await target().advance!("25 hours")
      const unconfirmed = await joinAs("Owner", true)
      await target().advance!("16 minutes")
      const disabled = await joinAs("Owner", true)
      await manage(target(), "PATCH", `/users/${disabled.userId}`, { json: { status: "Disabled" } })
      const revoked = await tokenOf(null)
      await manage(target(), "DELETE", `${own}/tokens/${revoked.id}`)

      const member =
        (role: Role, liveAccess: boolean): Caller["refused"] =>
        (requires, place) => {
          if (requires === "SignedIn") return null
          const isRoleEnough = (one: Role) => table.get(requires)?.has(one) ?? false
          const has =
            place !== "Installation" &&
            (place !== "Live" || liveAccess) &&
            (isRoleEnough(role) ||
              (place === "Sandbox" &&
                role === "Developer" &&
                isRoleEnough("Admin") &&
                !requires.startsWith("members:")))
          return has ? null : `403 users.right_missing ${requires}`
        }
      const never = () => unauthorized
      const callers: Array<Caller> = [
        { name: "no session", headers: {}, refused: never },
        { name: "expired session", headers: expired.session.headers, refused: never },
        { name: "expired token", headers: expired.token.headers, refused: never },
        { name: "disabled user", headers: disabled.headers, refused: never },
        { name: "revoked token", headers: revoked.headers, refused: never },
        {
          name: "Owner of another company",
          headers: (await joinAs("Owner", true, other.companyId)).headers,
          refused: (requires, place) =>
            place !== "Installation"
              ? notFound
              : requires === "SignedIn"
                ? null
                : `403 users.right_missing ${requires}`
        }
      ]
      for (const role of roles) {
        for (const liveAccess of [true, false]) {
          const { browser, headers } = await joinAs(role, liveAccess)
          const name = liveAccess ? role : `${role} without live access`
          callers.push({ name, headers, refused: member(role, liveAccess) })
          if (!liveAccess) continue
          const json = { name: "matrix", expiresInDays: 1 }
          const { token } = (await browser.send<{ token: string }>("POST", "/me/tokens", json)).value
          callers.push({
            name: `personal token of ${role}`,
            headers: { authorization: `Bearer ${token}` },
            refused: member(role, true)
          })
        }
      }
      callers.push({
        name: "Owner without a factor given lately",
        headers: unconfirmed.headers,
        refused: (requires, place, confirmation) =>
          member("Owner", true)(requires, place, confirmation) ??
          (confirmation === "Always" ? "403 users.confirmation_required" : null)
      })
      const operator = {
        cookie: await target().operatorCookie!(),
        origin: target().baseUrl,
        "x-svc-request": "1"
      }
      callers.push({
        name: "operator",
        headers: operator,
        refused: (requires, place) =>
          place === "Live" && personal.has(requires) ? "403 users.access_required" : null
      })
      /** The operator's session gets a new id when access is opened or ended. */
      const keepCookie = (response: Response) => {
        const [renewed] = response.headers.getSetCookie()
        if (renewed !== undefined) operator.cookie = renewed.split(";")[0]!
      }
      const management = { authorization: `Bearer ${target().managementToken}` }

      const answerOf = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
        const hasBody = method !== "GET" && method !== "DELETE"
        const response = await target().fetch(path, {
          method,
          headers: { ...(hasBody ? { "content-type": "application/json" } : {}), ...headers },
          ...(hasBody ? { body: "{" } : {})
        })
        if (headers === operator) keepCookie(response)
        if (response.status < 400) {
          // A stream's body never ends; a stream that is never read ends with its lease.
          const reader = response.body?.getReader()
          await reader?.read()
          await reader?.cancel()
          return String(response.status)
        }
        const text = await response.text()
        const { errors } = JSON.parse(text) as { errors: unknown }
        const [error] = Array.isArray(errors) ? errors : []
        const { code, details } = (error ?? {}) as { code?: string; details?: { right?: string } }
        return [response.status, code, details?.right].filter((part) => part !== undefined).join(" ")
      }

      const routes = (await allEndpoints()).flatMap((endpoint) =>
        endpoint.guard._tag === "Management" ? [{ ...endpoint.guard, endpoint }] : []
      )
      const placesOf = ({ path }: Endpoint): ReadonlyArray<readonly [Place, string]> =>
        path.includes(":accountId")
          ? [
              ["Live", company.live.accountId],
              ["Sandbox", company.sandbox.accountId]
            ]
          : path.includes(":companyId")
            ? [["Company", company.companyId]]
            : [["Installation", ""]]
      const wrong: Array<string> = []
      let cells = 0
      const allowed = new Map<string, string>()
      const compare = async (callersOfPass: ReadonlyArray<Caller>, after: () => Promise<unknown>) => {
        for (const { confirmation, endpoint, requires } of routes) {
          const name = nameOf(endpoint)
          for (const [place, id] of placesOf(endpoint)) {
            const path = endpoint.path.replaceAll(/:(\w+)/g, (_, parameter: string) =>
              parameter === "accountId" || parameter === "companyId" ? id : unknownOf(parameter)
            )
            if (!allowed.has(`${endpoint.method} ${path}`) && !refusalsAlone.includes(name)) {
              allowed.set(`${endpoint.method} ${path}`, await answerOf(endpoint.method, path, management))
            }
            for (const { headers, name: who, refused } of callersOfPass) {
              const expected =
                refused(requires, place, confirmation) ??
                ofPeople[name] ??
                allowed.get(`${endpoint.method} ${path}`)
              if (expected === undefined) continue
              const found = await answerOf(endpoint.method, path, headers)
              cells++
              if (found !== expected) wrong.push(`${name} in ${place} by ${who}: ${found}, not ${expected}`)
            }
            if (undone.includes(name)) await after()
          }
        }
      }
      const restore = () => manage(target(), "POST", `${own}/restore`)
      const openAccess = async () => {
        await restore()
        const json = { reason: "Ticket", hours: 1 }
        const opened = await target().fetch(`/manage/v1${own}/access`, {
          method: "POST",
          headers: { ...operator, "content-type": "application/json" },
          body: JSON.stringify(json)
        })
        keepCookie(opened)
      }
      await compare(callers, restore)
      // The routes of the user's own session and profile require a valid session. They accept nothing else, not even a token.
      const sessionRoutes = (await allEndpoints()).filter(({ guard }) => guard._tag === "Session")
      const without = callers.filter(({ name, refused }) => refused === never || name.includes("token"))
      for (const { method, path } of sessionRoutes) {
        for (const { headers, name: who } of without) {
          const found = await answerOf(method, path.replaceAll(/:\w+/g, unknownId), headers)
          cells++
          if (found !== unauthorized) wrong.push(`${method} ${path} by ${who}: ${found}, not ${unauthorized}`)
        }
      }
      expect([sessionRoutes.length > 15, without.length > 10]).toEqual([true, true])
      await openAccess()
      await compare([{ name: "operator with access", headers: operator, refused: () => null }], openAccess)
      process.stdout.write(
        `The authorization matrix: ${routes.length + sessionRoutes.length} routes, ${callers.length + 1} callers, ${cells} calls`
      )
      expect(wrong).toEqual([])
      // What the management token may not do, because it is no person.
      expect([...allowed].filter(([, answer]) => /^40[13]/.test(answer)).map(([route]) => route)).toEqual([
        `DELETE /manage/v1${own}/access`
      ])
      expect(cells).toBeGreaterThan(2_500)
    }, 300_000)
  })
}
