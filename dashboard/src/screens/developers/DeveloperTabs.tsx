/**
 * The links between the screens of developers.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"

/** The links. */
export const DeveloperTabs = () => {
  const {
    developers: { tabs, title }
  } = useTexts()
  return (
    <AreaTabs
      label={title}
      tabs={[
        [tabs.keys, "/a/$accountId/developers", "keys:read"],
        [tabs.requests, "/a/$accountId/developers/requests", "requests:read"],
        [tabs.webhooks, "/a/$accountId/developers/webhooks", "webhooks:read"],
        [tabs.events, "/a/$accountId/developers/events", "events:read"],
        [tabs.live, "/a/$accountId/developers/live", "emails:read"],
        [tabs.smtp, "/a/$accountId/developers/smtp", null],
        [tabs.reference, "/a/$accountId/developers/reference", null]
      ]}
    />
  )
}
