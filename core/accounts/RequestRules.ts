/**
 * The part of a body that the request log stores: its beginning, without secrets.
 *
 * @module
 */

/** The most characters of a body that are kept. */
export const maxLoggedBody = 4_096

/** The service's own keys and signing secrets, even if cut off at the end of the text. */
const keys = /\b(svc_[a-z]{2,8}_|whsec_)[\w+/=-]{1,200}/g

/** A JSON member with a string value, even if cut off at the end of the text. */
const member = /"([\w-]{1,60})"(\s{0,20}:\s{0,20})"((?:[^"\\]|\\.)*)/g

const secretName = /passw|secret|token|api[_-]?key|authorization|credential/i

/** The beginning of a body with secrets replaced by `***`: keys of this service, and members with the name of a secret. */
export const loggedBody = (body: string): string =>
  body
    .slice(0, maxLoggedBody)
    .replaceAll("\0", "")
    .toWellFormed()
    .replaceAll(member, (whole, name: string, colon: string) =>
      secretName.test(name) ? `"${name}"${colon}"***` : whole
    )
    .replaceAll(keys, "$1***")
