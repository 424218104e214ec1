/**
 * Handles the management endpoints of companies, their brand, and the access of operators to them.
 *
 * @module
 */
import { Effect } from "effect"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import { companyTexts, OwnPageTexts } from "../../../core/audience/pages/OwnPageTexts.ts"
import { Companies } from "../../../core/companies/Companies.ts"
import { OperatorAccess } from "../../../core/companies/OperatorAccess.ts"
import { Images } from "../../../core/images/Images.ts"
import type { Brand, Company } from "../../../core/model/Account.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { type Caller as Manager, rightsAt, visibleCompanies } from "../../../core/users/Caller.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed, only } from "../edge/lists.ts"
import type { Caller } from "../edge/guard.ts"
import { managerOf } from "../edge/permit.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeCompany = ({ id, liveAccountId, name, sandboxAccountId }: Company) => ({
  id,
  name,
  live: { accountId: liveAccountId },
  sandbox: { accountId: sandboxAccountId }
})

const encodeDetails = (company: Company) => ({
  ...encodeCompany(company),
  requireTwoFactors: company.requireTwoFactors,
  auditRetentionDays: company.auditRetentionDays,
  brand: company.brand,
  deletedAt: dateTimeOrNull(company.deletedAt)
})

/** Whether a caller may see how much the live account of a company sends. */
const maySeeVolume = (manager: Manager, companyId: string): boolean =>
  manager._tag === "InstallationToken" ||
  rightsAt(manager, { companyId, accountKind: "Live" }).has("stats:read")

/** The operator who calls. Access is granted to a person, so programs with a token cannot open it. */
const operatorOf = Effect.fnUntraced(function* (caller: Caller) {
  const manager = yield* managerOf(caller)
  return manager._tag === "Session" || manager._tag === "PersonalToken"
    ? manager.user.userId
    : yield* Problem.of("users.right_missing", null, null, { right: "companies:write" })
})

/** Companies. */
export const companiesRoutes = Effect.gen(function* () {
  const access = yield* OperatorAccess
  const accounts = yield* Accounts
  const companies = yield* Companies
  const images = yield* Images
  const pageTexts = yield* OwnPageTexts

  const shownBrand = (companyId: string, brand: Brand) =>
    Effect.map(images.logoUrl(companyId), (logoUrl) => ok({ ...brand, logoUrl }))

  return bind(ManagementApi.groups.companies, {
    create: ({ actor, payload }) =>
      Effect.map(accounts.createCompany(payload.name, actor), (company) => created(encodeCompany(company))),
    list: Effect.fnUntraced(function* ({ caller, page, query }) {
      const manager = yield* managerOf(caller)
      const ids = visibleCompanies(manager)
      const found = yield* accounts.browse(page, { ids, q: query.q, state: only(query.state) })
      return ok(
        listed(page, found, (company) => {
          const volume = maySeeVolume(manager, company.id) ? company.volume : null
          return { ...encodeCompany(company), volume, deletedAt: dateTimeOrNull(company.deletedAt) }
        })
      )
    }),
    get: ({ company }) => Effect.succeed(ok(encodeDetails(company))),
    change: ({ actor, company, payload }) =>
      Effect.map(companies.change(company.id, payload, actor), (changed) => ok(encodeDetails(changed))),
    remove: ({ actor, company }) =>
      Effect.map(companies.remove(company.id, actor), (deleted) => ok(encodeDetails(deleted))),
    restore: ({ actor, company }) =>
      Effect.map(companies.restore(company.id, actor), (restored) => ok(encodeDetails(restored))),
    brand: ({ company }) => shownBrand(company.id, company.brand),
    setBrand: ({ actor, company, payload }) =>
      Effect.flatMap(companies.setBrand(company.id, payload, actor), (brand) =>
        shownBrand(company.id, brand)
      ),
    pageTexts: ({ company }) => Effect.succeed(ok({ items: companyTexts(company.pageTexts) })),
    setPageTexts: ({ actor, company, params, payload }) =>
      Effect.map(pageTexts.set(company.id, params.language, payload.texts, actor), ok),
    openAccess: Effect.fnUntraced(function* ({ actor, caller, company, payload }) {
      const until = yield* access.open(company.id, yield* operatorOf(caller), payload, actor)
      return created({ until: formatDateTime(until) })
    }),
    closeAccess: Effect.fnUntraced(function* ({ actor, caller, company }) {
      yield* access.close(company.id, yield* operatorOf(caller), actor)
      return ok(null)
    })
  })
})
