/**
 * The audit log of the account.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { type QueryOf, readPages } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { linkOfFound } from "../../app/found.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { shortId, shownTarget, targetName } from "../../lib/audit.ts"
import { saveFile } from "../../lib/saveFile.ts"
import type { Search } from "../../lib/search.ts"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState, Facts, Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useActionName, useThingName } from "../../texts/audit/useActionName.ts"
import styles from "./Settings.module.css"

const route = getRouteApi("/shell/a/$accountId/settings/audit-log")

const listRoute = "GET /accounts/:accountId/audit-log"
const companyRoute = "GET /companies/:companyId/audit-log"

type Entry = ItemOf<typeof listRoute>
type Query = QueryOf<typeof listRoute>

/** All entries of the filters as a file, page after page; pages of CSV each begin with the names of the columns. */
const exportLog = async (
  path: string,
  params: Readonly<Record<string, string>>,
  query: Search
): Promise<string> => {
  const { format } = query
  const pages = await readPages(path, params, query)
  return pages
    .map((page, at) => (format === "Csv" && at > 0 ? page.slice(page.indexOf("\n") + 1) : page))
    .join("")
}

/** The ranges that the log can be limited to, in days. */
const sinceDays = [1, 7, 30, 90]

const dayMillis = 86_400_000

/** The beginning of the day that was so many days ago, so that an address stays the same for a day. */
const dayBefore = (days: number): string =>
  `${new Date(Date.now() - days * dayMillis).toISOString().slice(0, 10)}T00:00:00Z`

const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? id ?? "–"

const DetailDialog = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => {
  const { audit: texts, common } = useTexts()
  const { id: accountId } = useAccount()
  const actionOf = useActionName()
  const thingOf = useThingName()
  const shown = shownTarget(entry.target)
  const link = shown === null ? null : linkOfFound(entry.accountId ?? accountId, shown)
  const written = (value: unknown) => (value === null ? texts.nothing : JSON.stringify(value, null, 2))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={actionOf(entry.action)}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Facts
        facts={[
          [texts.action, <code key="action">{entry.action}</code>],
          [texts.time, <RelativeTime key="at" at={entry.at} form="moment" />],
          [texts.actor, `${nameOf(entry.actor)} (${texts.kinds[entry.actor.kind]})`],
          [
            texts.target,
            <>
              {[thingOf(entry.target.kind), targetName(entry)].filter((one) => one !== null).join(": ")}{" "}
              {link === null ? <code>{entry.target.id}</code> : <Link {...link}>{entry.target.id}</Link>}
            </>
          ],
          [texts.outcome, texts.outcomes[entry.outcome]],
          entry.network === null ? null : [texts.network, entry.network],
          entry.userAgent === null ? null : [texts.browser, entry.userAgent]
        ]}
      />
      <div className={styles["values"]}>
        {(["before", "after"] as const).map((key) => (
          <div key={key}>
            <h3>{texts[key]}</h3>
            <Code label={texts[key]}>{written(entry[key])}</Code>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** The screen. */
export const AuditLog = () => {
  const { audit: texts, settings } = useTexts()
  const actionOf = useActionName()
  const thingOf = useThingName()
  const { canInCompany, company, id: accountId } = useAccount()
  const { of, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const query = search as unknown as Query
  const mayAll = canInCompany("audit:read")
  const isOfCompany = of === "company" && mayAll
  const ofAccount = useList(listRoute, { params: { accountId }, query }, { enabled: !isOfCompany })
  const ofCompany = useList(
    companyRoute,
    { params: { companyId: company.id }, query },
    { enabled: isOfCompany }
  )
  const list = isOfCompany ? ofCompany : ofAccount
  // Entries name no people.
  const members = useExtra(
    "GET /companies/:companyId/members",
    { params: { companyId: company.id }, query: { limit: 200 } },
    { enabled: canInCompany("members:read") }
  )
  const memberNames = new Map(members?.items.map(({ email, name, userId }) => [userId, name ?? email]))
  const [open, setOpen] = useState<Entry | null>(null)
  const { isBusy, run } = useAction()
  const [sinceOptions] = useState(() => sinceDays.map((days) => ({ days, value: dayBefore(days) })))
  const set = (next: typeof search & { readonly of?: string | undefined }) =>
    void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Entry>> = [
    {
      key: "action",
      head: texts.action,
      width: "minmax(11rem, 1.4fr)",
      cell: (entry) => (
        <button type="button" className={styles["open"]} onClick={() => setOpen(entry)}>
          <span title={entry.action}>{actionOf(entry.action)}</span>
        </button>
      )
    },
    {
      key: "target",
      head: texts.target,
      width: "minmax(9rem, 1.6fr)",
      cell: (entry) => (
        <bdi title={entry.target.id}>
          {targetName(entry) ??
            memberNames.get(entry.target.id) ??
            `${thingOf(entry.target.kind)} ${shortId(entry.target.id)}`}
        </bdi>
      )
    },
    {
      key: "actor",
      head: texts.actor,
      width: "minmax(8rem, 1.2fr)",
      narrow: "second",
      cell: ({ actor }) => (
        <>
          <bdi>{nameOf(actor)}</bdi> <Badge>{texts.kinds[actor.kind]}</Badge>
        </>
      )
    },
    {
      key: "network",
      head: texts.network,
      width: "minmax(7rem, 0.9fr)",
      cell: ({ network }) => network ?? "–"
    },
    {
      key: "outcome",
      head: texts.outcome,
      width: "6rem",
      cell: ({ outcome }) => (
        <Badge tone={outcome === "Done" ? "good" : "bad"}>{texts.outcomes[outcome]}</Badge>
      )
    },
    {
      key: "time",
      head: texts.time,
      width: "minmax(6rem, 0.8fr)",
      narrow: "end",
      cell: ({ at }) => <RelativeTime at={at} />
    }
  ]
  return (
    <Page
      isList
      title={settings.title}
      actions={
        list.items.length > 0 && (
          <>
            {(["Csv", "Ndjson"] as const).map((format) => (
              <Button
                key={format}
                isBusy={isBusy}
                onClick={() =>
                  void run(async () =>
                    saveFile(
                      `audit-log.${format.toLowerCase()}`,
                      format === "Csv" ? "text/csv" : "application/x-ndjson",
                      await (isOfCompany
                        ? exportLog(
                            "/companies/:companyId/audit-log/export",
                            { companyId: company.id },
                            { ...search, format }
                          )
                        : exportLog(
                            "/accounts/:accountId/audit-log/export",
                            { accountId },
                            { ...search, format }
                          ))
                    )
                  )
                }
              >
                {`${texts.export} ${format === "Csv" ? "CSV" : "NDJSON"}`}
              </Button>
            ))}
          </>
        )
      }
    >
      <div>
        <AreaTabs area="settings" />
        <FilterBar
          search={{ ...search, of }}
          onChange={set}
          placeholder={texts.search}
          searchKey="action"
          filters={[
            ...(mayAll
              ? [
                  {
                    key: "of",
                    label: texts.of,
                    isSingle: true,
                    options: [{ value: "company", label: texts.ofCompany }]
                  }
                ]
              : []),
            { key: "actorKind", label: texts.actor, options: optionsOf(texts.kinds) },
            {
              key: "since",
              label: texts.since,
              isSingle: true,
              options: sinceOptions.map(({ days, value }) => ({ value, label: texts.lastDays(days) }))
            },
            { key: "outcome", label: texts.outcome, options: optionsOf(texts.outcomes) }
          ]}
        />
      </div>
      <List
        label={settings.tabs.audit}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={Object.keys(search).length > 0}
        onReset={() => set({ of })}
        empty={<EmptyState icon="clock" title={texts.empty} />}
      />
      {open !== null && <DetailDialog entry={open} onClose={() => setOpen(null)} />}
    </Page>
  )
}
