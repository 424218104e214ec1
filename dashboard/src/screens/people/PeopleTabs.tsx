/**
 * The links between the screens of people.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"

/** The links. */
export const PeopleTabs = () => {
  const { people: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const params = { accountId }
  const tab = (key: keyof typeof texts.tabs, to: NonNullable<LinkProps["to"]>, right: string) =>
    can(right) ? [{ key, label: texts.tabs[key], link: { to, params }, isExact: key === "contacts" }] : []
  return (
    <LinkTabs
      label={texts.title}
      items={[
        ...tab("contacts", "/a/$accountId/people", "contacts:read"),
        ...tab("segments", "/a/$accountId/people/segments", "segments:read"),
        ...tab("topics", "/a/$accountId/people/topics", "segments:read"),
        ...tab("fields", "/a/$accountId/people/fields", "segments:read"),
        ...tab("imports", "/a/$accountId/people/imports", "contacts:read"),
        ...tab("jobs", "/a/$accountId/people/jobs", "contacts:read")
      ]}
    />
  )
}
