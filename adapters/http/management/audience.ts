/**
 * Handles the management endpoints of single contacts.
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
import { ok } from "../edge/reply.ts"
import { withWrittenNumbers } from "../../../core/shared/Json.ts"
import { bind } from "../edge/Route.ts"

/** A person's consent history and timeline, and links to the person's hosted pages. */
export const peopleRoutes = Effect.gen(function* () {
  const contacts = yield* Contacts
  const links = yield* ContactLinks
  const doubleOptIn = yield* DoubleOptIn
  return bind(ManagementApi.groups.people, {
    consentHistory: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(
        mapPage(
          yield* contacts.consentHistory(account.id, params.id, page),
          ({ at, basis, from, proof, source, to }) => ({
            from,
            to,
            basis,
            proof: proof === null ? null : { ...proof, givenAt: dateTimeOrNull(proof.givenAt) },
            source,
            at: formatDateTime(at)
          })
        )
      )
    }),
    timeline: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(
        mapPage(
          yield* contacts.timeline(account.id, params.id, page),
          ({ name, occurredAt, properties, source }) => ({
            name,
            occurredAt: formatDateTime(occurredAt),
            properties: withWrittenNumbers(properties),
            source
          })
        )
      )
    }),
    askToConfirm: Effect.fnUntraced(function* ({ account, params }) {
      return ok(yield* doubleOptIn.ask(account.id, params.id, managementActor))
    }),
    links: Effect.fnUntraced(function* ({ account, params }) {
      const contact = yield* contacts
        .get(account.id, params.id)
        .pipe(Effect.catchTag("Problem", () => Effect.fail(Problem.of("common.not_found"))))
      return ok(yield* links.make({ accountId: account.id, contactId: contact.id, email: contact.email }))
    })
  })
})
