/**
 * The filters of requests whose values are typed.
 *
 * @module
 */
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** The dialog. */
export const RequestFilters = (props: MoreFiltersProps) => {
  const { requests: texts, several, since, until } = useListTexts()
  return (
    <MoreFilters
      {...props}
      filters={[
        { key: "route", label: texts.route, hint: texts.routeHint },
        { key: "code", label: texts.code, hint: several },
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
