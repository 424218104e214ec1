/**
 * The entries of an audit log: filters, the list with the details of each entry, and the export. Accounts, companies and the
 * installation each have a log.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { lazyPart } from "../../app/newVersion.ts"
import { readPages } from "../../api/call.ts"
import type { ItemOf, List as Listed } from "../../api/queries.ts"
import { linkOfFound } from "../../app/found.ts"
import { useTexts } from "../../app/reader.tsx"
import { shortId, shownTarget, targetName } from "../../lib/audit.ts"
import { optionsOf } from "../../lib/options.ts"
import { saveFile } from "../../lib/saveFile.ts"
import { hasFilters, queryOf, type Search } from "../../lib/search.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Filter, FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useActionName, useThingName } from "../../texts/audit/useActionName.ts"
import styles from "./Settings.module.css"

/** An entry. */
export type AuditEntry = ItemOf<"GET /accounts/:accountId/audit-log">

/**
 * Exports all entries that match the filters, page by page, as one file. Each page of CSV begins with the column names, which are
 * kept only once.
 */
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

/** The periods on offer, in days. */
const sinceDays = [1, 7, 30, 90]

const dayMillis = 86_400_000

/** The start of the day a number of days ago. It is rounded to the day, so that the URL stays the same for a day. */
const dayBefore = (days: number): string =>
  `${new Date(Date.now() - days * dayMillis).toISOString().slice(0, 10)}T00:00:00Z`

const nameOf = ({ id, name }: { readonly id: string | null; readonly name: string | null }): string =>
  name ?? id ?? "–"

const DetailDialog = ({
  accountId,
  entry,
  onClose
}: {
  /** The account for entries that name none; null if such entries have no links. */
  readonly accountId: string | null
  readonly entry: AuditEntry
  readonly onClose: () => void
}) => {
  const { audit: texts, common } = useTexts()
  const actionOf = useActionName()
  const thingOf = useThingName()
  const shown = shownTarget(entry.target)
  const of = entry.accountId ?? accountId
  const link = shown === null || of === null ? null : linkOfFound(of, shown)
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
          [
            texts.actor,
            <>
              {`${nameOf(entry.actor)} (${texts.kinds[entry.actor.kind]})`}{" "}
              {entry.actor.name !== null && entry.actor.id !== null && <code>{entry.actor.id}</code>}
            </>
          ],
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

/** The filters that share a dialog. */
const more = {
  keys: ["actor", "network", "target", "until"],
  Dialog: lazyPart(() => import("./AuditFilters.tsx"), "AuditFilters")
}

const noFilters: ReadonlyArray<Filter> = []
const noColumns: ReadonlyArray<Column<AuditEntry>> = []

/** The filter bar; `filters` come before those that every log has. */
export const AuditBar = <S extends Search>({
  filters = noFilters,
  onChange,
  search
}: {
  readonly search: S
  readonly onChange: (search: S) => void
  readonly filters?: ReadonlyArray<Filter>
}) => {
  const { audit: texts } = useTexts()
  const [sinceOptions] = useState(() => sinceDays.map((days) => ({ days, value: dayBefore(days) })))
  return (
    <FilterBar
      search={search}
      onChange={onChange}
      placeholder={texts.search}
      searchKey="action"
      more={more}
      filters={[
        ...filters,
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
  )
}

/** The buttons that export the filtered entries. */
export const AuditExport = ({
  params,
  path,
  search
}: {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly search: Search
}) => {
  const { audit: texts } = useTexts()
  const { isBusy, run } = useAction()
  return (
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
                await exportLog(path, params, { ...queryOf(search), format })
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

/** The list. A click on an entry opens its details. */
export const AuditEntries = ({
  accountId,
  further = noColumns,
  label,
  list,
  names,
  onReset,
  search
}: {
  /** The account for entries that name none; null if such entries have no links. */
  readonly accountId: string | null
  /** Further columns, after the target of an entry. */
  readonly further?: ReadonlyArray<Column<AuditEntry>>
  readonly label: string
  readonly list: Listed<AuditEntry>
  /** The names of users by id, because entries only have ids. */
  readonly names: ReadonlyMap<string, string>
  readonly onReset: () => void
  readonly search: Search
}) => {
  const { audit: texts } = useTexts()
  const actionOf = useActionName()
  const thingOf = useThingName()
  const [open, setOpen] = useState<AuditEntry | null>(null)
  const columns: ReadonlyArray<Column<AuditEntry>> = [
    {
      key: "action",
      head: texts.action,
      width: "minmax(10.5rem, 1.4fr)",
      cell: (entry) => (
        <button type="button" className={styles["open"]} onClick={() => setOpen(entry)}>
          <span title={entry.action}>{actionOf(entry.action)}</span>
        </button>
      )
    },
    {
      key: "target",
      head: texts.target,
      width: "minmax(8rem, 1.4fr)",
      cell: (entry) => (
        <bdi title={entry.target.id}>
          {targetName(entry) ??
            names.get(entry.target.id) ??
            `${thingOf(entry.target.kind)} ${shortId(entry.target.id)}`}
        </bdi>
      )
    },
    ...further,
    {
      key: "actor",
      head: texts.actor,
      width: "minmax(11rem, 1.4fr)",
      narrow: "second",
      cell: ({ actor }) => (
        <div className={styles["actor"]}>
          <bdi title={nameOf(actor)}>{nameOf(actor)}</bdi> <Badge>{texts.kinds[actor.kind]}</Badge>
        </div>
      )
    },
    {
      key: "network",
      head: texts.network,
      width: "minmax(6.5rem, 0.8fr)",
      cell: ({ network }) => network ?? "–"
    },
    {
      key: "outcome",
      head: texts.outcome,
      width: "5.5rem",
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
    <>
      <List
        label={label}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={hasFilters(search)}
        onReset={onReset}
        empty={<EmptyState icon="clock" title={texts.empty} />}
      />
      {open !== null && <DetailDialog accountId={accountId} entry={open} onClose={() => setOpen(null)} />}
    </>
  )
}
