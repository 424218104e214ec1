/**
 * The links between the screens of commerce.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"

/** The links. */
export const CommerceTabs = () => {
  const { commerce: texts } = useTexts()
  return (
    <AreaTabs
      label={texts.title}
      tabs={[
        [texts.tabs.stores, "/a/$accountId/stores", "orders:read"],
        [texts.tabs.orders, "/a/$accountId/stores/orders", "orders:read"],
        [texts.tabs.items, "/a/$accountId/stores/items", "catalog:read"]
      ]}
    />
  )
}
