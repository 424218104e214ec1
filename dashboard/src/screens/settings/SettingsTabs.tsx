/**
 * The links between the screens of settings.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"

/** The links. */
export const SettingsTabs = () => {
  const { settings: texts } = useTexts()
  const { can, canInCompany, id: accountId } = useAccount()
  const tab = (
    key: keyof typeof texts.tabs,
    to: NonNullable<LinkProps["to"]>,
    right: string,
    has = canInCompany
  ) =>
    has(right)
      ? [{ key, label: texts.tabs[key], link: { to, params: { accountId } }, isExact: key === "account" }]
      : []
  return (
    <LinkTabs
      label={texts.title}
      items={[
        ...tab("account", "/a/$accountId/settings", "company:read", can),
        ...tab("company", "/a/$accountId/settings/company", "company:read"),
        ...tab("texts", "/a/$accountId/settings/texts", "company:read"),
        ...tab("members", "/a/$accountId/settings/members", "members:read"),
        ...tab("tokens", "/a/$accountId/settings/tokens", "tokens:write"),
        ...tab("relays", "/a/$accountId/settings/relays", "relays:read"),
        ...tab("audit", "/a/$accountId/settings/audit-log", "audit:read", can)
      ]}
    />
  )
}
