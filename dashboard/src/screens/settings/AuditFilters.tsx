/**
 * The filters of an audit log whose values are typed.
 *
 * @module
 */
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** The dialog. */
export const AuditFilters = (props: MoreFiltersProps) => {
  const { audit: texts, several, since, until } = useListTexts()
  return (
    <MoreFilters
      {...props}
      filters={[
        { key: "network", label: texts.network, hint: texts.networkHint },
        { key: "target", label: texts.target, hint: several },
        { key: "actor", label: texts.actor, hint: texts.actorHint },
        { key: "since", label: since, isDay: true },
        { key: "until", label: until, isDay: true }
      ]}
    />
  )
}
