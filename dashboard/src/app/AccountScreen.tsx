/**
 * The screen of the account named by the URL, or a message if the user's role lacks a right for it.
 *
 * @module
 */
import { Outlet, useMatches } from "@tanstack/react-router"
import { lazyPart } from "./newVersion.ts"
import type { Right } from "../lib/rights.ts"
import { mayShow, screenOf } from "./frame/navigation.ts"
import { useAccount } from "./session.ts"

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** A right that the screen requires in addition to that of the screen that leads to it. */
    readonly right?: Right
  }
}

const LackingRight = lazyPart(() => import("./LackingRight.tsx"), "LackingRight")

/** The screen. It is not loaded if the role may not see it; a colleague may have sent the URL. */
export const AccountScreen = () => {
  const account = useAccount()
  const match = useMatches({ select: (matches) => matches.at(-1) })
  const screen = screenOf(match?.fullPath ?? "")
  const own = match?.staticData.right
  const lacking =
    screen !== undefined && !mayShow(account, screen)
      ? screen.right
      : own !== undefined && !account.can(own)
        ? own
        : null
  return lacking === null || screen === undefined ? (
    <Outlet />
  ) : (
    <LackingRight right={lacking} screen={screen} />
  )
}
