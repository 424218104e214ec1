/**
 * The filters of events whose values are typed.
 *
 * @module
 */
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** The dialog. */
export const EventFilters = (props: MoreFiltersProps) => {
  const { contact, events: texts, several, since, until } = useListTexts()
  return (
    <MoreFilters
      {...props}
      filters={[
        { key: "name", label: texts.name, hint: several },
        { key: "contactId", label: contact },
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
