/**
 * The entries of a list that are chosen, for actions on several. The address names them, so that it can be sent to someone.
 *
 * @module
 */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { type Search, valuesOf } from "../lib/search.ts"

/** The most entries that an address names: a longer one is cut off by some programs. */
const most = 50

/** What is chosen, the parameter `selected` of the address, and the way to choose others. */
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
