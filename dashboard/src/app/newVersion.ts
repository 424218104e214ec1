/**
 * Notices that a part of the page that was not loaded yet is gone, as after an upgrade. The page is not loaded again by itself,
 * by which what is edited would be lost.
 *
 * @module
 */

let isNoticed = false
const listeners = new Set<() => void>()

const set = (next: boolean): void => {
  isNoticed = next
  for (const listener of listeners) listener()
}

/** Begins to notice, before anything is loaded. */
export const noticeNewVersion = (): void =>
  addEventListener("vite:preloadError", (event) => {
    // Thrown, it would make the router load the page again.
    event.preventDefault()
    set(true)
  })

/** Hides the offer until the next part is missing. */
export const dismissNewVersion = (): void => set(false)

/** Whether a part was missing, for `useSyncExternalStore`. */
export const isNewVersion = (): boolean => isNoticed

/** Subscribes to that. */
export const subscribeNewVersion = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
