/**
 * Hides the Liquid in HTML templates from the HTML parser, because its quotes and angle brackets do not belong to the HTML.
 *
 * @module
 */

/** The parts of a template that rendering replaces, `{{ ... }}` and `{% ... %}`, as indexes in order. */
const partsOf = (template: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const parts: Array<readonly [number, number]> = []
  const opening = /\{[{%]/g
  for (let found = opening.exec(template); found !== null; found = opening.exec(template)) {
    const closing = template.indexOf(found[0] === "{{" ? "}}" : "%}", opening.lastIndex)
    // A template with a part that does not end cannot be rendered.
    if (closing < 0) break
    parts.push([found.index, closing + 2])
    opening.lastIndex = closing + 2
  }
  return parts
}

/** Replaces each part of a template with what `maskOf` returns for it. */
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
 * Masks a template as HTML of the same length. Outputs become letters, which can be part of an attribute's value, and tags become
 * spaces, which can separate attributes.
 */
export const maskTemplate = (template: string): string =>
  replaceParts(template, (part) => (part.startsWith("{{") ? "x" : " ").repeat(part.length))

/** Whether every part in a piece of a template begins and ends in that piece. */
export const isWhole = (piece: string): boolean => !/\{\{|\}\}|\{%|%\}/.test(replaceParts(piece, () => " "))
