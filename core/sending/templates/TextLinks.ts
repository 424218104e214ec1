/**
 * Finds the links of plain text as mail programs do: an http or https URL without the punctuation that follows it.
 *
 * @module
 */

/** The most links that are replaced, and the longest one, in characters: later and longer ones stay as they are. */
const maxLinks = 5_000
const maxLink = 4_000

const urls = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"]+/giu
/** What ends a sentence or emphasis, in any script. */
const closing = /^(?:[.,;:!?'*~]|(?!\p{ASCII})\p{P})$/u
const openingOf: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }

/** The number of characters that are of the URL: a bracket at its end is where it was opened in the URL. */
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

/** Text with each of its links replaced by what `linkOf` returns for its URL. Everything else stays as it is. */
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
