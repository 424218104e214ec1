/**
 * The mail servers of a simulated internet, derived from a seed. Each misbehaves in its own way until it recovers.
 *
 * @module
 */
import type { SmtpStage } from "../../core/sending/shaping/SmtpReply.ts"
import type { Random } from "../contract/fixtures.ts"

/** An attempt to transmit a message. */
export interface Offer {
  readonly recipient: string
  /** The signing domain. */
  readonly sender: string
  /** Empty before the message itself has arrived. */
  readonly subject: string
  /** Milliseconds since the beginning of the simulation. */
  readonly at: number
}

/** A server's reaction to an offer. */
export type Reaction =
  | "Accept"
  /** Accepts it after a while. */
  | "Slow"
  /** Does not reply before the last byte. */
  | "Silent"
  /** Accepts no connection. */
  | "Unreachable"
  /** Loses the connection before the last byte. */
  | "Lost"
  /** The name server fails. */
  | "NoName"
  /** Offers no encryption, or the certificate of another server. */
  | "Untrusted"
  | { readonly after: "LastByte"; readonly isAccepted: boolean }
  | readonly [stage: SmtpStage, reply: string]

/** Decides about an offer. `count` is the number of offers that the server has received within the last minute. */
type Behaviour = (offer: Offer, count: number) => Reaction

const minute = 60_000
const hour = 60 * minute

/** When the last server recovers, in milliseconds. */
export const recoveredAt = 36 * hour

/** The sender whose mail the servers dislike. */
export const careless = "careless.example"

/** A text in the subject that some servers reject. */
export const forbidden = "Miracle cure"

/** Whether an address is unknown to a directory: one in ten is. */
export const isUnknown = (recipient: string): boolean => /^p\d*0@/.test(recipient)

const during =
  (from: number, until: number, trouble: Behaviour): Behaviour =>
  (offer, count) =>
    offer.at >= from && offer.at < until ? trouble(offer, count) : "Accept"

/** Makes the behaviour of a kind of server, with times and limits from the seed. */
type MakeBehaviour = (random: Random) => Behaviour

/** A period of trouble that begins within the first day and ends before the recovery. */
const spell = ({ below }: Random, longest = 23): readonly [from: number, until: number] => {
  const from = below(12 * 60) * minute
  return [from, from + (1 + below(longest)) * hour]
}

const greylist: MakeBehaviour = ({ pick }) => {
  const words = pick([
    "451 4.7.1 Greylisted, please try again in 5 minutes",
    "450 try again later",
    "451 4.3.0 temporarily deferred",
    "550 5.7.1 Message greylisted, try again later"
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

const always =
  (reaction: Reaction): MakeBehaviour =>
  () =>
  () =>
    reaction

const untrusted: MakeBehaviour = (random) => during(...spell(random), () => "Untrusted")

/**
 * The kinds of servers (docs/delivery.md "Servers that the tests simulate"). All of them accept mail once they have recovered,
 * except those in `lasting`.
 */
export const kinds = {
  plain: always("Accept"),
  slow: always("Slow"),
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
  tarpit: (random) => during(...spell(random, 4), () => "Silent"),
  dying: (random) => {
    const { below } = random
    return during(...spell(random), () => {
      const draw = below(10)
      return draw < 6 ? "Lost" : draw < 8 ? "Accept" : { after: "LastByte", isAccepted: draw === 8 }
    })
  },
  twoFaced: (random) => during(...spell(random, 4), () => ["Message", "451 4.7.1 Try again later"]),
  /** Any name below its domain has a mail server with that name, all on one address. */
  wildcard: always("Accept"),
  /** Has 500 mail servers with the same preference. */
  manyNames: always("Accept"),
  nullMx: always(["Rcpt", "556 5.1.10 Domain does not accept mail"]),
  /** Its mail server has the service's own name. */
  loop: always(["Rcpt", "554 5.4.6 Routing loop detected"]),
  noName: (random) => during(...spell(random), () => "NoName"),
  /** Enforces MTA-STS. */
  sts: untrusted,
  /** Has TLSA records. */
  dane: untrusted,
  /** Accepts everything, and reports later. */
  reporter: always("Accept"),
  /** Accepts everything, and people and machines open the mail and follow its links. */
  reader: always("Accept")
} as const satisfies Readonly<Record<string, MakeBehaviour>>

export type Kind = keyof typeof kinds

/** The kinds that never recover. */
const lasting: ReadonlySet<Kind> = new Set(["content", "directory", "loop", "nullMx"])

/** The stage at which a server decides about an offer. Others decide once they know the recipient. */
export const decidesAt: Readonly<Partial<Record<Kind, SmtpStage>>> = {
  refuser: "Connect",
  blockSource: "Mail",
  content: "Message"
}

/** A server, with what it has received. */
export class Server {
  readonly kind: Kind
  readonly domain: string
  /** Its address. */
  readonly site: string
  /** The recipients of messages that it accepted, with the time, and of messages whose connection it lost after the last byte. */
  readonly accepted = new Map<string, number>()
  readonly unknown = new Set<string>()
  /** The recipients of messages that arrived again although it may have accepted them. */
  readonly repeated: Array<string> = []
  /** The recipients of messages that arrived without the required encryption. */
  readonly exposed: Array<string> = []
  readonly #behaviour: Behaviour
  readonly #recent: Array<number> = []

  constructor(kind: Kind, domain: string, site: string, random: Random) {
    this.kind = kind
    this.domain = domain
    this.site = site
    this.#behaviour = kinds[kind](random)
  }

  /** Its reaction to an offer, as far as the offer is known. */
  react(offer: Offer): Reaction {
    while (this.#recent.length > 0 && this.#recent[0]! <= offer.at - minute) this.#recent.shift()
    this.#recent.push(offer.at)
    if (offer.at >= recoveredAt && !lasting.has(this.kind)) return this.kind === "slow" ? "Slow" : "Accept"
    return this.#behaviour(offer, this.#recent.length)
  }

  /** Whether it is in trouble at a time, as far as that depends on nothing else. */
  isTroubled(at: number): boolean {
    return at < recoveredAt && this.#behaviour({ recipient: "", sender: "", subject: "", at }, 0) !== "Accept"
  }

  /** Records the last byte of a message, and its result. */
  got(recipient: string, at: number, end: "Accepted" | "Rejected" | "Unknown"): void {
    if (this.accepted.has(recipient) || this.unknown.has(recipient)) this.repeated.push(recipient)
    if (end === "Accepted") this.accepted.set(recipient, at)
    if (end === "Unknown") this.unknown.add(recipient)
  }
}

/** The servers for a seed, with `copies` of each kind, each with its own domain and address. */
export const serversOf = (random: Random, copies = 2): ReadonlyMap<string, Server> =>
  new Map(
    (Object.keys(kinds) as Array<Kind>).flatMap((kind, index) =>
      Array.from({ length: copies }, (_, copy) => {
        const domain = `${kind.toLowerCase()}${copy}.test`
        return [domain, new Server(kind, domain, `127.${1 + copy}.0.${index + 1}`, random)] as const
      })
    )
  )

/** The domain of an address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** The server of a domain, or of a name below it. */
export const serverFor = (servers: ReadonlyMap<string, Server>, domain: string): Server | undefined =>
  servers.get(domain) ?? servers.get(domain.slice(domain.indexOf(".") + 1))
