/**
 * Decides in which ways an account's mail is sent: directly, or through the relays that its setting `delivery` names, with
 * their current settings.
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

/** The maximum number of relays whose opened secrets are cached. */
const maxKnown = 10_000

/** A relay that can be used. */
interface UsableRelay {
  readonly relay: MailRelay
  readonly endpoint: RelayEndpoint
  readonly success: "Accepted" | "Sent"
}

/** A relay as last read. `usable` is null if its secrets cannot be opened. */
interface KnownRelay {
  readonly secrets: string
  readonly usable: UsableRelay | null
}

/** A way in which mail can be sent, independent of a message. */
export type Way = { readonly _tag: "Direct" } | ({ readonly _tag: "Relay" } & UsableRelay)

/** The ways of an account's mail. */
export type Ways =
  /** The account has chosen none, so the installation's own way applies. */
  | { readonly _tag: "Default" }
  /** The chosen ways in order; empty if none of them can be used. */
  | { readonly _tag: "Chosen"; readonly ways: ReadonlyArray<Way> }

const byDefault: Ways = { _tag: "Default" }

/** Decides the ways in which mail is sent. */
export interface Routing {
  /** Reads the relays that the accounts name, in one statement, so that a change of a relay applies from the next batch on. */
  readonly refresh: (accounts: ReadonlyArray<Account>) => Effect.Effect<void, Unavailable>
  /** The ways of an account's mail in a stream, with the relays as last read. */
  readonly waysOf: (account: Account, stream: RelayStream) => Ways
  /** The ways of a message, with the reference that each relay returns in its reports. */
  readonly routesOf: (ways: ReadonlyArray<Way>, reference: string) => ReadonlyArray<MessageRoute>
}

/** Decides the ways in which mail is sent. Without its layer, all mail is sent in the installation's own way. */
export const RelayRouting = Context.Reference<Routing>("svc/sending/RelayRouting", {
  defaultValue: () => ({ refresh: () => Effect.void, waysOf: () => byDefault, routesOf: () => [] })
})

/** Decides the ways with the stored relays. */
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
        // Secrets that have not changed are not opened again.
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
