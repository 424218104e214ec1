/**
 * The parent routes of all screens: the root, the frame for screens that need a session, and the account.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext, createRoute, notFound, redirect } from "@tanstack/react-router"
import { lazyScreen } from "./newVersion.ts"
import { AccountScreen } from "./AccountScreen.tsx"
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import { keyOf } from "../api/queries.ts"
import { companies } from "./companies.ts"
import { Crash, Lost, LostOutside } from "./Crash.tsx"
import { rememberAccount } from "./preferences.ts"
import { readAhead } from "./readAhead.ts"

/** What every route gets from the router. */
export interface RouterContext {
  readonly client: QueryClient
}

/** The root. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: LostOutside,
  errorComponent: Crash
})

/** How long the session that was read counts as current, in milliseconds. The service checks each call anyway. */
const sessionMillis = 60_000

/** The frame, which sign-in screens do not have. It loads in parallel with the session. */
const Shell = lazyScreen(() => import("./frame/Shell.tsx"), "Shell")

/** The parent of the screens that need a session. Without one, the user signs in first and then returns to the address. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  component: Shell,
  notFoundComponent: Lost,
  beforeLoad: async ({ context: { client }, location }) => {
    void Shell.preload?.()?.catch(() => undefined)
    const session = await client
      .ensureQueryData({
        queryKey: keyOf("GET /session", {}),
        queryFn: () => call("GET /session", {}, { asks: false }),
        staleTime: sessionMillis
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 401) throw error
        throw redirect({ to: "/sign-in", search: { to: location.href } })
      })
    if (session.needs === "Factor" && location.pathname !== "/profile")
      throw redirect({ to: "/profile", search: { tab: "security" } })
    // A session that lacks its second factor can read nothing else.
    if (session.needs === null) await client.ensureQueryData(companies)
  }
})

/** The parent of an account's screens: `/a/{accountId}/...`. */
export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "a/$accountId",
  component: AccountScreen,
  notFoundComponent: Lost,
  beforeLoad: async ({ context: { client }, matches, params: { accountId } }): Promise<void> => {
    const { items } = await client.ensureQueryData(companies)
    if (!items.some(({ live, sandbox }) => [live.accountId, sandbox.accountId].includes(accountId)))
      throw notFound()
    rememberAccount(accountId)
    const screen = matches.at(-1)
    if (screen !== undefined && screen.cause !== "stay") readAhead(client, accountId, screen)
  }
})
