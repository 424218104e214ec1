/**
 * Handles the management endpoints of shaping.
 *
 * @module
 */
import { Effect } from "effect"
import { KnownProviders, type ProviderTable } from "../../../core/sending/shaping/Providers.ts"
import { parseReply } from "../../../core/sending/shaping/SmtpReply.ts"
import { concernOf } from "../../../core/sending/shaping/SuspensionRules.ts"
import { classify } from "../../../core/sending/shaping/Classify.ts"
import { laneRuleNames, type LaneOverride, type LaneRules } from "../../../core/model/Lane.ts"
import { laneWithoutSource, sourceOfLane } from "../../../core/model/Source.ts"
import { maxRule, timeoutBounds } from "../../../core/sending/shaping/Providers.ts"
import {
  type Named,
  type Notice,
  ShapingControl,
  type ShownLane
} from "../../../core/sending/shaping/ShapingControl.ts"
import { Issues, Problem } from "../../../core/shared/Problem.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { checkText, formatDateTime, parseDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { isTrue, listed, only } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** The destination of a lane, a provider of the table or a site, and its source; null for a part the lane does not name. */
export const placeOf = (table: ProviderTable, lane: string) => {
  const provider = table.ofLane(lane)
  const site = laneWithoutSource(lane)
  const isSite = provider === null ? site.startsWith("ip:") : site !== provider.key
  return { provider: provider?.key ?? null, site: isSite ? site : null, source: sourceOfLane(lane) }
}

/** The code of a server's reply; null if the notice is not a reply. */
const codeOf = ({ cause, words }: Notice): number | null =>
  cause === "Operator" ? null : parseReply(words).code || null

const encodeNotice =
  (table: ProviderTable) =>
  ({ resolvedAt, ...notice }: Notice) => ({
    id: notice.id,
    lane: notice.lane,
    ...placeOf(table, notice.lane),
    accountId: notice.accountId,
    domain: notice.sender,
    cause: notice.cause,
    scope: concernOf(notice),
    code: codeOf({ resolvedAt, ...notice }),
    action: notice.action,
    rule: notice.rule,
    words: notice.words,
    remedy: notice.remedy,
    help: notice.help,
    since: formatDateTime(notice.since),
    until: formatDateTime(notice.until),
    resolvedAt: dateTimeOrNull(resolvedAt),
    held: notice.held,
    state: resolvedAt === null ? ("Open" as const) : ("Resolved" as const)
  })

const encodeOverride = ({ reason, rules, until }: LaneOverride) => ({
  ...rules,
  until: dateTimeOrNull(until),
  reason
})

const encodeLane =
  (table: ProviderTable) =>
  ({ held, lane, oldest, pausedUntil, rate, width }: ShownLane) => ({
    id: lane.lane,
    ...placeOf(table, lane.lane),
    width,
    inUse: lane.leases.reduce((sum, { places }) => sum + places, 0),
    leases: lane.leases.map(({ expiresAt, node, places }) => ({
      node,
      places,
      expiresAt: formatDateTime(expiresAt)
    })),
    rate,
    pausedUntil: dateTimeOrNull(pausedUntil),
    strikes: lane.strikes,
    learnedAt: formatDateTime(lane.changedAt),
    held,
    oldest: dateTimeOrNull(oldest),
    override: lane.override === null ? null : encodeOverride(lane.override)
  })

const tlsKind = ({ isRequired, policy }: { readonly isRequired: boolean; readonly policy: string }) => ({
  kind:
    policy === "tlsa"
      ? ("Dane" as const)
      : policy === "sts"
        ? ("Sts" as const)
        : isRequired
          ? ("Required" as const)
          : ("Offered" as const),
  policy: policy === "no-policy-found" ? null : policy
})

/** The rules of an override. Fails with validation.required if there are none, and validation.format if one is out of range. */
const rulesOf = (given: Partial<LaneRules>): Effect.Effect<Partial<LaneRules>, Problem> => {
  const rules = Object.fromEntries(
    laneRuleNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  ) as Partial<LaneRules>
  if (Object.keys(rules).length === 0) return Problem.of("validation.required", "maxWidth")
  for (const [name, value] of Object.entries(rules))
    if (typeof value === "number" && (value < 1 || value > maxRule))
      return Problem.of("validation.format", name, null, { expected: `1 to ${maxRule}` })
  const { maximum, minimum } = timeoutBounds
  for (const [name, value] of Object.entries(rules.timeouts ?? {}))
    if (value < minimum || value > maximum)
      return Problem.of("validation.format", `timeouts.${name}`, null, {
        expected: `${minimum} to ${maximum}`
      })
  return Effect.succeed(rules)
}

/** An optional time. Fails with validation.format if it is not a time. */
const timeOf = (text: string | null, field: string): Effect.Effect<number | null, Problem> => {
  const at = text === null ? null : parseDateTime(text)
  return text !== null && at === null
    ? Problem.of("validation.format", field, null, { expected: "a time, such as 2026-01-31T12:00:00Z" })
    : Effect.succeed(at)
}

/** The targets that a call names. Fails with validation.format if an account's id is invalid. */
const namedOf = (given: { readonly [Key in keyof Named]?: string | null }): Effect.Effect<Named, Problem> => {
  const accountId = given.accountId?.toLowerCase() ?? null
  if (accountId !== null && !isUuid(accountId))
    return Problem.of("validation.format", "accountId", null, { expected: "the id of an account" })
  return Effect.succeed({
    provider: given.provider ?? null,
    site: given.site ?? null,
    domain: given.domain ?? null,
    source: given.source ?? null,
    accountId
  })
}

/** The maximum length of an operator's reason, in characters. */
const maxReason = 500

/** The trimmed reason. Fails with validation.required if it is empty, validation.format or validation.max_length. */
const reasonOf = (given: string): Effect.Effect<string, Problem> => {
  const issues = new Issues()
  const reason = checkText(given, "reason", maxReason, issues)
  if (reason === "") issues.add("validation.required", "reason")
  return Effect.fromResult(issues.result(reason))
}

/** The routes of shaping: how replies are interpreted, and which mail is held. */
export const shapingRoutes = Effect.gen(function* () {
  const shaping = yield* ShapingControl
  const table = yield* KnownProviders
  const encode = encodeNotice(table)
  return bind(ManagementApi.groups.shaping, {
    classify: Effect.fnUntraced(function* ({ payload: { provider = null, reply, stage } }) {
      return ok(yield* Effect.fromResult(classify(table, reply, stage, provider)))
    }),
    notices: Effect.fnUntraced(function* ({ page, query: { accountId, lane, provider, state } }) {
      const wanted = only(state)
      const open = wanted === null ? null : wanted === "Open"
      const filter = { open, lane, provider, accountId }
      return ok(listed(page, yield* shaping.notices(filter, page), encode))
    }),
    explain: Effect.fnUntraced(function* ({ query: { accountId = null, to } }) {
      const { lastReplies, next, notices, pause, provider, shared, sources, tls, ...found } =
        yield* shaping.explain(to, accountId)
      const source = shared === null ? null : sourceOfLane(shared.lane.lane)
      const warmed = sources.find(
        (one) => one.source.warmUp !== null && (source ?? one.source.address) === one.source.address
      )
      return ok({
        ...found,
        provider: provider?.key ?? null,
        site: placeOf(table, found.lane ?? "").site,
        source,
        pause: pause === null ? null : { until: formatDateTime(pause.until), words: pause.words },
        warmUp:
          warmed?.group == null || warmed.source.warmUp === null
            ? null
            : { day: warmed.source.warmUp.day, cap: warmed.group.cap ?? 0, sent: warmed.group.sent },
        shared: shared === null ? null : encodeLane(table)(shared),
        tls: tls === null ? null : tlsKind(tls),
        sources: sources.map(({ group, heldUntil, source: { address, pool, state, warmUp } }) => ({
          address,
          pool,
          state,
          heldUntil: dateTimeOrNull(heldUntil),
          sent: group?.sent ?? null,
          warmUp: warmUp === null || group === null ? null : { day: warmUp.day, cap: group.cap ?? 0 }
        })),
        notices: notices.map(encode),
        lastReplies: lastReplies.map(({ action, rule, since, words }) => ({
          at: formatDateTime(since),
          words,
          action,
          rule
        })),
        next: dateTimeOrNull(next)
      })
    }),
    lanes: Effect.fnUntraced(function* ({ page, query: { paused, provider, site, source } }) {
      const names = provider === null && site === null ? null : [...(provider ?? []), ...(site ?? [])]
      return ok(listed(page, yield* shaping.lanes(names, isTrue(paused), page, source), encodeLane(table)))
    }),
    providers: Effect.fnUntraced(function* ({ page, query: { q, state } }) {
      const wanted = only(state)
      const found = yield* shaping.providers(q ?? "", page, wanted === null ? null : wanted === "Paused")
      return ok(
        listed(page, found, ({ isPaused, provider: { help, key, name }, ...shown }) => ({
          key,
          name,
          help,
          rules: shown.rules,
          lanes: shown.lanes,
          held: shown.held,
          deferredPerMinute: shown.deferred,
          deliveredPerMinute: shown.delivered,
          paused: isPaused
        }))
      )
    }),
    override: Effect.fnUntraced(function* ({
      actor,
      params: { target },
      payload: { reason, until = null, ...given }
    }) {
      const input = {
        rules: yield* rulesOf(given),
        until: yield* timeOf(until, "until"),
        reason: yield* reasonOf(reason)
      }
      const { override } = yield* shaping.override(target, input, actor)
      return ok(encodeOverride(override ?? input))
    }),
    removeOverride: Effect.fnUntraced(function* ({ actor, params: { target } }) {
      yield* shaping.removeOverride(target, actor)
      return ok(null)
    }),
    suspend: Effect.fnUntraced(function* ({ actor, payload: { reason, until = null, ...given } }) {
      const end = until === null ? null : parseDateTime(until)
      if (until !== null && end === null) return yield* Problem.of("shaping.until_invalid", "until")
      const named = yield* namedOf(given)
      return created(encode(yield* shaping.suspend(named, end, yield* reasonOf(reason), actor)))
    }),
    resume: Effect.fnUntraced(function* ({ actor, payload: { noticeId = null, reason = null, ...given } }) {
      const why = reason === null ? null : yield* reasonOf(reason)
      const resumed =
        noticeId === null
          ? yield* shaping.resume(yield* namedOf(given), actor, why)
          : yield* shaping.resumeNotice(noticeId, actor, why)
      return ok({ resumed })
    }),
    flush: Effect.fnUntraced(function* ({ actor, payload: { reason = null, ...given } }) {
      const why = reason === null ? null : yield* reasonOf(reason)
      return ok({ released: yield* shaping.flush(yield* namedOf(given), actor, why) })
    }),
    bounce: Effect.fnUntraced(function* ({
      actor,
      payload: { confirm, olderThan = null, reason, ...given }
    }) {
      const why = yield* reasonOf(reason)
      const before = yield* timeOf(olderThan, "olderThan")
      const named = yield* namedOf(given)
      return ok({ ended: yield* shaping.bounce(named, why, confirm, before, actor) })
    })
  })
})
