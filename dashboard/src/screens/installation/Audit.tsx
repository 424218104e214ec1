/**
 * The audit log of the installation, and that of all companies.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import type { QueryOf } from "../../api/call.ts"
import { useExtra, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useCompanies } from "../../app/session.ts"
import { queryOf } from "../../lib/search.ts"
import { AuditBar, AuditEntries, AuditExport } from "../settings/AuditEntries.tsx"
import { InstallationPage } from "./InstallationPage.tsx"

const route = getRouteApi("/shell/installation/audit-log")

const listRoute = "GET /audit-log"

/** The screen. */
export const Audit = () => {
  const { installation: texts } = useTexts()
  const companies = useCompanies()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(listRoute, {
    params: {},
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  // Entries have ids of users but no names.
  const users = useExtra("GET /users", { query: { limit: 200 } })
  const names = new Map(users?.items.map(({ email, id, name }) => [id, name ?? email]))
  const show = (next: typeof search) => void navigate({ search: next, replace: true })
  return (
    <InstallationPage
      actions={list.items.length > 0 && <AuditExport search={search} path="/audit-log/export" params={{}} />}
      bar={<AuditBar search={search} onChange={show} />}
    >
      <AuditEntries
        accountId={null}
        label={texts.tabs.audit}
        list={list}
        names={names}
        search={search}
        onReset={() => show({})}
        further={[
          {
            key: "company",
            head: texts.company,
            width: "minmax(7rem, 1fr)",
            cell: ({ companyId }) => (
              <bdi>{companies.find(({ id }) => id === companyId)?.name ?? companyId ?? "–"}</bdi>
            )
          }
        ]}
      />
    </InstallationPage>
  )
}
