/**
 * The filters of people whose values are typed.
 *
 * @module
 */
import { MoreFilters, type MoreFiltersProps } from "../../parts/list/MoreFilters.tsx"
import { useListTexts } from "../../texts/lists/useListTexts.ts"

/** The dialog. */
export const PeopleFilters = ({ onApply, ...props }: MoreFiltersProps) => {
  const { people: texts, several } = useListTexts()
  return (
    <MoreFilters
      {...props}
      onApply={(values) => onApply({ ...values, country: values["country"]?.toUpperCase() })}
      text={texts.text}
      filters={[
        { key: "tag", label: texts.tag, hint: several },
        { key: "country", label: texts.country, hint: texts.countryHint },
        { key: "language", label: texts.language, hint: texts.languageHint },
        { key: "storeId", label: texts.store },
        { key: "since", label: texts.since, isDay: true },
        { key: "until", label: texts.until, isDay: true },
        { key: "lastEmailedSince", label: texts.lastEmailedSince, isDay: true },
        { key: "lastOpenSince", label: texts.lastOpenSince, isDay: true },
        { key: "lastClickSince", label: texts.lastClickSince, isDay: true }
      ]}
    />
  )
}
