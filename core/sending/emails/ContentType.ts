/**
 * Content types of attachments with their parameters (RFC 2045, 5.1), such as `text/calendar; method=REQUEST`.
 *
 * @module
 */

/** A parameter's name in lower case, with its value without quotes. */
export type ContentTypeParameter = readonly [name: string, value: string]

/** The maximum number of characters of a content type with its parameters. */
export const maxContentType = 500

/** A media type (RFC 6838, 4.2). */
const mediaType = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/
/** A parameter name (RFC 2231, 7): a token that cannot be taken for a section of an encoded value. */
const parameterName = /^[A-Za-z0-9!#$&+.^_`{|}~-]{1,60}$/
const token = /^[A-Za-z0-9!#$%&'*+.^_`{|}~-]+$/
const parameter = /[ \t]*;[ \t]*([^\s;="]+)=([^\s;="]+|"(?:[^"\\]|\\.)*")/y
/** Parameters with the file name. The field `filename` has the name, and the message gets both parameters from it. */
const filenameParameter = /^(?:file)?name(?:\*\d{0,2}\*?)?$/
const forbidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
/** Types whose parameters make a mail program fetch their content, or assemble it from several messages. */
const indirect = /^message\/(?:external-body|partial)$/

/**
 * The media type of an attachment in lower case. Null if it is invalid, and for a multipart type, which a single file cannot
 * have.
 */
export const mediaTypeOf = (text: string): string | null => {
  const type = text.toLowerCase()
  return mediaType.test(type) && !type.startsWith("multipart/") ? type : null
}

const isParameter = ([name, value]: ContentTypeParameter): boolean =>
  parameterName.test(name) && name !== "boundary" && value.isWellFormed() && !forbidden.test(value)

const written = ([name, value]: ContentTypeParameter): string =>
  `; ${name}=${token.test(value) ? value : `"${value.replaceAll(/["\\]/g, "\\$&")}"`}`

/**
 * Parses a content type strictly, and returns it in one form: type and names in lower case, values as given, without a
 * parameter for the file name. Values may have characters beyond ASCII, which a message encodes (RFC 2231). Null if it is
 * invalid or too long, has a parameter twice, or has a `boundary`.
 */
export const parseContentType = (text: string): string | null => {
  const given = text.trim()
  if (given.length > maxContentType) return null
  const [first = ""] = /^[^\s;]*/.exec(given) ?? []
  const type = mediaTypeOf(first)
  if (type === null) return null
  const parameters = new Map<string, string>()
  for (let at = first.length; at < given.length; at = parameter.lastIndex) {
    parameter.lastIndex = at
    const [, name = "", value = ""] = parameter.exec(given) ?? []
    const found = [name.toLowerCase(), unquoted(value)] as const
    const isName = filenameParameter.test(found[0])
    if (parameters.has(found[0]) || !(value.startsWith('"') || token.test(value))) return null
    if (!isName && (!isParameter(found) || indirect.test(type))) return null
    parameters.set(...found)
  }
  return writeContentType(type, [...parameters])
}

/** Writes a content type with those of its parameters that are valid and fit. */
export const writeContentType = (type: string, parameters: ReadonlyArray<ContentTypeParameter>): string => {
  if (indirect.test(type)) return type
  return parameters
    .filter((one) => !filenameParameter.test(one[0]) && isParameter(one))
    .map(written)
    .reduce((text, one) => (text.length + one.length > maxContentType ? text : text + one), type)
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : value
