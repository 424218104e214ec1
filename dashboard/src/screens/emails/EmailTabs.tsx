/**
 * The links between the emails of a sandbox and its inbox.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"

/** The links; a live account has no inbox. */
export const EmailTabs = () => {
  const { mail: texts, nav } = useTexts()
  const { id: accountId, mode } = useAccount()
  if (mode === "live") return null
  const params = { accountId }
  return (
    <LinkTabs
      label={nav.emails}
      items={[
        {
          key: "emails",
          label: texts.tabs.emails,
          link: { to: "/a/$accountId/emails", params },
          isExact: true
        },
        { key: "inbox", label: texts.tabs.inbox, link: { to: "/a/$accountId/emails/inbox", params } }
      ]}
    />
  )
}
