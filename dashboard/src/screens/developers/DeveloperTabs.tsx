/**
 * The links between the screens of developers.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"

/** The links. */
export const DeveloperTabs = () => {
  const { developers: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const tab = (key: keyof typeof texts.tabs, to: NonNullable<LinkProps["to"]>, right: string | null) =>
    right === null || can(right)
      ? [{ key, label: texts.tabs[key], link: { to, params: { accountId } }, isExact: key === "keys" }]
      : []
  return (
    <LinkTabs
      label={texts.title}
      items={[
        ...tab("keys", "/a/$accountId/developers", "keys:read"),
        ...tab("requests", "/a/$accountId/developers/requests", "requests:read"),
        ...tab("webhooks", "/a/$accountId/developers/webhooks", "webhooks:read"),
        ...tab("events", "/a/$accountId/developers/events", "events:read"),
        ...tab("live", "/a/$accountId/developers/live", "emails:read"),
        ...tab("smtp", "/a/$accountId/developers/smtp", null)
      ]}
    />
  )
}
