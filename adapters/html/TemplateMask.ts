/**
 * Hides the Liquid of templates of HTML from its parser: quotes and angle brackets in it are none of the HTML.
 *
 * @module
 */

/** The parts of a template that rendering replaces, `{{ ... }}` and `{% ... %}`, as indexes, in order. */
const partsOf = (template: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const parts: Array<readonly [number, number]> = []
  const opening = /\{[{%]/g
  for (let found = opening.exec(template); found !== null; found = opening.exec(template)) {
    const closing = template.indexOf(found[0] === "{{" ? "}}" : "%}", opening.lastIndex)
    // A template of which a part does not end cannot be rendered.
    if (closing < 0) break
    parts.push([found.index, closing + 2])
    opening.lastIndex = closing + 2
  }
  return parts
}

/** A template without its parts: what `maskOf` returns for each takes its place. */
const replaceParts = (template: string, maskOf: (part: string) => string): string => {
  let result = ""
  let from = 0
  for (const [start, end] of partsOf(template)) {
    result += template.slice(from, start) + maskOf(template.slice(start, end))
    from = end
  }
  return result + template.slice(from)
}

/**
 * A template as HTML of the same length: outputs are letters, which an attribute's value may consist of, and tags are spaces,
 * which may stand between attributes.
 */
export const maskTemplate = (template: string): string =>
  replaceParts(template, (part) => (part.startsWith("{{") ? "x" : " ").repeat(part.length))

/** Whether each part of a piece of a template begins and ends in it. */
export const isWhole = (piece: string): boolean => !/\{\{|\}\}|\{%|%\}/.test(replaceParts(piece, () => " "))
