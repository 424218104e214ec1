/**
 * The filters of orders that have no button of their own.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** The dialog. */
export const OrderFilters = (props: MoreFiltersProps) => {
  const { orders: texts, since, until } = useListTexts()
  return (
    <MoreFilters
      {...props}
      filters={[
        { key: "view", label: texts.view, hint: texts.viewHint, options: optionsOf(texts.views) },
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
