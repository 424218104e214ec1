/**
 * The links between the screens of sending domains and their standing.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

/** The links. */
export const DomainTabs = () => {
  const { domains } = useTexts()
  const { tabs } = useDeliveryTexts()
  return (
    <AreaTabs
      label={domains.title}
      tabs={[
        [tabs.domains, "/a/$accountId/domains", "domains:read"],
        [tabs.standing, "/a/$accountId/domains/standing", "stats:read"],
        [tabs.reports, "/a/$accountId/domains/reports", "domains:read"]
      ]}
    />
  )
}
