/**
 * Implements the MessageComposer port: nodemailer composes messages, and `Dkim.ts` signs them.
 *
 * @module
 */
import { Cache, Duration, Effect, Exit, Layer } from "effect"
import { createHash, createPrivateKey } from "node:crypto"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SecretBox } from "../../core/ports/SecretBox.ts"
import { dkimPurpose, type SigningKey } from "../../core/model/Domain.ts"
import type { MessageDraft } from "../../core/model/Message.ts"
import { entityOf } from "../../core/model/Submission.ts"
import { decodeWords } from "../../core/shared/EncodedWords.ts"
import type { Mailbox } from "../../core/shared/Mailbox.ts"
import { type DkimSigner, dkimSignatures, signedMessageId } from "./Dkim.ts"
import { mimeText, withCrlf } from "./MimeText.ts"
import { bracketAddresses, encodeNamesBy, encodeWord, MailComposer, type MimeNode } from "./Nodemailer.ts"

/** The maximum number of opened private keys that are kept. */
const maxKeys = 5000

/** The number of hexadecimal digits in the boundaries of a message. */
const boundaryLength = 32

/** Text that a reader could take for an encoded word (RFC 2047) is encoded itself, so that it is shown as given. */
const looksEncoded = (text: string): boolean => text.includes("=?")

const wordsOf = (text: string): string => (looksEncoded(text) ? encodeWord(text, "B", maxWord) : text)

/** Control characters, and line breaks of any script. */
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/

/** The rest of an encoded word that is not decoded here: with an unknown charset, or in a form only lenient readers accept. */
const undecoded = /=\?[\w.:*-]+\?[bq]\?/i

/** Whether text has encoded words that some reader shows, or may show, as more than one line. */
const isReadAsLines = (text: string): boolean => {
  if (!looksEncoded(text)) return false
  const read = decodeWords(text)
  return controls.test(read) || undecoded.test(read)
}

/** The value of an extra header. Encoded words are kept, as the sender may have written them, unless they contain line breaks. */
const extraValue = (value: string): string => (isReadAsLines(value) ? wordsOf(value) : value)

/** A file's name. Readers decode words even in RFC 2231 values, so encoded words with line breaks are made undecodable. */
const fileName = (name: string): string => (isReadAsLines(name) ? name.replaceAll("=?", "_?") : name)

/** The maximum length of an encoded word's text. RFC 2047, 2 allows 75 characters with delimiters. */
const maxWord = 52

const address = ({ email, name }: Mailbox) => ({ address: email, name: name ?? "" })

/** The header fields of a composer's message that describe its content. */
const isOfContent = (field: string): boolean => /^(?:content-[a-z-]+|mime-version):/i.test(field)

/** A message whose body is an unchanged entity: the fields of the message, followed by those of the entity. */
const withEntity = (root: MimeNode, entity: Uint8Array): Buffer => {
  const fields = root
    .buildHeaders()
    .split(/\r\n(?![ \t])/)
    .filter((field) => !isOfContent(field))
  return Buffer.concat([Buffer.from([...fields, "MIME-Version: 1.0", ""].join("\r\n")), entity])
}

/** Whether a file is a message: readers show one that is inline as a part of the text, and no file. */
const isMessage = (contentType: string): boolean => /^message\//i.test(contentType)

const build = (draft: MessageDraft): Buffer => {
  const entity = entityOf(draft.attachments)
  const files = entity === null ? draft.attachments : []
  const composer = new MailComposer({
    from: address(draft.from),
    to: draft.to.map(address),
    cc: draft.cc.map(address),
    ...(draft.replyTo === null ? {} : { replyTo: address(draft.replyTo) }),
    subject: wordsOf(draft.subject),
    messageId: `<${draft.messageId}>`,
    // A draft always results in the same bytes, and authors of content do not know a message's id.
    baseBoundary: createHash("sha256").update(draft.messageId).digest("hex").slice(0, boundaryLength),
    date: new Date(draft.date),
    headers: draft.headers.map(({ name, value }) => ({ key: name, value: extraValue(value) })),
    ...(draft.html === null ? {} : { html: withCrlf(draft.html) }),
    ...(draft.text === null ? {} : { text: withCrlf(draft.text) }),
    attachments: files.map(({ content, contentId, contentType, filename }) => ({
      filename: fileName(filename),
      contentType,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      encoding: "base64",
      contentDisposition: contentId === null || isMessage(contentType) ? "attachment" : "inline",
      ...(contentId === null ? {} : { cid: contentId })
    })),
    // Content comes from tenants, so the composer must neither read files nor fetch URLs for it.
    disableFileAccess: true,
    disableUrlAccess: true
  })
  const root = composer.compile()
  // Nodemailer would put encoded words in quotes.
  encodeNamesBy(root, (name) => (looksEncoded(name) ? wordsOf(name) : null))
  bracketAddresses(root)
  return entity === null ? mimeText(root) : withEntity(root, entity)
}

/** The maximum size, in characters and bytes, of a message that is composed without a pause for other work. */
const maxUnbroken = 64_000

const sizeOf = ({ attachments, html, text }: MessageDraft): number =>
  attachments.reduce((sum, { content }) => sum + content.byteLength, (html ?? text ?? "").length)

/** Lets calls that have arrived in the meantime be handled. */
const pause = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const sign = async (raw: Buffer, signers: ReadonlyArray<DkimSigner>, at: number): Promise<Uint8Array> => {
  const signatures = await dkimSignatures(raw, signers, at)
  return signatures === "" ? raw : Buffer.concat([Buffer.from(signatures, "latin1"), raw])
}

/** The cache key of a sealed private key. */
const cacheKey = (signing: SigningKey): string => `${dkimPurpose(signing)}\0${signing.sealedKey}`

/** Composes messages in this process. Keys are opened once. */
export const layer: Layer.Layer<MessageComposer, never, SecretBox> = Layer.effect(
  MessageComposer,
  Effect.gen(function* () {
    const secrets = yield* SecretBox
    const keys = yield* Cache.makeWith(
      (key: string) => {
        const separator = key.indexOf("\0")
        return Effect.map(secrets.open(key.slice(separator + 1), key.slice(0, separator)), createPrivateKey)
      },
      { capacity: maxKeys, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
    )

    /** A key that is ready for signing; null if it was sealed with another secret key. */
    const signerOf = (signing: SigningKey): Effect.Effect<DkimSigner | null> => {
      const { algorithm, domain, selector } = signing
      return Cache.get(keys, cacheKey(signing)).pipe(
        Effect.map((key) => ({ domain, selector, algorithm, key })),
        // The domain's other key still signs the message. If there is none, the message is sent like that of a new domain.
        Effect.catch(() =>
          Effect.as(Effect.logError(`The DKIM key ${selector} of ${domain} does not open`), null)
        )
      )
    }

    const compose = Effect.fnUntraced(function* (draft: MessageDraft) {
      if (sizeOf(draft) > maxUnbroken) yield* pause
      const signers = yield* Effect.forEach(draft.signWith, signerOf)
      return yield* Effect.promise(async () =>
        sign(
          build(draft),
          signers.filter((signer) => signer !== null),
          draft.date
        )
      )
    })

    return MessageComposer.of({
      compose: (drafts) => Effect.forEach(drafts, compose, { concurrency: 8 }),
      signedMessageId: (header, by) => Effect.sync(() => signedMessageId(header, by))
    })
  })
)
