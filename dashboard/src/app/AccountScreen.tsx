/**
 * The screen of an account that the address names, or what the user's role lacks for it.
 *
 * @module
 */
import { Outlet, useMatches } from "@tanstack/react-router"
import type { Right } from "../lib/rights.ts"
import { ButtonLink } from "../parts/form/Button.tsx"
import { Banner } from "../parts/page/Banner.tsx"
import { Page } from "../parts/page/Page.tsx"
import { AreaTabs } from "./AreaTabs.tsx"
import { areaOf, mayShow, screenOf } from "./frame/navigation.ts"
import { useTexts } from "./reader.tsx"
import { useAccount } from "./session.ts"

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** What the screen needs beside the right of the one that leads to it. */
    readonly right?: Right
  }
}

/** The screen. One that the role may not see is not loaded: its address may have come from a colleague. */
export const AccountScreen = () => {
  const texts = useTexts()
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
  if (lacking === null || screen === undefined) return <Outlet />
  const area = areaOf(screen)
  // Of the live account such a member sees the name alone.
  const isShut = account.mode === "live" && !account.can("company:read")
  return (
    <Page title={area.name(texts)}>
      <AreaTabs area={area.id} />
      {isShut ? (
        <Banner
          tone="warning"
          action={
            <ButtonLink isSmall to="/a/$accountId" params={{ accountId: account.company.sandbox.accountId }}>
              {texts.nav.toSandbox}
            </ButtonLink>
          }
        >
          {texts.nav.noLiveAccess}
        </Banner>
      ) : (
        <Banner tone="warning">{texts.errors.noRight(lacking)}</Banner>
      )}
    </Page>
  )
}
