/**
 * Decides by which ways the mail of an account leaves: the relays that its setting `delivery` names, as they are now.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { type Account, relayOfWay } from "../../model/Account.ts"
import type { MailRelay, RelayEndpoint, RelayStream } from "../../model/MailRelay.ts"
import type { MessageRoute } from "../../model/Message.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { deepEqual } from "../../shared/Json.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { isReporting } from "./FeedbackSettings.ts"
import { referenceHeaders } from "./RelayHeaders.ts"
import { feedbackValues } from "./RelayRules.ts"
import { openSecrets } from "./RelaySecrets.ts"
import { parseRelayUrl } from "./RelayUrl.ts"

/** The most relays whose secrets are kept open. */
const maxKnown = 10_000

/** A relay that can be used. */
interface UsableRelay {
  readonly relay: MailRelay
  readonly endpoint: RelayEndpoint
  readonly success: "Accepted" | "Sent"
}

/** A relay as it was read last; null in `usable` for one whose secrets cannot be opened. */
interface KnownRelay {
  readonly secrets: string
  readonly usable: UsableRelay | null
}

/** A way of mail, before it is a message's. */
export type Way = { readonly _tag: "Direct" } | ({ readonly _tag: "Relay" } & UsableRelay)

/** The ways of an account's mail. */
export type Ways =
  /** The account has chosen none. */
  | { readonly _tag: "Default" }
  /** In order; empty where none of those that the account chose can be used. */
  | { readonly _tag: "Chosen"; readonly ways: ReadonlyArray<Way> }

const byDefault: Ways = { _tag: "Default" }

/** Decides the ways of mail. */
export interface Routing {
  /** Reads the relays that the accounts name, in one statement, so that a change of one counts from the next batch on. */
  readonly refresh: (accounts: ReadonlyArray<Account>) => Effect.Effect<void, Unavailable>
  /** The ways of an account's mail in a stream, by the relays that were read last. */
  readonly waysOf: (account: Account, stream: RelayStream) => Ways
  /** The ways of a message, with what each relay gives back in its reports. */
  readonly routesOf: (ways: ReadonlyArray<Way>, reference: string) => ReadonlyArray<MessageRoute>
}

/** Relays as ways of mail; without its layer all mail takes the installation's own. */
export const RelayRouting = Context.Reference<Routing>("svc/sending/RelayRouting", {
  defaultValue: () => ({ refresh: () => Effect.void, waysOf: () => byDefault, routesOf: () => [] })
})

/** The ways by the relays that are stored. */
export const relayRoutingLayer = Layer.effect(
  RelayRouting,
  Effect.gen(function* () {
    const store = yield* RelayStore
    const box = yield* SecretBox
    const { takesReports } = yield* PublicEndpoint
    const known = new Map<string, KnownRelay>()

    const open = Effect.fnUntraced(function* (relay: MailRelay) {
      const secrets = yield* openSecrets(box, relay)
      if (secrets === null) return null
      const parsed = parseRelayUrl(secrets.url, relay.companyId === null ? "Installation" : "Company")
      if (parsed === null) return null
      const reports =
        isReporting(relay.kind, feedbackValues(relay, secrets)) || (relay.kind === "Smtp" && takesReports)
      return { endpoint: parsed.endpoint, success: reports ? "Accepted" : "Sent" } as const
    })

    const refresh = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>) {
      const named = new Set(
        accounts.flatMap(({ settings: { delivery } }) =>
          [...(delivery?.transactional ?? []), ...(delivery?.marketing ?? [])].flatMap(
            (way) => relayOfWay(way) ?? []
          )
        )
      )
      if (named.size === 0) return
      const found = new Map((yield* store.find([...named])).map((relay) => [relay.id, relay]))
      if (known.size > maxKnown) known.clear()
      for (const id of named) {
        const relay = found.get(id)
        if (relay === undefined) {
          known.delete(id)
          continue
        }
        const before = known.get(id)
        // Nothing is opened again that has not changed.
        const isUnchanged =
          before?.secrets === relay.secrets &&
          before.usable !== null &&
          deepEqual(before.usable.relay.feedback, relay.feedback)
        const opened = isUnchanged ? before.usable : yield* open(relay)
        known.set(id, {
          secrets: relay.secrets,
          usable: opened === null ? null : { relay, endpoint: opened.endpoint, success: opened.success }
        })
      }
    })

    const wayOf = (way: string, { companyId }: Account, stream: RelayStream): ReadonlyArray<Way> => {
      const id = relayOfWay(way)
      if (id === null) return [{ _tag: "Direct" }]
      const usable = known.get(id)?.usable ?? null
      if (usable === null || !usable.relay.streams.includes(stream)) return []
      const { relay } = usable
      const mayUse = relay.companyId === null ? relay.shared : relay.companyId === companyId
      return mayUse ? [{ _tag: "Relay", ...usable }] : []
    }

    return {
      refresh,
      waysOf: (account, stream) => {
        const { delivery } = account.settings
        const chosen = (stream === "Transactional" ? delivery?.transactional : delivery?.marketing) ?? null
        return chosen === null
          ? byDefault
          : { _tag: "Chosen", ways: chosen.flatMap((way) => wayOf(way, account, stream)) }
      },
      routesOf: (ways, reference) =>
        ways.map((way): MessageRoute =>
          way._tag === "Direct"
            ? way
            : {
                _tag: "Relay",
                ...way.endpoint,
                id: way.relay.id,
                isGuarded: way.relay.companyId !== null,
                success: way.success,
                maxPerSecond: way.relay.maxPerSecond,
                headers: referenceHeaders(
                  way.relay.kind,
                  reference,
                  way.relay.feedback["configurationSet"] ?? null
                )
              }
        )
    }
  })
)
