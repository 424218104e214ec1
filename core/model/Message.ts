/**
 * An email message: its draft, its envelope, and the outcome of sending it.
 *
 * @module
 */
import type { Mailbox } from "../shared/Mailbox.ts"
import type { Answer } from "./Answer.ts"
import type { SigningKey } from "./Domain.ts"
import type { RelayEndpoint } from "./MailRelay.ts"
import type { Attachment, ExtraHeader } from "./Submission.ts"

/** What a message is composed of, without the Bcc recipients, which no recipient may see. */
export interface MessageDraft {
  readonly from: Mailbox
  readonly replyTo: Mailbox | null
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly attachments: ReadonlyArray<Attachment>
  readonly headers: ReadonlyArray<ExtraHeader>
  /** Without angle brackets. */
  readonly messageId: string
  /** Epoch milliseconds. */
  readonly date: number
  /** The DKIM keys that sign it (relaxed/relaxed); empty for an unsigned message. */
  readonly signWith: ReadonlyArray<SigningKey>
}

/** A relay as a message's way: its server, and what differs from other ways. */
export interface RelayRoute extends RelayEndpoint {
  readonly _tag: "Relay"
  readonly id: string
  /** Whether a tenant chose its server: then it is connected to only where the AddressGuard permits it. */
  readonly isGuarded: boolean
  /** The outcome of a message that it accepted: whether it reports later. */
  readonly success: "Accepted" | "Sent"
  /** The most messages a second; null for no limit. */
  readonly maxPerSecond: number | null
  /** Headers that the relay reads and removes: what it gives back in its reports. */
  readonly headers: ReadonlyArray<ExtraHeader>
}

/** A way of a message: by a relay, or to the recipient's own servers. */
export type MessageRoute = RelayRoute | { readonly _tag: "Direct" }

/** The name of a relay's lane. */
export const relayLaneOf = (id: string): string => `relay:${id}`

/** The id of the relay whose lane has a name; null for any other lane. */
export const relayOfLane = (lane: string): string | null =>
  lane.startsWith("relay:") ? lane.slice("relay:".length) : null

/** The kinds of mail, in the order in which those that are due at the same time are sent. */
export const mailClasses = ["Transactional", "Flow", "Campaign"] as const

/** A kind of mail. */
export type MailClass = (typeof mailClasses)[number]

/** The kind of an email, by the marketing that it is. */
export const mailClassOf = (marketing: { readonly campaign?: unknown } | null): MailClass =>
  marketing === null ? "Transactional" : marketing.campaign === undefined ? "Flow" : "Campaign"

/** Whether mail of a kind waits for mail of another kind that is due at the same time, or was before it. */
export const isBehind = (one: MailClass, other: MailClass): boolean =>
  mailClasses.indexOf(other) <= mailClasses.indexOf(one)

/** The part of a capacity that campaigns may use: the rest is left to all other mail. */
export const campaignShare = 0.8

/** A message with the envelope of one recipient. */
export interface OutboundMessage {
  readonly deliveryId: string
  readonly submissionId: string
  readonly accountId: string
  /** The envelope's sender, which gets the reports. */
  readonly returnPath: string
  /** The envelope's recipient. */
  readonly recipient: string
  readonly from: Mailbox
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The whole message, RFC 5322, signed. */
  readonly raw: Uint8Array
  /** Attempts made before this one. */
  readonly attempts: number
  /** Transactional unless given. */
  readonly mailClass?: MailClass
  /** Whether it goes over encrypted connections alone. */
  readonly requireTls?: boolean
  /** Whether it goes whatever the domain's policy of encryption says: a report of failed encryption (RFC 8460, 3). */
  readonly ignoresTlsPolicy?: boolean
  /** The ways that the account chose for it, in order; none for the installation's own. */
  readonly routes?: ReadonlyArray<MessageRoute>
}

/** The most replies of a conversation that are kept. */
export const maxReplies = 20

/** The SMTP conversation of an attempt, kept for the operator. */
export interface Conversation {
  /** The server's name and address; null when no connection was made. */
  readonly host: string | null
  /** The protocol of the encryption, such as `TLSv1.3`; null without. */
  readonly tls: string | null
  /** The server's last replies, oldest first: at most 20, each at most 500 characters. */
  readonly replies: ReadonlyArray<string>
  /** Why there was no conversation, or why it broke: a code such as `timeout` or `null_mx`; null when it ended normally. */
  readonly error: string | null
}

/**
 * The outcome of sending a message.
 *
 * - `Delivered`: the recipient's own server accepted it. `Complained` is the same with a complaint, which only the
 *   sandbox simulates.
 * - `Accepted`: a relay accepted it and reports later. `Sent`: a relay accepted it and never reports.
 * - `Deferred`: rejected temporarily, or no connection. `retryAfter` is the wait that the server stated,
 *   milliseconds.
 * - `Bounced`: the address is rejected permanently. `MailboxFull`: its mailbox takes no more for now. `Refused`: the message or its sender is rejected
 *   permanently, or a policy rejects it.
 * - `Unknown`: the connection broke after the last byte and before the reply.
 * - `Held`: rejected for a reason that concerns the sender or its address, not the recipient: `answer` says which mail is held
 *   for it. No attempt is counted.
 * - `Busy`: not attempted, because the destination has reached its limit or its mail is held; may be attempted from `at` on.
 * - `Withdrawn`: not sent, because `pointOfNoReturn` returned false: another sender has the delivery, or it may no longer
 *   be sent.
 */
export type Outcome =
  | (Tried & { readonly _tag: "Delivered" })
  | { readonly _tag: "Complained" }
  | (Tried & { readonly _tag: "Accepted" })
  | (Tried & { readonly _tag: "Sent" })
  | (Tried & {
      readonly _tag: "Deferred"
      readonly retryAfter?: number
      /** It says nothing of the lane: it concerns the recipient's mailbox, or is greylisting. */
      readonly isNeutral?: true
    })
  | (Tried & { readonly _tag: "Bounced" })
  | (Tried & { readonly _tag: "MailboxFull" })
  | (Tried & { readonly _tag: "Refused"; readonly rejection?: Rejection })
  | (Tried & {
      readonly _tag: "Held"
      readonly lane: string
      readonly rejection: Rejection
      readonly retryAfter?: number
    })
  | (Tried & { readonly _tag: "Unknown" })
  | {
      readonly _tag: "Busy"
      readonly at: number
      readonly hold?: Hold
    }
  | (Tried & { readonly _tag: "Withdrawn" })

/** What every attempt shows. */
export interface Tried {
  readonly conversation?: Conversation
  /** The lane it took: the key of a provider, or the addresses of a site; none where no server was chosen. */
  readonly lane?: string
}

/** The most characters of a server's words that are shown. */
const maxWords = 500

const address = /[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,255}/g

/** A server's words as the operator reads them: with addresses masked, and cut. */
export const maskedWords = (words: string): string =>
  words.trim().replace(address, "<address>").slice(0, maxWords)

/** A rejection whose meaning goes beyond its message. */
export interface Rejection {
  readonly answer: Answer
  /** The lane that a suspension would be of. */
  readonly lane: string
  /** The server's reply, at most 500 characters, with addresses masked. */
  readonly words: string
}

/** Why a message waits: the reason of its delivery, and the lane whose mail waits. */
export interface Hold {
  readonly reason:
    | "sending.retrying"
    | "sending.provider_held"
    | "sending.sender_held"
    | "sending.relay_unavailable"
    | "sending.warming_up"
  readonly lane: string
}

/** The outcome of an attempt; `Lost` when its sender died. */
export type AttemptOutcome = Exclude<Outcome["_tag"], "Busy" | "Withdrawn"> | "Lost"

/** An attempt to send a delivery, kept for the operator. All times are epoch milliseconds. */
export interface Attempt extends Conversation {
  readonly accountId: string
  readonly deliveryId: string
  /** The claim it was made with; with the delivery it identifies the attempt. */
  readonly claim: number
  readonly startedAt: number
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
  /** The address it left from; null where the system chose it. */
  readonly source: string | null
}
