/**
 * The MessageComposer port by nodemailer's composer, and signatures of our own: nodemailer's signer knows no Ed25519.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import MailComposer from "nodemailer/lib/mail-composer/index.js"
import { createPrivateKey, type KeyObject } from "node:crypto"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SecretBox } from "../../core/ports/SecretBox.ts"
import { dkimPurpose, type SigningKey } from "../../core/model/Domain.ts"
import type { MessageDraft } from "../../core/model/Message.ts"
import type { Mailbox } from "../../core/shared/Mailbox.ts"
import { type DkimSigner, dkimSignatures } from "./Dkim.ts"
import { mimeText, withCrlf } from "./MimeText.ts"

/** Keys kept open; with this many, the one that was opened first goes. */
const maxKeys = 5000

const address = ({ email, name }: Mailbox) => ({ address: email, name: name ?? "" })

const build = (draft: MessageDraft): Buffer => {
  const composer = new MailComposer({
    from: address(draft.from),
    to: draft.to.map(address),
    cc: draft.cc.map(address),
    ...(draft.replyTo === null ? {} : { replyTo: address(draft.replyTo) }),
    subject: draft.subject,
    messageId: `<${draft.messageId}>`,
    date: new Date(draft.date),
    headers: draft.headers.map(({ name, value }) => ({ key: name, value })),
    ...(draft.html === null ? {} : { html: withCrlf(draft.html) }),
    ...(draft.text === null ? {} : { text: withCrlf(draft.text) }),
    attachments: draft.attachments.map(({ content, contentId, contentType, filename }) => ({
      filename,
      contentType,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      encoding: "base64",
      ...(contentId === null ? {} : { cid: contentId, contentDisposition: "inline" as const })
    })),
    // What a tenant sends is data: the composer shall neither read files nor fetch URLs for it.
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return mimeText(composer.compile())
}

const sign = async (raw: Buffer, signers: ReadonlyArray<DkimSigner>, at: number): Promise<Uint8Array> => {
  const signatures = await dkimSignatures(raw, signers, at)
  return signatures === "" ? raw : Buffer.concat([Buffer.from(signatures, "latin1"), raw])
}

/** Composes messages in process; keys are opened once. */
export const layer: Layer.Layer<MessageComposer, never, SecretBox> = Layer.effect(
  MessageComposer,
  Effect.gen(function* () {
    const secrets = yield* SecretBox
    const opened = new Map<string, KeyObject>()

    /** A key ready to sign with; null when it was sealed with another secret key. */
    const signerOf = Effect.fnUntraced(
      function* (signing: SigningKey) {
        const { algorithm, domain, sealedKey, selector } = signing
        const known = opened.get(sealedKey)
        if (known !== undefined) return { domain, selector, algorithm, key: known } satisfies DkimSigner
        const key = createPrivateKey(yield* secrets.open(sealedKey, dkimPurpose(signing)))
        if (opened.size >= maxKeys)
          for (const first of opened.keys()) {
            opened.delete(first)
            break
          }
        opened.set(sealedKey, key)
        return { domain, selector, algorithm, key } satisfies DkimSigner
      },
      // The domain's other key still vouches for the message, and without any it goes as that of a new domain would.
      (effect, { domain, selector }) =>
        Effect.catch(effect, () =>
          Effect.as(Effect.logError(`The DKIM key ${selector} of ${domain} does not open`), null)
        )
    )

    const compose = Effect.fnUntraced(function* (draft: MessageDraft) {
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
      compose: (drafts) => Effect.forEach(drafts, compose, { concurrency: 8 })
    })
  })
)
