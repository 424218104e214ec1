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
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** The fields of `feedback` as they are shown: whether a secret one is set, and the text of others. */
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
  const encode = (relay: MailRelay) => ({
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
    feedbackUrl: relay.kind === "Smtp" ? null : `${baseUrl()}/ingest/v1/relays/${relay.id}/feedback`,
    lastReportAt: dateTimeOrNull(relay.lastReportAt),
    createdAt: formatDateTime(relay.createdAt)
  })
  return { encode, relays }
})

/** The installation's relays. */
export const relaysRoutes = Effect.map(makeRoutes, ({ encode, relays }) =>
  bind(ManagementApi.groups.relays, {
    create: ({ actor, payload }) =>
      Effect.map(relays.create(null, payload, actor), (relay) => created(encode(relay))),
    list: ({ page }) => Effect.map(relays.list(null, page), (found) => ok(listed(page, found, encode))),
    get: ({ params }) => Effect.map(relays.get(null, params.id), (relay) => ok(encode(relay))),
    change: ({ actor, params, payload }) =>
      Effect.map(relays.change(null, params.id, payload, actor), (relay) => ok(encode(relay))),
    remove: ({ actor, params }) => Effect.as(relays.remove(null, params.id, actor), ok(null)),
    check: ({ actor, params }) => Effect.map(relays.check(null, params.id, actor), ok)
  })
)

/** Companies' relays. */
export const companyRelaysRoutes = Effect.map(makeRoutes, ({ encode, relays }) =>
  bind(ManagementApi.groups.companyRelays, {
    create: ({ actor, company, payload }) =>
      Effect.map(relays.create(company.id, payload, actor), (relay) => created(encode(relay))),
    list: ({ company, page }) =>
      Effect.map(relays.list(company.id, page), (found) => ok(listed(page, found, encode))),
    get: ({ company, params }) => Effect.map(relays.get(company.id, params.id), (relay) => ok(encode(relay))),
    change: ({ actor, company, params, payload }) =>
      Effect.map(relays.change(company.id, params.id, payload, actor), (relay) => ok(encode(relay))),
    remove: ({ actor, company, params }) => Effect.as(relays.remove(company.id, params.id, actor), ok(null)),
    check: ({ actor, company, params }) => Effect.map(relays.check(company.id, params.id, actor), ok)
  })
)
