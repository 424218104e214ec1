/**
 * The audit log of the account, or of its whole company.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import type { QueryOf } from "../../api/call.ts"
import { useExtra, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { queryOf } from "../../lib/search.ts"
import { Page } from "../../parts/page/Page.tsx"
import { AuditBar, AuditEntries, AuditExport } from "./AuditEntries.tsx"

const route = getRouteApi("/shell/a/$accountId/settings/audit-log")

const listRoute = "GET /accounts/:accountId/audit-log"
const companyRoute = "GET /companies/:companyId/audit-log"

/** The screen. */
export const AuditLog = () => {
  const { audit: texts, settings } = useTexts()
  const { canInCompany, company, id: accountId } = useAccount()
  const { of, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const query = queryOf(search) as unknown as QueryOf<typeof listRoute>
  const mayAll = canInCompany("audit:read")
  const isOfCompany = of === "company" && mayAll
  const ofAccount = useList(listRoute, { params: { accountId }, query }, { enabled: !isOfCompany })
  const ofCompany = useList(
    companyRoute,
    { params: { companyId: company.id }, query },
    { enabled: isOfCompany }
  )
  const list = isOfCompany ? ofCompany : ofAccount
  // Entries have ids of users but no names.
  const members = useExtra(
    "GET /companies/:companyId/members",
    { params: { companyId: company.id }, query: { limit: 200 } },
    { enabled: canInCompany("members:read") }
  )
  const names = new Map(members?.items.map(({ email, name, userId }) => [userId, name ?? email]))
  const set = (next: typeof search & { readonly of?: string | undefined }) =>
    void navigate({ search: next, replace: true })
  const scopes = [
    { key: "of", label: texts.of, isSingle: true, options: [{ value: "company", label: texts.ofCompany }] }
  ]
  return (
    <Page
      isList
      title={settings.title}
      actions={
        list.items.length > 0 && (
          <AuditExport
            search={search}
            {...(isOfCompany
              ? { path: "/companies/:companyId/audit-log/export", params: { companyId: company.id } }
              : { path: "/accounts/:accountId/audit-log/export", params: { accountId } })}
          />
        )
      }
    >
      <div>
        <AreaTabs area="settings" />
        <AuditBar search={{ ...search, of }} onChange={set} filters={mayAll ? scopes : []} />
      </div>
      <AuditEntries
        accountId={accountId}
        label={settings.tabs.audit}
        list={list}
        names={names}
        search={search}
        onReset={() => set({ of })}
      />
    </Page>
  )
}
