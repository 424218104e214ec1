/**
 * Remembers where someone wanted to go who signs in at an identity provider, which leads back to the beginning.
 *
 * @module
 */

const name = "svc.place"

/** Remembers a path of the dashboard until this tab comes back. */
export const rememberPlace = (path: string | undefined): void => {
  try {
    if (path === undefined) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, path)
  } catch {
    // Storage may be turned off: one begins at the beginning then.
  }
}

/** The path that was remembered, this once; null for none. */
export const takePlace = (): string | null => {
  try {
    const path = sessionStorage.getItem(name)
    sessionStorage.removeItem(name)
    return path
  } catch {
    return null
  }
}
