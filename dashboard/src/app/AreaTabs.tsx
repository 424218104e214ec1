/**
 * The links between the screens of one area of an account: those that the role shows.
 *
 * @module
 */
import { LinkTabs } from "../parts/page/LinkTabs.tsx"
import { accountAreas, type Area, type AreaId, screensOf } from "./frame/navigation.ts"
import { useTexts } from "./reader.tsx"
import { useAccount } from "./session.ts"

/** The links; none where the role shows one screen alone. */
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
        // The other screens are below its address.
        isExact: screen === shown.screens[0]
      }))}
    />
  )
}
