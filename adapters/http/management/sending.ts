/**
 * Handles the management endpoints of sending domains and suppressions.
 *
 * @module
 */
import { Effect } from "effect"
import type { SendingDomain } from "../../../core/model/Domain.ts"
import { Alignment } from "../../../core/sending/alignment/Alignment.ts"
import { Domains } from "../../../core/sending/domains/Domains.ts"
import type { Suppression } from "../../../core/model/Suppression.ts"
import { Suppressions } from "../../../core/sending/suppressions/Suppressions.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeDomain = ({ domain, id, records, status, verifiedAt }: SendingDomain) => ({
  id,
  domain,
  status,
  records: records.map((record) => ({ ...record, seen: record.seen ?? [] })),
  verifiedAt: dateTimeOrNull(verifiedAt)
})

const encodeSuppression = ({ createdAt, email, kind, source }: Suppression) => ({
  email,
  kind,
  source,
  createdAt: formatDateTime(createdAt)
})

/** Sending domains. */
export const domainsRoutes = Effect.gen(function* () {
  const domains = yield* Domains
  const alignment = yield* Alignment
  return bind(ManagementApi.groups.domains, {
    add: ({ account, actor, payload }) =>
      Effect.map(domains.add(account.id, payload.domain, actor), (domain) => created(encodeDomain(domain))),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* domains.list(account.id, page), encodeDomain))
    }),
    verify: ({ account, actor, params }) =>
      Effect.map(domains.verify(account.id, params.id, actor), (domain) => ok(encodeDomain(domain))),
    rotateDkim: ({ account, actor, params }) =>
      Effect.map(domains.rotate(account.id, params.id, actor), (domain) => ok(encodeDomain(domain))),
    alignment: ({ account, query }) => Effect.map(alignment.check(account, query.domain), ok),
    remove: ({ account, actor, params }) => Effect.as(domains.remove(account.id, params.id, actor), ok(null))
  })
})

/** The suppression list. */
export const suppressionsRoutes = Effect.gen(function* () {
  const suppressions = yield* Suppressions
  return bind(ManagementApi.groups.suppressions, {
    add: ({ account, actor, payload }) =>
      Effect.map(suppressions.add(account.id, payload.email, payload.kind, actor), (entry) =>
        created(encodeSuppression(entry))
      ),
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* suppressions.list(account.id, page, query), encodeSuppression))
    }),
    remove: ({ account, actor, params }) =>
      Effect.as(suppressions.remove(account.id, params.email, actor), ok(null))
  })
})
