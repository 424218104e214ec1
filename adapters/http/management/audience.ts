/**
 * The operator's handlers of people.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { ContactLinks } from "../../../core/audience/pages/ContactLinks.ts"
import { Contacts } from "../../../core/audience/contacts/Contacts.ts"
import { DoubleOptIn } from "../../../core/audience/pages/DoubleOptIn.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate, type Params } from "./requireAccount.ts"

/** The gate has seen that it is an id. */
const idOf = (params: Params): string => (params["id"] ?? "").toLowerCase()

/** A person's consent history and timeline, and links to the person's hosted pages. */
export const peopleRoutes = Effect.gen(function* () {
  const contacts = yield* Contacts
  const links = yield* ContactLinks
  const doubleOptIn = yield* DoubleOptIn
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.people, {
    consentHistory: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const request = yield* asEffect(pageOfQuery(query))
      const page = yield* contacts.consentHistory(id, idOf(params), request)
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
    }),
    timeline: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const request = yield* asEffect(pageOfQuery(query))
      const page = yield* contacts.timeline(id, idOf(params), request)
      return ok(
        mapPage(page, ({ name, occurredAt, properties, source }) => ({
          name,
          occurredAt: formatDateTime(occurredAt),
          properties,
          source
        }))
      )
    }),
    askToConfirm: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(yield* doubleOptIn.ask(id, idOf(params), managementActor))
    }),
    links: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      const reference = idOf(params)
      const contact = yield* contacts
        .get(id, reference)
        .pipe(Effect.catchTag("Problem", () => Effect.fail(Problem.of("common.not_found"))))
      return ok(yield* links.make({ accountId: id, contactId: contact.id }))
    })
  })
})
