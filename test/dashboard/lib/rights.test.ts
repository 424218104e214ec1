/**
 * Tests what the dashboard shows to each role: nothing that the role may not do, and everything that it may.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { type CompanyRight, companyRights } from "../../../core/model/Right.ts"
import { memberRoles } from "../../../core/model/User.ts"
import { rightsOf, type Scope } from "../../../core/users/Rights.ts"
import { allEndpoints } from "../../support/endpoints.ts"

const root = join(import.meta.dirname, "../../../dashboard/src")

interface AreaScreen {
  readonly right: string | null
  readonly of?: "company"
  readonly mode?: "live" | "sandbox"
}

type Can = (right: string) => boolean

/** The navigation, without its static types: they depend on those of React, which would replace the DOM's types in all tests. */
const { areasOf, screenOf } = (await import(join(root, "app/frame/navigation.ts"))) as {
  readonly screenOf: (address: string) => AreaScreen | undefined
  readonly areasOf: (account: {
    readonly mode: "live" | "sandbox"
    readonly can: Can
    readonly canInCompany: Can
  }) => ReadonlyArray<ReadonlyArray<{ readonly id: string; readonly to: string }>>
}

/** The sources by path, without the lists of all routes and all screens. */
const sources = new Map(
  globSync("**/*.{ts,tsx}", { cwd: root })
    .filter((path) => !["api/routes.ts", "app/frame/navigation.ts"].includes(path))
    .map((path) => [path, readFileSync(join(root, path), "utf8")])
)

const matchesOf = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found)

/** Whether every member with the right `given` (every member, if it is null) also has the right `wanted`. */
const implies = (given: string | null, wanted: string, scopes: ReadonlyArray<Scope>): boolean =>
  scopes.every((scope) =>
    memberRoles.every((role) => {
      const rights: ReadonlySet<string> = rightsOf(role, scope, true)
      return (given !== null && !rights.has(given)) || rights.has(wanted)
    })
  )

/** A right that a source needs, and the call or link that needs it. */
interface Need {
  readonly what: string
  readonly right: CompanyRight
  readonly isOfCompany: boolean
  readonly isChange: boolean
}

/** The rights that the routes of companies and their accounts require. */
const rightsOfRoutes = async (): Promise<ReadonlyMap<string, CompanyRight>> =>
  new Map(
    (await allEndpoints()).flatMap(({ guard, method, path }) =>
      guard._tag === "Management" && (companyRights as ReadonlyArray<string>).includes(guard.requires)
        ? [[`${method} ${path.replace("/manage/v1", "")}`, guard.requires as CompanyRight] as const]
        : []
    )
  )

/** What each source calls and links to, with the required right. */
const needsOf = async (): Promise<ReadonlyMap<string, ReadonlyArray<Need>>> => {
  const rights = await rightsOfRoutes()
  return new Map(
    [...sources].map(([path, text]) => {
      const calls = matchesOf(text, /"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]+)"/g).map(
        (route) => [route, rights.get(route), route.includes(" /companies/")] as const
      )
      const links = matchesOf(text, /"(\/a\/\$accountId[^"]*)"/g).map((to) => {
        const screen = screenOf(to)
        return [to, screen?.right as CompanyRight | null | undefined, screen?.of === "company"] as const
      })
      return [
        path,
        [...calls, ...links].flatMap(([what, right, isOfCompany]) =>
          right === undefined || right === null
            ? []
            : [
                {
                  what,
                  right,
                  isOfCompany,
                  isChange: /^[A-Z]/.test(what) && !right.endsWith(":read") && !what.startsWith("GET ")
                }
              ]
        )
      ]
    })
  )
}

/** The sources that each source imports, including those that it imports dynamically. */
const imports = new Map(
  [...sources].map(([path, text]) => [
    path,
    matchesOf(text, /(?:from |import\()"(\.[^"]+)"/g)
      .map((to) => join(dirname(path), to))
      .filter((to) => sources.has(to))
  ])
)

/** The first source of each screen with its address, and the right that it requires in addition to that of the area's screen. */
const roots = [...sources]
  .filter(([path]) => path.endsWith("/routes.ts"))
  .flatMap(([path, text]) =>
    [...text.matchAll(/path: "([^"]+)"((?:(?!path: ")[^])*?)import\("([^"]+)"\)/g)].map(
      ([, at = "", options = "", component = ""]) => ({
        address: `/a/$accountId${at === "/" ? "" : `/${at}`}`,
        own: /staticData: \{ right: "([^"]+)" \}/.exec(options)?.[1] ?? null,
        source: join(dirname(path), component)
      })
    )
  )
  // The screens of operators and those of the user belong to no account.
  .filter(({ source }) => !/^screens\/(?:installation|profile|signIn|parts)\//.test(source))

/** The sources that a source imports, directly or indirectly, including itself, but not those behind a source in `stops`. */
const reachedFrom = (source: string, stops: ReadonlySet<string>): ReadonlySet<string> => {
  const reached = new Set(stops.has(source) ? [] : [source])
  for (const one of reached)
    for (const next of imports.get(one) ?? []) if (!stops.has(next)) reached.add(next)
  return reached
}

describe("the dashboard by role", () => {
  it("asks for the right of each call and link, so that nothing it shows leads to a refusal", async () => {
    const needs = [...(await needsOf())].flatMap(([path, of]) => of.map((need) => ({ ...need, path })))
    const wanted = new Map(needs.map((need) => [`${need.right} ${need.isOfCompany} ${need.isChange}`, need]))
    const found = [...wanted.values()].flatMap(({ isChange, isOfCompany, right }) => {
      const scopesOf = (mode: AreaScreen["mode"]): ReadonlyArray<Scope> =>
        isOfCompany ? ["Company"] : mode === "sandbox" ? ["Sandbox"] : ["Live", "Sandbox"]
      const asking = new Set(
        [...sources].flatMap(([path, text]) =>
          matchesOf(text, isOfCompany ? /canInCompany\("([a-z]+:[a-z]+)"\)/g : /"([a-z]+:[a-z]+)"/g).some(
            // A control that changes something is shown to exactly those who have the right.
            (given) => (isChange ? given === right : implies(given, right, scopesOf(undefined)))
          )
            ? [path]
            : []
        )
      )
      return roots.flatMap(({ address, own, source }) => {
        const screen = screenOf(address)
        // A right in an account implies nothing about the company itself, and the reverse.
        const isOfSame = (screen?.of === "company") === isOfCompany
        const given = [isOfSame ? (screen?.right ?? null) : null, isOfCompany ? null : own]
        if (given.some((one) => implies(one, right, scopesOf(screen?.mode)))) return []
        const reached = reachedFrom(source, asking)
        return needs.flatMap((need) =>
          need.right === right &&
          need.isOfCompany === isOfCompany &&
          need.isChange === isChange &&
          reached.has(need.path)
            ? [`${address}: ${need.path} needs ${right} for ${need.what}`]
            : []
        )
      })
    })
    expect(found).toEqual([])
  })

  it("has a place for each change that a member may make", async () => {
    const all = [...sources.values()].join("\n")
    // Routes that share one template literal are matched without the part in which they differ.
    const patterns = matchesOf(all, /`((?:POST|PUT|PATCH|DELETE) \/[^`]+)`/g).map(
      (route) => new RegExp(`^${route.replaceAll(/\$\{\w+\}/g, "\\w+")}$`)
    )
    const missing = [...(await rightsOfRoutes())]
      .filter(([route, right]) => !route.startsWith("GET ") && !right.endsWith(":read"))
      .map(([route]) => route)
      .filter(
        (route) =>
          !all.includes(`"${route}"`) &&
          !all.includes(`"${route.replace(/^\w+ /, "")}"`) &&
          !patterns.some((pattern) => pattern.test(route))
      )
    expect(missing).toEqual([
      // Calls that only programs make: double opt-in with their own email, and the erasure of an address that may not belong to a
      // contact.
      "POST /accounts/:accountId/contacts/:id/double-opt-in",
      "POST /accounts/:accountId/erasures"
    ])
  })

  it.each([
    ["Viewer", "/a/$accountId/people/segments", null],
    ["Support", "/a/$accountId/people", "/a/$accountId/developers/requests"],
    ["Marketer", "/a/$accountId/people", "/a/$accountId/developers/live"],
    ["Developer", "/a/$accountId/people", "/a/$accountId/developers"]
  ] as const)("leads a %s to the first screen of an area that the role shows", (role, people, developers) => {
    const can: Can = (right) => (rightsOf(role, "Live", true) as ReadonlySet<string>).has(right)
    const led = new Map(
      areasOf({ mode: "live", can, canInCompany: can })
        .flat()
        .map(({ id, to }) => [id, to])
    )
    expect([led.get("people"), led.get("developers") ?? null]).toEqual([people, developers])
  })
})
