/**
 * The tabs that link the screens of one area of an account. Only screens that the role may see have a tab.
 *
 * @module
 */
import { LinkTabs } from "../parts/page/LinkTabs.tsx"
import { accountAreas, type Area, type AreaId, screensOf } from "./frame/navigation.ts"
import { useTexts } from "./reader.tsx"
import { useAccount } from "./session.ts"

/** The tabs; nothing if the role may see only one screen. */
export const AreaTabs = ({ area }: { readonly area: AreaId }) => {
  const texts = useTexts()
  const account = useAccount()
  const shown = accountAreas.flat().find(({ id }: Area) => id === area)
  const screens = shown === undefined ? [] : screensOf(account, shown)
  if (shown === undefined || screens.length < 2) return null
  return (
    <LinkTabs
      label={shown.name(texts)}
      items={screens.map((screen) => ({
        key: screen.to,
        label: screen.name(texts),
        link: { to: screen.to, params: { accountId: account.id } },
        // The addresses of the other screens begin with that of the first one.
        isExact: screen === shown.screens[0]
      }))}
    />
  )
}
