/**
 * Watches whether the window matches a media query.
 *
 * @module
 */
import { useCallback, useSyncExternalStore } from "react"

/** In a narrower window, lists have rows of two lines, and the navigation is a panel. */
export const narrow = "(width < 48rem)"

/** Whether the window matches a media query. */
export const useMedia = (query: string): boolean => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener("change", listener)
      return () => list.removeEventListener("change", listener)
    },
    [query]
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
