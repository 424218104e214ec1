/**
 * The screen of an account that the address names, or what the user's role lacks for it.
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
    /** What the screen needs beside the right of the one that leads to it. */
    readonly right?: Right
  }
}

const LackingRight = lazyPart(() => import("./LackingRight.tsx"), "LackingRight")

/** The screen. One that the role may not see is not loaded: its address may have come from a colleague. */
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
