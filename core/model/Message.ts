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

/** The parts of which a message is composed, without the Bcc recipients, whom no recipient may see. */
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
  /** The DKIM keys with which it is signed (relaxed/relaxed); empty for an unsigned message. */
  readonly signWith: ReadonlyArray<SigningKey>
}

/** A relay as a message's route: its server, and the properties that distinguish it from other routes. */
export interface RelayRoute extends RelayEndpoint {
  readonly _tag: "Relay"
  readonly id: string
  /** Whether a tenant chose its server. Then it is connected to only if the AddressGuard permits it. */
  readonly isGuarded: boolean
  /** The outcome of a message that it accepted, which depends on whether it reports later. */
  readonly success: "Accepted" | "Sent"
  /** The most messages per second; null for no limit. */
  readonly maxPerSecond: number | null
  /** Headers that the relay reads and removes. It returns them in its reports. */
  readonly headers: ReadonlyArray<ExtraHeader>
}

/** A message's route: through a relay, or directly to the recipient's servers. */
export type MessageRoute = RelayRoute | { readonly _tag: "Direct" }

/** The name of a relay's lane. */
export const relayLaneOf = (id: string): string => `relay:${id}`

/** The id of the relay to which a lane belongs; null for any other lane. */
export const relayOfLane = (lane: string): string | null =>
  lane.startsWith("relay:") ? lane.slice("relay:".length) : null

/** The kinds of mail, by descending priority among messages that are due at the same time. */
export const mailClasses = ["Transactional", "Flow", "Campaign"] as const

/** A kind of mail. */
export type MailClass = (typeof mailClasses)[number]

/** The kind of an email, from its marketing data. */
export const mailClassOf = (marketing: { readonly campaign?: unknown } | null): MailClass =>
  marketing === null ? "Transactional" : marketing.campaign === undefined ? "Flow" : "Campaign"

/**
 * Whether mail of kind `one` waits for mail of kind `other` that is due at the same time or earlier. It does if `one` has the same
 * or a lower priority.
 */
export const isBehind = (one: MailClass, other: MailClass): boolean =>
  mailClasses.indexOf(other) <= mailClasses.indexOf(one)

/** The part of a capacity that campaigns may use. The rest is left for all other mail. */
export const campaignShare = 0.8

/** A message with the envelope of one recipient. */
export interface OutboundMessage {
  readonly deliveryId: string
  readonly submissionId: string
  readonly accountId: string
  /** The envelope sender, to which delivery reports are sent. */
  readonly returnPath: string
  /** The envelope recipient. */
  readonly recipient: string
  readonly from: Mailbox
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The complete signed message, RFC 5322. */
  readonly raw: Uint8Array
  /** The number of attempts before this one. */
  readonly attempts: number
  /** The kind of mail; transactional by default. */
  readonly mailClass?: MailClass
  /** Whether it is sent only over encrypted connections. */
  readonly requireTls?: boolean
  /** Whether it is sent regardless of the domain's encryption policy: a report of failed encryption (RFC 8460, 3). */
  readonly ignoresTlsPolicy?: boolean
  /** The routes that the account chose for it, in order of preference; absent or empty for the installation's own. */
  readonly routes?: ReadonlyArray<MessageRoute>
}

/** The most replies of a conversation that are stored. */
export const maxReplies = 20

/** The SMTP conversation of an attempt, stored for the operator. */
export interface Conversation {
  /** The server's name and address; null if no connection was made. */
  readonly host: string | null
  /** The TLS version, such as `TLSv1.3`; null without encryption. */
  readonly tls: string | null
  /** The server's last replies, oldest first: at most 20, each of at most 500 characters. */
  readonly replies: ReadonlyArray<string>
  /**
   * Why there was no conversation, or why it was interrupted: a code such as `timeout` or `null_mx`; null if it ended normally.
   */
  readonly error: string | null
}

/**
 * The outcome of sending a message.
 *
 * - `Delivered`: the recipient's own server accepted it. `Complained` is the same with a complaint, which only the sandbox
 *   simulates.
 * - `Accepted`: a relay accepted it and reports later. `Sent`: a relay accepted it and never reports.
 * - `Deferred`: rejected temporarily, or no connection. `retryAfter` is the wait that the server stated, milliseconds.
 * - `Bounced`: the address is rejected permanently. `MailboxFull`: the mailbox currently accepts no more. `Refused`: the message
 *   or its sender is rejected permanently, or by a policy.
 * - `Unknown`: the connection was lost after the last byte and before the reply.
 * - `Held`: rejected for a reason that concerns the sender or its address, not the recipient; `answer` says which mail is held
 *   for it. No attempt is counted.
 * - `Busy`: not attempted, because the destination has reached its limit or its mail is held; may be attempted from `at` on.
 * - `Withdrawn`: not sent, because `pointOfNoReturn` returned false: another sender has the delivery, or it may no longer be
 *   sent.
 */
export type Outcome =
  | (Tried & { readonly _tag: "Delivered" })
  | { readonly _tag: "Complained" }
  | (Tried & { readonly _tag: "Accepted" })
  | (Tried & { readonly _tag: "Sent" })
  | (Tried & {
      readonly _tag: "Deferred"
      readonly retryAfter?: number
      /** The rejection shows nothing about the lane: it concerns the recipient's mailbox, or is greylisting. */
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
  /** The lane that it used: the key of a provider, or the addresses of a site; absent if no server was chosen. */
  readonly lane?: string
}

/** The most characters of a server's reply that are shown. */
const maxWords = 500

const address = /[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,255}/g

/** A server's reply in the form shown to operators: with masked addresses, and truncated. */
export const maskedWords = (words: string): string =>
  words.trim().replace(address, "<address>").slice(0, maxWords)

/** A rejection with consequences beyond its message. */
export interface Rejection {
  readonly answer: Answer
  /** The lane that would be suspended. */
  readonly lane: string
  /** The server's reply, at most 500 characters, with masked addresses. */
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

/** The outcome of an attempt; `Lost` if its sender died. */
export type AttemptOutcome = Exclude<Outcome["_tag"], "Busy" | "Withdrawn"> | "Lost"

/** An attempt to send a delivery, stored for the operator. All times are epoch milliseconds. */
export interface Attempt extends Conversation {
  readonly accountId: string
  readonly deliveryId: string
  /** The claim with which it was made. Together with the delivery it identifies the attempt. */
  readonly claim: number
  readonly startedAt: number
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
  /** The address from which it was sent; null if the system chose it. */
  readonly source: string | null
}
