/**
 * The selected entries of a list, for bulk actions. The URL names them, so that a link to the selection can be shared.
 *
 * @module
 */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { type Search, valuesOf } from "../lib/search.ts"

/** The most entries that the URL names. Some programs cut off longer URLs. */
const most = 50

/** The selected keys, from the URL parameter `selected`, and the function that selects others. */
export const useSelection = (): readonly [
  chosen: ReadonlySet<string>,
  choose: (keys: ReadonlySet<string>) => void
] => {
  const { selected }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(valuesOf(selected)))
  const choose = (keys: ReadonlySet<string>) => {
    setChosen(keys)
    const named = keys.size > most ? undefined : [...keys].join(",")
    void navigate({ to: ".", search: (before: Search) => ({ ...before, selected: named }), replace: true })
  }
  return [chosen, choose]
}
