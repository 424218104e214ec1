/**
 * Writes nodemailer's MIME trees synchronously. Its own `build` pipes each part through half a dozen streams, which
 * takes three times as long for a message of ordinary size; the result is the same.
 *
 * @module
 */
import { encode as toBase64, wrap as wrapBase64 } from "nodemailer/lib/base64/index.js"
import type MimeNode from "nodemailer/lib/mime-node/index.js"
import { encode as toQuotedPrintable, wrap as wrapQuotedPrintable } from "nodemailer/lib/qp/index.js"

/** Replaces every line end by CRLF. */
export const withCrlf = (text: string): string =>
  /\r(?!\n)|(?<!\r)\n/.test(text) ? text.replace(/\r\n?|\n/g, "\r\n") : text

const encoded = (content: string | Buffer, encoding: string | false): Buffer => {
  switch (encoding) {
    case "base64":
      return Buffer.from(wrapBase64(toBase64(content)), "latin1")
    case "quoted-printable":
      return Buffer.from(wrapQuotedPrintable(toQuotedPrintable(content)), "latin1")
    default:
      return Buffer.from(withCrlf(content.toString("latin1")), "latin1")
  }
}

const write = (node: MimeNode, parts: Array<Buffer>): void => {
  const encoding = node.getTransferEncoding()
  parts.push(Buffer.from(`${node.buildHeaders()}\r\n\r\n`))
  // Building the header creates the boundary.
  const { boundary, childNodes, content } = node
  if (typeof content === "string" || content instanceof Buffer) {
    if (content.length > 0) parts.push(encoded(content, encoding))
  } else if (content !== undefined) throw new Error("A part's content must be a string or bytes")
  if (node.multipart === undefined || node.multipart === false) return
  for (const [index, child] of childNodes.entries()) {
    parts.push(Buffer.from(`${index === 0 ? "" : "\r\n"}--${boundary}\r\n`))
    write(child, parts)
  }
  parts.push(Buffer.from(`\r\n--${boundary}--\r\n`))
}

/** The message of a tree whose contents are bytes, or strings with CRLF line ends; it ends with CRLF. */
export const mimeText = (root: MimeNode): Buffer => {
  const parts: Array<Buffer> = []
  write(root, parts)
  if (parts.at(-1)!.at(-1) !== 0x0a) parts.push(Buffer.from("\r\n"))
  return Buffer.concat(parts)
}
