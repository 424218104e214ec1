/**
 * The links between the screens of one area of an account: those that the role shows.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { LinkTabs } from "../parts/page/LinkTabs.tsx"
import { useAccount } from "./session.ts"

/** A screen: its name, its address, and the right without which it is not shown; null for none. */
export type AreaTab = readonly [label: string, to: NonNullable<LinkProps["to"]>, right: string | null]

/** The links. The other screens are below the first one's address. */
export const AreaTabs = ({
  label,
  tabs
}: {
  readonly label: string
  readonly tabs: ReadonlyArray<AreaTab>
}) => {
  const { can, id: accountId } = useAccount()
  return (
    <LinkTabs
      label={label}
      items={tabs.flatMap(([name, to, right], at) =>
        right === null || can(right)
          ? [{ key: to, label: name, link: { to, params: { accountId } }, isExact: at === 0 }]
          : []
      )}
    />
  )
}
