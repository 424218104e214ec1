/**
 * The panel that is open over a screen, such as one entry or the form for a new one. It is a parameter of the URL, so that a link
 * to it can be shared and Back closes it.
 *
 * @module
 */
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { Search } from "../lib/search.ts"

/** The value for the form of a new entry. */
export const newPanel = "new"

/** The open panel, and the function that opens another; null closes it. Filters are kept. */
export const usePanel = (
  name = "shown"
): readonly [panel: string | null, show: (panel: string | null) => void] => {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (panel: string | null) =>
    void navigate({
      to: ".",
      search: (before: Search) => ({ ...before, [name]: panel ?? undefined }),
      // Only opening a panel adds a history entry: Back closes the panel, and then leads to the previous screen.
      replace: panel === null || search[name] !== undefined
    })
  return [search[name] ?? null, show]
}
