/**
 * The last hour's log of the node that responds.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { QueryOf, ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { wholeList } from "../../api/whole.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Installation.module.css"
import { InstallationPage } from "./InstallationPage.tsx"

const route = getRouteApi("/shell/installation/logs")

type Line = ValueOf<"GET /logs">["items"][number]

const tones: Readonly<Record<Line["level"], Tone>> = {
  Trace: "neutral",
  Debug: "neutral",
  Info: "neutral",
  Warn: "warning",
  Error: "bad",
  Fatal: "bad"
}

const levels: ReadonlyArray<Line["level"]> = ["Fatal", "Error", "Warn", "Info", "Debug"]

const fieldsOf = ({ fields }: Line): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")

const includes = (line: Line, typed: string): boolean =>
  `${line.message} ${fieldsOf(line)}`.toLowerCase().includes(typed.toLowerCase())

const LineDialog = ({ line, onClose }: { readonly line: Line; readonly onClose: () => void }) => {
  const { common, installation: texts } = useTexts()
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={texts.logLine}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Facts
        facts={[
          [texts.time, <RelativeTime key="at" at={line.at} form="moment" />],
          [
            texts.level,
            <Badge key="level" tone={tones[line.level]}>
              {line.level}
            </Badge>
          ],
          ...Object.entries(line.fields).map(
            ([name, value]) => [name, <code key={name}>{value}</code>] as const
          )
        ]}
      />
      <Code label={texts.message}>{line.message}</Code>
    </Dialog>
  )
}

/** The screen. */
export const Logs = () => {
  const { installation: texts, people } = useTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = (search.level === undefined ? {} : { level: search.level }) as QueryOf<"GET /logs">
  const read = useApi("GET /logs", { query })
  const [shown, setShown] = useState<Line | null>(null)
  const lines = read.data?.items.filter((line) => includes(line, search.q ?? ""))
  const columns: ReadonlyArray<Column<Line>> = [
    {
      key: "message",
      head: texts.message,
      width: "minmax(12rem, 1.4fr)",
      cell: ({ message }) => <span className={styles["message"]}>{message}</span>
    },
    {
      key: "fields",
      head: texts.fields,
      width: "minmax(10rem, 2fr)",
      narrow: "second",
      cell: (line) => <span className={styles["message"]}>{fieldsOf(line) || "–"}</span>
    },
    {
      key: "level",
      head: texts.level,
      width: "5rem",
      narrow: "end",
      cell: ({ level }) => <Badge tone={tones[level]}>{level}</Badge>
    },
    { key: "at", head: texts.time, width: "8rem", cell: ({ at }) => <RelativeTime at={at} /> },
    {
      key: "actions",
      head: people.actions,
      isHeadHidden: true,
      width: "5.5rem",
      isEnd: true,
      cell: (line) => (
        <Button isSmall tone="quiet" onClick={() => setShown(line)}>
          {texts.details}
        </Button>
      )
    }
  ]
  return (
    <InstallationPage
      actions={
        <Button icon="retry" isBusy={read.isFetching} onClick={() => void read.refetch()}>
          {texts.reload}
        </Button>
      }
      bar={
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          placeholder={texts.searchLogs}
          filters={[
            { key: "level", label: texts.level, options: levels.map((value) => ({ value, label: value })) }
          ]}
        />
      }
    >
      <List
        label={texts.tabs.logs}
        list={wholeList({ ...read, data: lines })}
        columns={columns}
        keyOf={({ at, fields, message }) => `${at} ${message} ${JSON.stringify(fields)}`}
        isFiltered={search.level !== undefined || search.q !== undefined}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="check" title={texts.noLogs}>
            {texts.noLogsText}
          </EmptyState>
        }
      />
      {shown !== null && <LineDialog line={shown} onClose={() => setShown(null)} />}
    </InstallationPage>
  )
}
