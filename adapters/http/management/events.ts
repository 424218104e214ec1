/**
 * Handles the management endpoints of reported events.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { EventSummary } from "../../../core/model/Event.ts"
import { Events } from "../../../core/events/Events.ts"
import { catalogue } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { permitConsent } from "../audience/contacts.ts"
import { rejectedElements } from "../edge/Batch.ts"
import { ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

/** An event as lists show it. */
export const encodeEvent = ({ failure, occurredAt, ...event }: EventSummary) => ({
  ...event,
  occurredAt: formatDateTime(occurredAt),
  failure: failure === null ? null : { code: failure, message: catalogue[failure].message }
})

/** Events. */
export const managedEventsRoutes = Effect.gen(function* () {
  const events = yield* Events
  return bind(ManagementApi.groups.managedEvents, {
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* events.list(account.id, query, page), encodeEvent))
    }),
    accept: Effect.fnUntraced(function* ({ account, caller, payload }) {
      yield* permitConsent(caller, account, payload.contact ?? {})
      const { accepted, duplicates, rejected } = yield* events.accept(
        account.id,
        [Result.succeed(payload)],
        "Ui"
      )
      return ok({ accepted, duplicates, rejected: rejectedElements(rejected) })
    })
  })
})
