/**
 * The parts of nodemailer's modules that composing messages uses. They are not a public interface, so no other file of this
 * adapter names them, and `test/adapters/nodemailer.test.ts` fails if they change.
 *
 * @module
 */
import type MimeNode from "nodemailer/lib/mime-node/index.js"

export { default as MailComposer } from "nodemailer/lib/mail-composer/index.js"
export { encodeWord } from "nodemailer/lib/mime-funcs/index.js"
export type { default as MimeNode } from "nodemailer/lib/mime-node/index.js"
export { encode as toQuotedPrintable, wrap as wrapQuotedPrintable } from "nodemailer/lib/qp/index.js"

/** The root of a message, with the method that writes names in addresses. */
interface AddressWriter {
  _encodeAddressName: (name: string) => string
  _convertAddresses: (
    addresses: ReadonlyArray<{ readonly address?: string }>,
    unique?: Array<unknown>,
    seen?: Set<string>
  ) => string
}

/** Replaces how a message writes the names in addresses. `encode` returns null for names that are not changed. */
export const encodeNamesBy = (root: MimeNode, encode: (name: string) => string | null): void => {
  const writer = root as unknown as AddressWriter
  const encodeName = writer._encodeAddressName.bind(writer)
  writer._encodeAddressName = (name) => encode(name) ?? encodeName(name)
}

/** Writes every address of a message in angle brackets, not only those with a name. */
export const bracketAddresses = (root: MimeNode): void => {
  const writer = root as unknown as AddressWriter
  const convert = writer._convertAddresses.bind(writer)
  writer._convertAddresses = (addresses, unique, seen) =>
    [addresses]
      .flat()
      .map((one) => {
        const written = convert([one], unique, seen)
        return written === one.address ? `<${written}>` : written
      })
      .join(", ")
}

/** A node of a message's tree. */
export interface MimePart {
  /** Its header, without the empty line. */
  readonly header: string
  readonly encoding: string | false
  readonly content: string | Buffer
  /** The parts and their boundary; null if the node is not a multipart. */
  readonly multipart: { readonly boundary: string; readonly parts: ReadonlyArray<MimeNode> } | null
}

/** Reads a node. Throws if a content is neither a string nor bytes. */
export const readPart = (node: MimeNode): MimePart => {
  // Building the header creates the boundary, and stores the encoding, which takes long to choose for text that is not ASCII.
  const header = node.buildHeaders()
  const encoding = node.getTransferEncoding()
  const { boundary, childNodes, content = "", multipart = false } = node
  if (typeof content !== "string" && !(content instanceof Buffer)) {
    throw new Error("A part's content must be a string or bytes")
  }
  return {
    header,
    encoding,
    content,
    multipart: multipart === false ? null : { boundary: String(boundary), parts: childNodes }
  }
}
