/**
 * The operator's handlers of events.
 *
 * @module
 */
import { Effect } from "effect"
import { type EventStatus, eventStatuses, type EventSummary } from "../../../core/model/Event.ts"
import { Events } from "../../../core/events/Events.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { catalogue, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, isStorable } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { pageOfQuery, type Query, textOf } from "../edge/Query.ts"
import { bind, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

const encodeEvent = ({ failure, occurredAt, ...event }: EventSummary) => ({
  ...event,
  occurredAt: formatDateTime(occurredAt),
  failure: failure === null ? null : { code: failure, message: catalogue[failure].message }
})

/** `name`, `status` and `contactId`; validation.format. */
const filterOf = (query: Query) => {
  const name = textOf(query, "name")
  if (name !== null && !isStorable(name)) return Problem.of("validation.format", "name")
  const status = textOf(query, "status")
  if (status !== null && !(eventStatuses as ReadonlyArray<string>).includes(status)) {
    return Problem.of("validation.format", "status")
  }
  const contactId = textOf(query, "contactId")
  if (contactId !== null && !isUuid(contactId)) return Problem.of("validation.format", "contactId")
  return { name, status: status as EventStatus | null, contactId: contactId?.toLowerCase() ?? null }
}

/** Events. */
export const managedEventsRoutes = Effect.gen(function* () {
  const events = yield* Events
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.managedEvents, {
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const filter = yield* asEffect(filterOf(query))
      const page = yield* asEffect(pageOfQuery(query))
      return ok(mapPage(yield* events.list(id, filter, page), encodeEvent))
    })
  })
})
