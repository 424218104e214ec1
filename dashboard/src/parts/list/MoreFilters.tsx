/**
 * The dialog of a list's filters that are typed, or chosen among many.
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
  /** The name of its search parameter. */
  readonly key: string
  readonly label: string
  readonly hint?: string
  /** Whether its value is a day. */
  readonly isDay?: boolean
  /** What is chosen from; where it is left out, the value is typed. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
}

/** What the dialog of a list works on. */
export interface MoreFiltersProps {
  readonly search: Search
  /** Takes the values of the filters, undefined for none. */
  readonly onApply: (values: Search) => void
  readonly onClose: () => void
}

/** Values without spaces around them, and none that is empty; undefined without any. */
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
      // A time that another filter chose is shown as its day.
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
                  // Of an address that was sent by someone.
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
