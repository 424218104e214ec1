/**
 * Remembers the path that a user wanted while they sign in at an identity provider, which always returns to the start page.
 *
 * @module
 */

const name = "svc.place"

/** Remembers a path of the dashboard until this tab comes back from the identity provider. */
export const rememberPlace = (path: string | undefined): void => {
  try {
    if (path === undefined) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, path)
  } catch {
    // If the browser's storage is turned off, the user starts at the start page.
  }
}

/** Returns the remembered path and removes it; null if there is none. */
export const takePlace = (): string | null => {
  try {
    const path = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    return path
  } catch {
    return null
  }
}
