/**
 * Finds the links in plain text as mail programs do: http and https URLs without the punctuation that follows them.
 *
 * @module
 */

/**
 * The maximum number of links that are replaced, and the maximum number of characters of a link. Further and longer links stay
 * unchanged.
 */
const maxLinks = 5_000
const maxLink = 4_000

const urls = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"]+/giu
/** Characters that end a sentence or emphasis, in any script. */
const closing = /^(?:[.,;:!?'*~]|(?!\p{ASCII})\p{P})$/u
const openingOf: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }

/** The number of characters that belong to the URL. A closing bracket belongs to it if the URL contains the opening one. */
const urlLength = (found: string): number => {
  const counts = new Map<string, number>()
  for (const sign of found) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let length = found.length
  for (; length > 0; length--) {
    const last = found[length - 1]!
    const count = counts.get(last) ?? 0
    const opening = openingOf[last]
    if (opening === undefined ? !closing.test(last) : count <= (counts.get(opening) ?? 0)) break
    counts.set(last, count - 1)
  }
  return length
}

/** Replaces each link in a text by what `linkOf` returns for its URL. Everything else stays unchanged. */
export const replaceTextLinks = (text: string, linkOf: (url: string) => string): string => {
  let count = 0
  return text.replaceAll(urls, (found) => {
    if (found.length > maxLink || count >= maxLinks) return found
    const url = found.slice(0, urlLength(found))
    if (URL.parse(url) === null) return found
    count++
    return linkOf(url) + found.slice(url.length)
  })
}
