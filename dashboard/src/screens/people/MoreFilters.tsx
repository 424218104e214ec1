/**
 * The dialog of the filters that are typed rather than chosen.
 *
 * @module
 */
import { useState } from "react"
import { useTexts } from "../../app/reader.tsx"
import type { Search } from "../../lib/search.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { dayKeys, moreKeys, typedKeys } from "./filters.ts"

/** The dialog. */
export const MoreFilters = ({
  onApply,
  onClose,
  search
}: {
  readonly search: Search
  readonly onApply: (search: { readonly [K in (typeof moreKeys)[number]]?: string }) => void
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(moreKeys.map((key) => [key, search[key] ?? ""]))
  )
  const set = (key: string, value: string) => setValues({ ...values, [key]: value })
  const labels = { tag: texts.tag, country: texts.country, language: texts.language, storeId: texts.store }
  const hints: Readonly<Record<string, string>> = {
    tag: texts.tagsHint,
    country: texts.countryHint,
    language: texts.languageHint
  }
  const apply = () => {
    onApply(
      Object.fromEntries(
        moreKeys.map((key) => {
          const value = (values[key] ?? "")
            .split(",")
            .map((part) => part.trim())
            .filter((part) => part !== "")
            .join(",")
          return [key, key === "country" ? value.toUpperCase() : value]
        })
      )
    )
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={apply}
      title={texts.moreFilters}
      text={texts.moreFiltersText}
      actions={
        <>
          <Button onClick={() => setValues({})}>{common.clear}</Button>
          <Button type="submit" tone="primary">
            {texts.apply}
          </Button>
        </>
      }
    >
      {typedKeys.map((key) => (
        <Field key={key} label={labels[key]} hint={hints[key]}>
          <Input value={values[key] ?? ""} onChange={(event) => set(key, event.target.value)} />
        </Field>
      ))}
      {dayKeys.map((key) => (
        <Field key={key} label={texts[key]}>
          <Input type="date" value={values[key] ?? ""} onChange={(event) => set(key, event.target.value)} />
        </Field>
      ))}
    </Dialog>
  )
}
