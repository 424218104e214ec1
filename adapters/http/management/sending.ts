/**
 * The operator's handlers of domains and suppressions.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { SendingDomain } from "../../../core/model/Domain.ts"
import { Domains } from "../../../core/sending/domains/Domains.ts"
import type { Suppression } from "../../../core/model/Suppression.ts"
import { Suppressions } from "../../../core/sending/suppressions/Suppressions.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

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
        Effect.map(domains.verify(id, params["id"] ?? "", managementActor), (domain) =>
          ok(encodeDomain(domain))
        )
      ),
    rotateDkim: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(domains.rotate(id, params["id"] ?? "", managementActor), (domain) =>
          ok(encodeDomain(domain))
        )
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
