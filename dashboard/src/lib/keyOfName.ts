/**
 * Suggests a key from a name.
 *
 * @module
 */

/** The most characters of a suggested key. */
const maxKey = 50

/** "Summer news" becomes `summer_news`. */
export const keyOfName = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== "")
    .join("_")
    .slice(0, maxKey)
