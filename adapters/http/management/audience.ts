/**
 * The operator's handlers of people.
 *
 * @module
 */
import { Effect } from "effect"
import { Contacts } from "../../../core/audience/Contacts.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../api/ManagementApi.ts"
import { dateTimeOrNull } from "../Encode.ts"
import { pageOfQuery } from "../Query.ts"
import { bind, ok } from "../Route.ts"
import { asEffect, makeAccountGate } from "./AccountGate.ts"

/** A person's consent history. */
export const peopleRoutes = Effect.gen(function* () {
  const contacts = yield* Contacts
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.people, {
    consentHistory: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const request = yield* asEffect(pageOfQuery(query))
      const page = yield* contacts.consentHistory(id, params["id"] ?? "", request)
      return ok(
        mapPage(page, ({ at, basis, from, proof, source, to }) => ({
          from,
          to,
          basis,
          proof: proof === null ? null : { ...proof, givenAt: dateTimeOrNull(proof.givenAt) },
          source,
          at: formatDateTime(at)
        }))
      )
    })
  })
})
