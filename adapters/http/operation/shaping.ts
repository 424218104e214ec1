/**
 * Handles the management endpoints of shaping.
 *
 * @module
 */
import { Effect } from "effect"
import { classify } from "../../../core/sending/shaping/Classify.ts"
import { type Named, type Notice, ShapingControl } from "../../../core/sending/shaping/ShapingControl.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, parseDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeNotice = ({ resolvedAt, ...notice }: Notice) => ({
  id: notice.id,
  lane: notice.lane,
  accountId: notice.accountId,
  domain: notice.sender,
  cause: notice.cause,
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

const namedOf = (given: { readonly [Key in keyof Named]?: string | null }): Named => ({
  provider: given.provider ?? null,
  site: given.site ?? null,
  domain: given.domain ?? null,
  accountId: given.accountId ?? null
})

/** The longest reason that an operator gives. */
const maxReason = 500

/** The reason without white space around it; validation.required without one, validation.max_length. */
const reasonOf = (text: string): Effect.Effect<string, Problem> => {
  const reason = text.trim()
  if (reason === "") return Problem.of("validation.required", "reason")
  return reason.length > maxReason
    ? Problem.of("validation.max_length", "reason", { max: maxReason })
    : Effect.succeed(reason)
}

/** What replies mean, and which mail is held. */
export const shapingRoutes = Effect.gen(function* () {
  const shaping = yield* ShapingControl
  return bind(ManagementApi.groups.shaping, {
    classify: Effect.fnUntraced(function* ({ payload: { provider = null, reply, stage } }) {
      return ok(yield* Effect.fromResult(classify(reply, stage, provider)))
    }),
    notices: Effect.fnUntraced(function* ({ page, query: { account, lane, state } }) {
      const open = state === undefined ? null : state === "Open"
      const filter = { open, lane: lane ?? null, accountId: account ?? null }
      return ok(listed(page, yield* shaping.notices(filter, page), encodeNotice))
    }),
    explain: Effect.fnUntraced(function* ({ query: { account = null, to } }) {
      const { domain, lane, notices, provider } = yield* shaping.explain(to, account)
      return ok({ domain, provider: provider?.key ?? null, lane, notices: notices.map(encodeNotice) })
    }),
    suspend: Effect.fnUntraced(function* ({ actor, payload: { reason, until = null, ...given } }) {
      const end = until === null ? null : parseDateTime(until)
      if (until !== null && end === null) return yield* Problem.of("shaping.until_invalid", "until")
      return created(
        encodeNotice(yield* shaping.suspend(namedOf(given), end, yield* reasonOf(reason), actor))
      )
    }),
    resume: Effect.fnUntraced(function* ({ actor, payload: { noticeId = null, ...given } }) {
      const resumed =
        noticeId === null
          ? yield* shaping.resume(namedOf(given), actor)
          : yield* shaping.resumeNotice(noticeId, actor)
      return ok({ resumed })
    }),
    flush: Effect.fnUntraced(function* ({ actor, payload }) {
      return ok({ released: yield* shaping.flush(namedOf(payload), actor) })
    }),
    bounce: Effect.fnUntraced(function* ({ actor, payload: { confirm, reason, ...given } }) {
      const why = yield* reasonOf(reason)
      return ok({ ended: yield* shaping.bounce(namedOf(given), why, confirm, actor) })
    })
  })
})
