/**
 * Handles the management endpoints of single contacts.
 *
 * @module
 */
import { Effect } from "effect"
import { ContactLinks } from "../../../core/audience/pages/ContactLinks.ts"
import { Contacts } from "../../../core/audience/contacts/Contacts.ts"
import { ConfirmationEmails } from "../../../core/sending/emails/ConfirmationEmails.ts"
import { DoubleOptIn } from "../../../core/audience/pages/DoubleOptIn.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeConsent } from "../audience/contacts.ts"
import { encodeContact } from "../public/contacts.ts"
import { managerOf, requireConfirmation } from "../edge/permit.ts"
import { accepted, ok } from "../edge/reply.ts"
import { withWrittenNumbers } from "../../../core/shared/Json.ts"
import { isTrue, listed } from "../edge/lists.ts"
import { bind, type Call } from "../edge/Route.ts"

/** The maximum number of contacts that a call erases. */
const maxErasures = 1_000
/** How many contacts a transaction erases. Other writers of the account wait for the transaction. */
const erasedAtOnce = 100

/** The filters of a list of contacts. */
export const toFilter = ({
  suppressed,
  ...filters
}: Call<(typeof ManagementApi.groups.people.endpoints)["list"]>["query"]) => ({
  ...filters,
  suppressed: isTrue(suppressed)
})

/** The routes of a person's consent history, timeline, and links to hosted pages. */
export const peopleRoutes = Effect.gen(function* () {
  const confirmations = yield* ConfirmationEmails
  const contacts = yield* Contacts
  const links = yield* ContactLinks
  const doubleOptIn = yield* DoubleOptIn
  const erasure = yield* Erasure
  const segments = yield* Segments
  return bind(ManagementApi.groups.people, {
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* segments.find(account.id, toFilter(query), page), encodeContact))
    }),
    consentHistory: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(listed(page, yield* contacts.consentHistory(account.id, params.id, page), encodeConsent))
    }),
    devices: ({ account, params }) =>
      Effect.map(contacts.devices(account.id, params.id), (found) =>
        ok({
          items: found.map(({ lastSeenAt, ...device }) => ({
            ...device,
            lastSeenAt: formatDateTime(lastSeenAt)
          }))
        })
      ),
    topics: ({ account, params }) =>
      Effect.map(contacts.topics(account.id, params.id), (items) => ok({ items })),
    timeline: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(
        listed(
          page,
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
    askToConfirm: Effect.fnUntraced(function* ({ account, actor, params }) {
      const { confirm, consentStatus } = yield* doubleOptIn.ask(account.id, params.id, actor)
      return ok({ consentStatus, confirm })
    }),
    sendConfirmation: Effect.fnUntraced(function* ({ account, actor, params }) {
      return accepted(yield* confirmations.send(account.id, params.id, actor))
    }),
    links: Effect.fnUntraced(function* ({ account, params }) {
      const contact = yield* contacts
        .get(account.id, params.id)
        .pipe(Effect.catchTag("Problem", () => Effect.fail(Problem.of("common.not_found"))))
      return ok(yield* links.make({ accountId: account.id, contactId: contact.id, email: contact.email }))
    }),
    erase: Effect.fnUntraced(function* ({ account, actor, caller, payload }) {
      const { contactIds } = payload
      if (contactIds.length > 1) yield* requireConfirmation(yield* managerOf(caller))
      if (contactIds.length > maxErasures) {
        return yield* Problem.of("validation.max_length", "contactIds", { max: maxErasures })
      }
      const ids = [...new Set(contactIds.filter(isUuid).map((id) => id.toLowerCase()))]
      if (ids.length > 1) yield* requireConfirmation(yield* managerOf(caller))
      let erased = 0
      for (let from = 0; from < ids.length; from += erasedAtOnce) {
        const some = ids.slice(from, from + erasedAtOnce)
        erased += (yield* erasure.eraseMany(account.id, some, actor)).length
      }
      return ok({ erased })
    })
  })
})
