/**
 * Relays: servers of providers, or of the operator's own, that take mail for any recipient.
 *
 * @module
 */
import { relayProviders } from "./RelayReport.ts"

/** The kinds of relays: a provider whose reports are read, or any server. */
export const relayKinds = ["Smtp", ...relayProviders] as const
export type RelayKind = (typeof relayKinds)[number]

/** The streams of email that a relay can be used for. */
export const relayStreams = ["Transactional", "Marketing"] as const
export type RelayStream = (typeof relayStreams)[number]

/** `Failing` is a relay that refused its last connection, its login or the whole account. */
export const relayStates = ["Active", "Failing"] as const
export type RelayState = (typeof relayStates)[number]

/** A relay. */
export interface MailRelay {
  readonly id: string
  /** The company whose mail it takes; null for one of the installation. */
  readonly companyId: string | null
  readonly name: string
  readonly kind: RelayKind
  /** The URL as it is shown: with `***` instead of its password. */
  readonly shownUrl: string
  /** Sealed: the URL, and the secrets of `feedback` by their names. */
  readonly secrets: string
  readonly streams: ReadonlyArray<RelayStream>
  /** The most messages a second, and a UTC day; null for no limit. */
  readonly maxPerSecond: number | null
  readonly dailyLimit: number | null
  /** Whether companies may use it; only of the installation's. */
  readonly shared: boolean
  /** What verifies its reports and is no secret, by name. */
  readonly feedback: Readonly<Record<string, string>>
  /** The names of the secrets of `feedback` that are set. */
  readonly feedbackSecrets: ReadonlyArray<string>
  readonly state: RelayState
  /** The reason of `Failing`; null for none. */
  readonly stateReason: RelayStateReason | null
  /** What the relay replied when it failed; null for none. */
  readonly words: string | null
  /** When it last refused the whole account, as for its quota or a suspension; null before. */
  readonly lastRefusal: RelayRefusal | null
  /** When its last verified report arrived, epoch milliseconds; null before. */
  readonly lastReportAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A relay's reply that refused the whole account. */
export interface RelayRefusal {
  /** Epoch milliseconds. */
  readonly at: number
  readonly words: string | null
}

/** The state of a relay, which its use changes. */
export type RelayCondition = Pick<MailRelay, "state" | "stateReason" | "words">

/** Why a relay is `Failing`. */
export const relayStateReasons = [
  "relays.unreachable",
  "relays.tls_failed",
  "relays.login_failed",
  "relays.account_refused"
] as const
export type RelayStateReason = (typeof relayStateReasons)[number]

/** What is sealed of a relay. */
export interface RelaySecrets {
  /** With its password. */
  readonly url: string
  /** The secrets of its reports, by name. */
  readonly feedback: Readonly<Record<string, string>>
}

/** The server of a relay, and how to connect to it. */
export interface RelayEndpoint {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** From the first byte, by STARTTLS or not at all, or by STARTTLS where the server offers it. */
  readonly tls: "Implicit" | "Required" | "Offered"
  /** Whether its certificate has to be valid for its name. */
  readonly verify: boolean
  readonly credentials: { readonly user: string; readonly pass: string } | null
  /** The most connections. */
  readonly pool: number
}

/** The steps of a check of a relay. */
export const relaySteps = ["Connect", "Tls", "Authenticate"] as const
export type RelayStep = (typeof relaySteps)[number]

/** A step of a check. */
export interface RelayStepResult {
  readonly step: RelayStep
  readonly ok: boolean
  /** What the server replied, or why there was no reply: at most 500 characters. */
  readonly words: string
  /** Milliseconds. */
  readonly ms: number
}

/** The ports to which a company's relay may be connected. */
export const relayPorts: ReadonlyArray<number> = [25, 465, 587, 2465, 2525, 2587]

/** The purpose with which SecretBox seals the secrets of a relay. */
export const relayPurpose = (id: string): string => `relay ${id}`
