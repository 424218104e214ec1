/**
 * The route tree. The routes of a screen are in its folder. Each screen component is loaded when it is first shown.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import { createRoute, createRouter, redirect } from "@tanstack/react-router"
import { keyOf } from "../api/queries.ts"
import { parseSearch, writeSearch } from "../lib/search.ts"
import { basePath, pathWithin } from "../lib/within.ts"
import { homeRoute } from "../screens/home/routes.ts"
import { emailRoutes } from "../screens/emails/routes.ts"
import { peopleRoutes } from "../screens/people/routes.ts"
import { developerRoutes } from "../screens/developers/routes.ts"
import { domainRoutes } from "../screens/domains/routes.ts"
import { settingsRoutes } from "../screens/settings/routes.ts"
import { installationRoutes } from "../screens/installation/routes.ts"
import { flowRoutes } from "../screens/flows/routes.ts"
import { commerceRoutes } from "../screens/commerce/routes.ts"
import { campaignRoutes } from "../screens/campaigns/routes.ts"
import { templateRoutes } from "../screens/templates/routes.ts"
import { partsRoutes } from "../screens/parts/routes.ts"
import { deviceRoute, profileRoute } from "../screens/profile/routes.ts"
import { signInRoutes } from "../screens/signIn/routes.ts"
import { suppressionsRoute } from "../screens/suppressions/routes.ts"
import { companies } from "./companies.ts"
import { Crash, Lost } from "./Crash.tsx"
import { accountRoute, rootRoute, shellRoute } from "./parents.ts"
import { lastAccount } from "./preferences.ts"
import { takePlace } from "./returnPlace.ts"
import { hasRight, type Session } from "./session.ts"

/**
 * `/app/` itself redirects to the path wanted before an external sign-in, or to the account shown last, or to the first account.
 */
const indexRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  beforeLoad: async ({ context: { client } }) => {
    const place = takePlace()
    if (place !== null) throw redirect({ href: pathWithin(place), reloadDocument: true })
    const { items } = await client.ensureQueryData(companies)
    const accounts = items.flatMap(({ live, sandbox }) => [live.accountId, sandbox.accountId])
    const last = lastAccount()
    const session = client.getQueryData<Session>(keyOf("GET /session", {}))
    const [first] = items
    // A user who may not see the live account starts in the sandbox.
    const begins =
      first !== undefined && session !== undefined && hasRight(session, first.id, "live", "company:read")
        ? first.live
        : first?.sandbox
    const accountId = accounts.find((id) => id === last) ?? begins?.accountId
    if (accountId === undefined) throw redirect({ to: "/profile" })
    throw redirect({ to: "/a/$accountId", params: { accountId } })
  }
})

const tree = rootRoute.addChildren([
  ...signInRoutes,
  ...partsRoutes,
  shellRoute.addChildren([
    indexRoute,
    profileRoute,
    deviceRoute,
    ...installationRoutes,
    accountRoute.addChildren([
      homeRoute,
      ...emailRoutes,
      ...peopleRoutes,
      ...developerRoutes,
      ...domainRoutes,
      ...settingsRoutes,
      ...campaignRoutes,
      ...flowRoutes,
      ...templateRoutes,
      ...commerceRoutes,
      suppressionsRoute
    ])
  ])
])

/** Makes the router. */
export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    basepath: basePath,
    context: { client },
    parseSearch,
    stringifySearch: writeSearch,
    defaultPreload: "intent",
    defaultPreloadDelay: 30,
    defaultNotFoundComponent: Lost,
    defaultErrorComponent: Crash,
    scrollRestoration: true
  })

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof makeRouter>
  }
}
