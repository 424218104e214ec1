/**
 * The dialog for filters whose values are typed, or chosen from long lists.
 *
 * @module
 */
import { useState } from "react"
import { useTexts } from "../../app/reader.tsx"
import type { Search } from "../../lib/search.ts"
import { useListTexts } from "../../texts/lists/useListTexts.ts"
import { Button } from "../form/Button.tsx"
import { Field, Input, Select } from "../form/Field.tsx"
import { Dialog } from "../overlay/Dialog.tsx"

/** A filter of the dialog. */
export interface MoreFilter {
  /** The name of the filter's search parameter. */
  readonly key: string
  readonly label: string
  readonly hint?: string
  /** Whether its value is a day. */
  readonly isDay?: boolean
  /** The values on offer; without it, the value is typed. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
}

/** The properties of a list's filter dialog. */
export interface MoreFiltersProps {
  readonly search: Search
  /** Receives the values of the filters, undefined for those without one. */
  readonly onApply: (values: Search) => void
  readonly onClose: () => void
}

/** The comma-separated values, trimmed and without empty ones; undefined if there are none. */
const tidied = (text: string): string | undefined => {
  const values = text.split(",").map((part) => part.trim())
  return values.filter((part) => part !== "").join(",") || undefined
}

/** The dialog. */
export const MoreFilters = ({
  filters,
  onApply,
  onClose,
  search,
  text
}: MoreFiltersProps & { readonly filters: ReadonlyArray<MoreFilter>; readonly text?: string }) => {
  const { list } = useTexts()
  const texts = useListTexts()
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      // A timestamp set by another filter is shown as its day.
      filters.map(({ isDay, key }) => [key, (search[key] ?? "").slice(0, isDay === true ? 10 : undefined)])
    )
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => {
        onApply(Object.fromEntries(filters.map(({ key }) => [key, tidied(values[key] ?? "")])))
        onClose()
      }}
      title={list.moreFilters}
      text={text ?? texts.text}
      actions={
        <>
          <Button onClick={() => setValues({})}>{texts.clear}</Button>
          <Button type="submit" tone="primary">
            {texts.apply}
          </Button>
        </>
      }
    >
      {filters.map(({ hint, isDay, key, label, options }) => {
        const value = values[key] ?? ""
        const set = (next: string) => setValues({ ...values, [key]: next })
        const isOffered = options?.some((option) => option.value === value) === true
        return (
          <Field key={key} label={label} hint={hint}>
            {options === undefined ? (
              <Input
                type={isDay === true ? "date" : "text"}
                autoComplete="off"
                value={value}
                onChange={(event) => set(event.target.value)}
              />
            ) : (
              <Select
                value={value}
                onChange={(event) => set(event.target.value)}
                options={[
                  { value: "", label: texts.any },
                  // A value that is not on offer may come from a shared link.
                  ...(value === "" || isOffered ? [] : [{ value, label: value }]),
                  ...options
                ]}
              />
            )}
          </Field>
        )
      })}
    </Dialog>
  )
}
