/**
 * The dialog that limits a list to a period.
 *
 * @module
 */
import { useListTexts } from "../../texts/lists/useListTexts.ts"
import { MoreFilters, type MoreFiltersProps } from "./MoreFilters.tsx"

/** The dialog. */
export const TimeFilters = (props: MoreFiltersProps) => {
  const { since, until } = useListTexts()
  return (
    <MoreFilters
      {...props}
      filters={[
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
