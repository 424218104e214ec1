/**
 * The MessageComposer port by nodemailer's composer.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import MailComposer from "nodemailer/lib/mail-composer/index.js"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import type { MessageDraft } from "../../core/sending/Message.ts"
import type { Mailbox } from "../../core/shared/Mailbox.ts"

const address = ({ email, name }: Mailbox) => ({ address: email, name: name ?? "" })

const compose = (draft: MessageDraft): Promise<Uint8Array> =>
  new MailComposer({
    from: address(draft.from),
    to: draft.to.map(address),
    cc: draft.cc.map(address),
    subject: draft.subject,
    messageId: `<${draft.messageId}>`,
    date: new Date(draft.date),
    ...(draft.html === null ? {} : { html: draft.html }),
    ...(draft.text === null ? {} : { text: draft.text }),
    // What a tenant sends is data: the composer shall neither read files nor fetch URLs for it.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n"
  })
    .compile()
    .build()

/** Composes messages in process. */
export const layer = Layer.succeed(MessageComposer, {
  compose: (drafts) => Effect.promise(() => Promise.all(drafts.map(compose)))
})
