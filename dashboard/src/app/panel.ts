/**
 * The panel that is open over a screen, such as one entry or the form for a new one. The address names it, so that it can be sent
 * to someone, and Back closes it.
 *
 * @module
 */
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { Search } from "../lib/search.ts"

/** The panel of a form for a new entry. */
export const newPanel = "new"

/** What is open, a parameter of the address, and the way to open another; null is none. Filters stay as they are. */
export const usePanel = (
  name = "shown"
): readonly [panel: string | null, show: (panel: string | null) => void] => {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (panel: string | null) =>
    void navigate({
      to: ".",
      search: (before: Search) => ({ ...before, [name]: panel ?? undefined }),
      // Back closes a panel, and leads from there to the screen before.
      replace: panel === null || search[name] !== undefined
    })
  return [search[name] ?? null, show]
}
