/**
 * The audit log of the account.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call, type QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { saveFile } from "../../lib/saveFile.ts"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState, Facts, Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Settings.module.css"
import { SettingsTabs } from "./SettingsTabs.tsx"

const route = getRouteApi("/shell/a/$accountId/settings/audit-log")

const listRoute = "GET /accounts/:accountId/audit-log"

type Entry = ItemOf<typeof listRoute>
type Query = QueryOf<typeof listRoute>

/** How many entries a call of an export returns, and the most that are exported. */
const exported = { page: 200, most: 20_000 }

/** All entries of the filters as lines of JSON, page after page. */
const exportLines = async (
  accountId: string,
  query: Query,
  read: ReadonlyArray<string> = []
): Promise<ReadonlyArray<string>> => {
  const { items, next } = await call(listRoute, {
    params: { accountId },
    query: { ...query, limit: exported.page }
  })
  const lines = [...read, ...items.map((item) => JSON.stringify(item))]
  if (next === null || lines.length >= exported.most) return lines
  return exportLines(accountId, { ...query, after: next }, lines)
}

const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? id ?? "–"

const DetailDialog = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => {
  const { audit: texts, common } = useTexts()
  const written = (value: unknown) => (value === null ? texts.nothing : JSON.stringify(value, null, 2))
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={entry.action}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Facts
        facts={[
          [texts.time, <RelativeTime key="at" at={entry.at} form="moment" />],
          [texts.actor, `${nameOf(entry.actor)} (${texts.kinds[entry.actor.kind]})`],
          [texts.target, `${entry.target.kind}: ${nameOf(entry.target)}`],
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
  const { id: accountId } = useAccount()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = search as unknown as Query
  const list = useList(listRoute, { params: { accountId }, query })
  const [open, setOpen] = useState<Entry | null>(null)
  const { isBusy, run } = useAction()
  const set = (next: typeof search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Entry>> = [
    {
      key: "action",
      head: texts.action,
      width: "minmax(11rem, 1.4fr)",
      cell: (entry) => (
        <button type="button" className={styles["open"]} onClick={() => setOpen(entry)}>
          <code>{entry.action}</code>
        </button>
      )
    },
    {
      key: "target",
      head: texts.target,
      width: "minmax(9rem, 1.6fr)",
      cell: ({ target }) => <bdi>{nameOf(target)}</bdi>
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
  const optionsOf = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }))
  return (
    <Page
      isList
      title={settings.title}
      actions={
        list.items.length > 0 && (
          <Button
            icon="down"
            isBusy={isBusy}
            onClick={() =>
              void run(async () =>
                saveFile(
                  "audit-log.ndjson",
                  "application/x-ndjson",
                  `${(await exportLines(accountId, query)).join("\n")}\n`
                )
              )
            }
          >
            {texts.export}
          </Button>
        )
      }
    >
      <div>
        <SettingsTabs />
        <FilterBar
          search={search}
          onChange={set}
          placeholder={texts.search}
          searchKey="action"
          filters={[
            { key: "actorKind", label: texts.actor, options: optionsOf(texts.kinds) },
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
        onReset={() => set({})}
        empty={<EmptyState icon="clock" title={texts.empty} />}
      />
      {open !== null && <DetailDialog entry={open} onClose={() => setOpen(null)} />}
    </Page>
  )
}
