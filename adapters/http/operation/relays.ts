/**
 * Handles the management endpoints of relays.
 *
 * @module
 */
import { Effect } from "effect"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { MailRelay } from "../../../core/model/MailRelay.ts"
import { feedbackOfKind, secretNames } from "../../../core/sending/relays/FeedbackSettings.ts"
import { Relays } from "../../../core/sending/relays/Relays.ts"
import type { Unreported } from "../../../core/sending/relays/Unreported.ts"
import type { Problem, Unavailable } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { type ListCall, listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** The fields of `feedback` in a response: for a secret, whether it is set; for other fields, the value. */
interface ShownFeedback {
  readonly topicArn?: string | null
  readonly configurationSet?: string | null
  readonly publicKey?: string | null
  readonly signingKey?: boolean
  readonly secret?: boolean
  readonly username?: string | null
  readonly password?: boolean
}

const feedbackOf = ({ feedback, feedbackSecrets, kind }: MailRelay): ShownFeedback =>
  Object.fromEntries(
    feedbackOfKind(kind).map((name) => [
      name,
      secretNames.has(name) ? feedbackSecrets.includes(name) : (feedback[name] ?? null)
    ])
  ) as ShownFeedback

const makeRoutes = Effect.gen(function* () {
  const relays = yield* Relays
  const { baseUrl } = yield* PublicEndpoint
  const encode = (unreported: ReadonlyMap<string, Unreported>) => (relay: MailRelay) => ({
    id: relay.id,
    name: relay.name,
    kind: relay.kind,
    url: relay.shownUrl,
    streams: relay.streams,
    maxPerSecond: relay.maxPerSecond,
    dailyLimit: relay.dailyLimit,
    shared: relay.shared,
    feedback: feedbackOf(relay),
    state: relay.state,
    stateReason: relay.stateReason,
    words: relay.words,
    lastRefusal:
      relay.lastRefusal === null
        ? null
        : { at: formatDateTime(relay.lastRefusal.at), words: relay.lastRefusal.words },
    feedbackUrl: relay.kind === "Smtp" ? null : `${baseUrl()}/ingest/v1/relays/${relay.id}/feedback`,
    lastReportAt: dateTimeOrNull(relay.lastReportAt),
    unreported: unreported.get(relay.id) ?? null,
    createdAt: formatDateTime(relay.createdAt)
  })
  const shown = (relay: MailRelay) =>
    Effect.map(relays.unreported([relay]), (unreported) => encode(unreported)(relay))
  return {
    relays,
    answer: (found: Effect.Effect<MailRelay, Problem | Unavailable>) =>
      Effect.map(Effect.flatMap(found, shown), ok),
    /** Encodes a new relay, which has no unreported mail yet. */
    answerCreated: (made: Effect.Effect<MailRelay, Problem | Unavailable>) =>
      Effect.map(made, (relay) => created(encode(new Map())(relay))),
    listOf: Effect.fnUntraced(function* (companyId: string | null, page: ListCall) {
      const found = yield* relays.list(companyId, page)
      return ok(listed(page, found, encode(yield* relays.unreported(found.items))))
    })
  }
})

/** The installation's relays. */
export const relaysRoutes = Effect.map(makeRoutes, ({ answer, answerCreated, listOf, relays }) =>
  bind(ManagementApi.groups.relays, {
    create: ({ actor, payload }) => answerCreated(relays.create(null, payload, actor)),
    list: ({ page }) => listOf(null, page),
    get: ({ params }) => answer(relays.get(null, params.id)),
    change: ({ actor, params, payload }) => answer(relays.change(null, params.id, payload, actor)),
    remove: ({ actor, params }) => Effect.as(relays.remove(null, params.id, actor), ok(null)),
    check: ({ actor, params }) => Effect.map(relays.check(null, params.id, actor), ok)
  })
)

/** Companies' relays. */
export const companyRelaysRoutes = Effect.map(makeRoutes, ({ answer, answerCreated, listOf, relays }) =>
  bind(ManagementApi.groups.companyRelays, {
    create: ({ actor, company, payload }) => answerCreated(relays.create(company.id, payload, actor)),
    list: ({ company, page }) => listOf(company.id, page),
    shared: () =>
      Effect.map(relays.shared, (found) =>
        ok({
          items: found.map(({ id, kind, name, state, streams }) => ({ id, name, kind, streams, state }))
        })
      ),
    get: ({ company, params }) => answer(relays.get(company.id, params.id)),
    change: ({ actor, company, params, payload }) =>
      answer(relays.change(company.id, params.id, payload, actor)),
    remove: ({ actor, company, params }) => Effect.as(relays.remove(company.id, params.id, actor), ok(null)),
    check: ({ actor, company, params }) => Effect.map(relays.check(company.id, params.id, actor), ok)
  })
)
