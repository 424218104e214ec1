/**
 * The mail servers of a simulated internet, drawn from a seed: each misbehaves in a way of its own until it recovers.
 *
 * @module
 */
import type { SmtpStage } from "../../core/sending/shaping/SmtpReply.ts"
import type { Random } from "../contract/fixtures.ts"

/** An attempt to hand a message over. */
export interface Offer {
  readonly deliveryId: string
  readonly recipient: string
  /** The domain that signed it. */
  readonly sender: string
  readonly subject: string
  /** Milliseconds since the beginning of the course. */
  readonly at: number
}

/** What a server does with an offer: it accepts, rejects at a stage, or loses the connection before or after the last byte. */
export type Reaction =
  | "Accept"
  | "Unreachable"
  | "Lost"
  | { readonly after: "LastByte"; readonly isAccepted: boolean }
  | readonly [stage: SmtpStage, reply: string]

/** Decides over an offer. `count` is how many offers the server got within the last minute. */
type Behaviour = (offer: Offer, count: number) => Reaction

const minute = 60_000
const hour = 60 * minute

/** When no server misbehaves any longer, milliseconds. */
export const recoveredAt = 36 * hour

/** The sender whose mail the servers dislike. */
export const careless = "careless.example"

/** What some servers refuse in a subject. */
export const forbidden = "Miracle cure"

/** The address that a directory does not know: one of ten. */
export const isUnknown = (recipient: string): boolean => /^p\d*0@/.test(recipient)

const during =
  (from: number, until: number, trouble: Behaviour): Behaviour =>
  (offer, count) =>
    offer.at >= from && offer.at < until ? trouble(offer, count) : "Accept"

/** Makes a kind of server, with times and limits from the seed. */
type MakeBehaviour = (random: Random) => Behaviour

/** A time of trouble that begins within the first day and ends before the recovery. */
const spell = ({ below }: Random): readonly [from: number, until: number] => {
  const from = below(12 * 60) * minute
  return [from, from + (1 + below(23)) * hour]
}

const greylist: MakeBehaviour = ({ pick }) => {
  const words = pick([
    "451 4.7.1 Greylisted, please try again in 5 minutes",
    "450 try again later",
    "451 4.3.0 temporarily deferred"
  ])
  const seen = new Map<string, number>()
  return ({ at, recipient, sender }) => {
    const key = `${sender} ${recipient}`
    const first = seen.get(key) ?? at
    seen.set(key, first)
    return at - first >= 5 * minute ? "Accept" : ["Rcpt", words]
  }
}

const rateLimit: MakeBehaviour = ({ below, pick }) => {
  const most = 2 + below(6)
  const words = pick([
    "421 4.7.28 Our system has detected an unusual rate of unsolicited mail",
    "421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume",
    "452 4.5.3 too many messages in this session"
  ])
  return (_offer, count) => (count > most ? ["Rcpt", words] : "Accept")
}

/**
 * The kinds of servers (docs/delivery.md "Servers that the tests simulate"). All of them accept mail once they have recovered,
 * but the directory, which goes on knowing its addresses alone.
 */
export const kinds = {
  plain: () => () => "Accept",
  greylist,
  rateLimit,
  blockSource: (random) => {
    const words = random.pick([
      "550 5.7.1 Service unavailable; client host blocked using Spamhaus",
      "550 5.7.606 Access denied, banned sending IP",
      "554 5.7.1 Your IP is on our block list (S3150)"
    ])
    return during(...spell(random), () => ["Mail", words])
  },
  blockSender: (random) => {
    const words = random.pick([
      "550 5.7.26 This mail has been blocked because the sender is unauthenticated",
      "550 5.7.515 Access denied, sending domain does not meet the required authentication level"
    ])
    return during(...spell(random), ({ sender }) => (sender === careless ? ["Message", words] : "Accept"))
  },
  policyMute: (random) =>
    during(...spell(random), ({ sender }) =>
      sender === careless ? ["Message", "550 5.7.1 Message rejected due to local policy"] : "Accept"
    ),
  content:
    () =>
    ({ subject }) =>
      subject.startsWith(forbidden) ? ["Message", "554 5.6.0 Message content rejected"] : "Accept",
  directory: ({ pick }) => {
    const words = pick(["550 5.1.1 User unknown", "550 5.4.1 Recipient address rejected: Access denied"])
    return ({ recipient }) => (isUnknown(recipient) ? ["Rcpt", words] : "Accept")
  },
  full: (random) => during(...spell(random), () => ["Rcpt", "452 4.2.2 Mailbox full"]),
  refuser: (random) => {
    const reaction = random.pick<Reaction>([
      "Unreachable",
      ["Connect", "554 No SMTP service here"],
      ["Connect", "421 4.3.2 Service not available, try again later"]
    ])
    return during(...spell(random), () => reaction)
  },
  dying: (random) => {
    const { below } = random
    return during(...spell(random), () => {
      const draw = below(10)
      return draw < 6 ? "Lost" : draw < 8 ? "Accept" : { after: "LastByte", isAccepted: draw === 8 }
    })
  },
  twoFaced: (random) => during(...spell(random), () => ["Message", "451 4.7.1 Try again later"])
} as const satisfies Readonly<Record<string, MakeBehaviour>>

export type Kind = keyof typeof kinds

/** A server, and what it got. */
export class Server {
  readonly kind: Kind
  readonly domain: string
  /** Its address. */
  readonly site: string
  readonly accepted = new Set<string>()
  readonly #behaviour: Behaviour
  readonly #recent: Array<number> = []

  constructor(kind: Kind, domain: string, site: string, random: Random) {
    this.kind = kind
    this.domain = domain
    this.site = site
    this.#behaviour = kinds[kind](random)
  }

  /** What it does with an offer. */
  react(offer: Offer): Reaction {
    while (this.#recent.length > 0 && this.#recent[0]! <= offer.at - minute) this.#recent.shift()
    this.#recent.push(offer.at)
    const isLasting = this.kind === "directory" || this.kind === "content"
    if (offer.at >= recoveredAt && !isLasting) return "Accept"
    return this.#behaviour(offer, this.#recent.length)
  }
}
