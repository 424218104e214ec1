/**
 * Relays: servers, of providers or of the operator, that accept mail for any recipient.
 *
 * @module
 */
import { relayProviders } from "./RelayReport.ts"

/** The kinds of relays: a provider whose reports are read, or any server. */
export const relayKinds = ["Smtp", ...relayProviders] as const
export type RelayKind = (typeof relayKinds)[number]

/** The streams of email for which a relay can be used. */
export const relayStreams = ["Transactional", "Marketing"] as const
export type RelayStream = (typeof relayStreams)[number]

/** `Failing` means that the relay rejected its last connection, its login or the whole account. */
export const relayStates = ["Active", "Failing"] as const
export type RelayState = (typeof relayStates)[number]

/** A relay. */
export interface MailRelay {
  readonly id: string
  /** The company whose mail it accepts; null for a relay of the installation. */
  readonly companyId: string | null
  readonly name: string
  readonly kind: RelayKind
  /** The URL in the form that is shown, with `***` instead of its password. */
  readonly shownUrl: string
  /** Sealed: the URL, and the secrets of `feedback` by name. */
  readonly secrets: string
  readonly streams: ReadonlyArray<RelayStream>
  /** The most messages per second, and per UTC day; null for no limit. */
  readonly maxPerSecond: number | null
  readonly dailyLimit: number | null
  /** Whether companies may use it; only for relays of the installation. */
  readonly shared: boolean
  /** The values, other than secrets, with which its reports are verified, by name. */
  readonly feedback: Readonly<Record<string, string>>
  /** The names of those secrets of `feedback` that are set. */
  readonly feedbackSecrets: ReadonlyArray<string>
  readonly state: RelayState
  /** The reason of `Failing`; null for none. */
  readonly stateReason: RelayStateReason | null
  /** The relay's reply when it failed; null for none. */
  readonly words: string | null
  /** When it last rejected the whole account, for example because of its quota or a suspension; null before. */
  readonly lastRefusal: RelayRefusal | null
  /** When its last verified report arrived, epoch milliseconds; null before. */
  readonly lastReportAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A relay's reply that rejected the whole account. */
export interface RelayRefusal {
  /** Epoch milliseconds. */
  readonly at: number
  readonly words: string | null
}

/** The state of a relay, which changes with its use. */
export type RelayCondition = Pick<MailRelay, "state" | "stateReason" | "words">

/** Why a relay is `Failing`. */
export const relayStateReasons = [
  "relays.unreachable",
  "relays.tls_failed",
  "relays.login_failed",
  "relays.account_refused"
] as const
export type RelayStateReason = (typeof relayStateReasons)[number]

/** The sealed values of a relay. */
export interface RelaySecrets {
  /** The URL, including its password. */
  readonly url: string
  /** The secrets of its reports, by name. */
  readonly feedback: Readonly<Record<string, string>>
}

/** The server of a relay, and how to connect to it. */
export interface RelayEndpoint {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** Encryption from the first byte, by STARTTLS (required), or by STARTTLS if the server offers it. */
  readonly tls: "Implicit" | "Required" | "Offered"
  /** Whether its certificate must be valid for its name. */
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
  /** The server's reply, or why there was none: at most 500 characters. */
  readonly words: string
  /** Milliseconds. */
  readonly ms: number
}

/** The ports on which a company's relay may be connected to. */
export const relayPorts: ReadonlyArray<number> = [25, 465, 587, 2465, 2525, 2587]

/** The purpose with which SecretBox seals the secrets of a relay. */
export const relayPurpose = (id: string): string => `relay ${id}`
