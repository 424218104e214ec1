/**
 * The operator's handlers of domains, suppressions, emails and the sandbox inbox.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/Audit.ts"
import { InboxStore, type InboxMessage } from "../../../core/ports/InboxStore.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../../core/sending/DeliveryStatus.ts"
import type { SendingDomain } from "../../../core/sending/Domain.ts"
import { Domains } from "../../../core/sending/Domains.ts"
import { Emails } from "../../../core/sending/Emails.ts"
import type { Suppression } from "../../../core/sending/Suppression.ts"
import { Suppressions } from "../../../core/sending/Suppressions.ts"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../api/ManagementApi.ts"
import { dateTimeOrNull } from "../Encode.ts"
import { encodeSubmission } from "../handlers/sending.ts"
import { pageOfQuery, type Query, textOf } from "../Query.ts"
import { bind, created, document, ok } from "../Route.ts"
import { asEffect, makeAccountGate } from "./AccountGate.ts"

const encodeDomain = ({ domain, id, records, status, verifiedAt }: SendingDomain) => ({
  id,
  domain,
  status,
  records,
  verifiedAt: dateTimeOrNull(verifiedAt)
})

const encodeSuppression = ({ createdAt, email, kind }: Suppression) => ({
  email,
  kind,
  createdAt: formatDateTime(createdAt)
})

const encodeMessage = (message: InboxMessage) => ({
  id: message.id,
  submissionId: message.submissionId,
  to: message.to,
  from: { email: message.fromEmail, name: message.fromName },
  subject: message.subject,
  html: message.html,
  text: message.text,
  receivedAt: formatDateTime(message.receivedAt)
})

/** Sending domains. */
export const domainsRoutes = Effect.gen(function* () {
  const domains = yield* Domains
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.domains, {
    add: ({ params, payload }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(domains.add(id, payload.domain, managementActor), (domain) =>
          created(encodeDomain(domain))
        )
      ),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* domains.list(id, yield* asEffect(pageOfQuery(query))), encodeDomain))
    }),
    verify: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(domains.verify(id, params["id"] ?? ""), (domain) => ok(encodeDomain(domain)))
      ),
    remove: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.as(domains.remove(id, params["id"] ?? "", managementActor), ok(null))
      )
  })
})

/** The suppression list. */
export const suppressionsRoutes = Effect.gen(function* () {
  const suppressions = yield* Suppressions
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.suppressions, {
    add: ({ params, payload }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(suppressions.add(id, payload.email, payload.kind, managementActor), (entry) =>
          created(encodeSuppression(entry))
        )
      ),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* suppressions.list(id, yield* asEffect(pageOfQuery(query))), encodeSuppression))
    }),
    remove: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.as(suppressions.remove(id, params["email"] ?? "", managementActor), ok(null))
      )
  })
})

/** `status` and `to`; validation.format, validation.email. */
const filterOf = (query: Query) => {
  const status = textOf(query, "status")
  if (status !== null && !(deliveryStatuses as ReadonlyArray<string>).includes(status)) {
    return Problem.of("validation.format", "status")
  }
  const to = textOf(query, "to")
  const email = to === null ? null : parseEmail(to)
  if (to !== null && email === null) return Problem.of("validation.email", "to")
  return { status: status as DeliveryStatus | null, to: email }
}

/** Emails and the sandbox inbox; a live account has no inbox. */
export const emailsRoutes = Effect.gen(function* () {
  const emails = yield* Emails
  const inbox = yield* InboxStore
  const gate = yield* makeAccountGate
  const sandbox = (params: Parameters<typeof gate>[0]) =>
    Effect.flatMap(gate(params), (account) =>
      account.mode === "Sandbox" ? Effect.succeed(account) : Effect.fail(Problem.of("common.not_found"))
    )
  const found = <A>(value: A | null) =>
    value === null ? Effect.fail(Problem.of("common.not_found")) : Effect.succeed(value)
  return bind(ManagementApi.groups.emails, {
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const filter = yield* asEffect(filterOf(query))
      return ok(
        mapPage(yield* emails.list(id, filter, yield* asEffect(pageOfQuery(query))), encodeSubmission)
      )
    }),
    inbox: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* sandbox(params)
      return ok(mapPage(yield* inbox.list(id, yield* asEffect(pageOfQuery(query))), encodeMessage))
    }),
    inboxMessage: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* sandbox(params)
      return ok(encodeMessage(yield* found(yield* inbox.get(id, params["id"] ?? ""))))
    }),
    inboxRaw: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* sandbox(params)
      return document("message/rfc822", yield* found(yield* inbox.raw(id, params["id"] ?? "")))
    })
  })
})
