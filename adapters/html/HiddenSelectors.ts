/**
 * Finds what the style elements of HTML hide: the selectors of elements, classes and ids that have `display: none`.
 *
 * @module
 */

/** The maximum number of selectors found. */
const maxSelectors = 100
/** A type, or classes and ids with or without a type. Other selectors depend on the position of an element. */
const simple =
  /^(?:[a-z][a-z0-9]{0,20}|(?:[a-z][a-z0-9]{0,20})?[.#][a-z_][\w-]{0,60}(?:[.#][a-z_][\w-]{0,60})?)$/i
const displayed = /(?:^|;)\s{0,20}display\s{0,20}:\s{0,20}([a-z-]{1,30})/i

/** The contents of style elements. */
function* stylesOf(html: string): Generator<string> {
  let begin: number | null = null
  for (const { 0: tag, index } of html.matchAll(/<\/?style\b/gi)) {
    if (tag[1] !== "/") begin ??= html.indexOf(">", index) + 1
    else if (begin !== null) {
      yield html.slice(begin, index)
      begin = null
    }
    // If the tag does not end, no other tag follows.
    if (begin === 0) return
  }
  if (begin !== null) yield html.slice(begin)
}

const withoutComments = (css: string): string => {
  let rest = ""
  let at = 0
  for (let from = css.indexOf("/*"); from !== -1; from = css.indexOf("/*", at)) {
    rest += css.slice(at, from)
    const end = css.indexOf("*/", from + 2)
    if (end === -1) return rest
    at = end + 2
  }
  return rest + css.slice(at)
}

/** The selectors and declarations of a style sheet's rules, except those in at-rules, which apply only in some windows. */
function* rulesOf(css: string): Generator<readonly [selectors: string, declarations: string]> {
  let at = 0
  for (let open = css.indexOf("{"); open !== -1; open = css.indexOf("{", at)) {
    const before = css.slice(at, open)
    const selectors = before.slice(before.lastIndexOf(";") + 1).trim()
    let depth = 1
    let end = open + 1
    for (; end < css.length && depth > 0; end++) depth += css[end] === "{" ? 1 : css[end] === "}" ? -1 : 0
    if (!selectors.startsWith("@")) yield [selectors, css.slice(open + 1, end - 1)]
    at = end
  }
}

/** The hidden selectors, sorted. Selectors that a later rule shows again are omitted. */
export const hiddenSelectors = (html: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const css of stylesOf(html)) {
    for (const [selectors, declarations] of rulesOf(withoutComments(css))) {
      const [, value] = displayed.exec(declarations) ?? []
      if (value === undefined) continue
      for (const selector of selectors.split(",").map((one) => one.trim())) {
        if (value.toLowerCase() !== "none") found.delete(selector)
        else if (found.size < maxSelectors && simple.test(selector)) found.add(selector)
      }
    }
  }
  return [...found].toSorted()
}
