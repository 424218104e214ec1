/**
 * The database: its size by table, the partitions, the slowest statements and the migrations.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Figures, Nothing } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { InstallationPage, Scrolled } from "./InstallationPage.tsx"

type Read = ValueOf<"GET /database">
type Statement = NonNullable<Read["slowStatements"]>[number]

/** A table or a partition, with the name of its table. */
interface Sized {
  readonly name: string
  readonly table?: string
  readonly rows: number | null
  readonly bytes: number
}

const Sizes = ({
  head,
  isPartitioned = false,
  label,
  none,
  rows
}: {
  readonly label: string
  readonly head: string
  readonly none: string
  readonly rows: ReadonlyArray<Sized>
  readonly isPartitioned?: boolean
}) => {
  const { installation: texts } = useTexts()
  const format = useFormat()
  const columns: ReadonlyArray<TableColumn<Sized>> = [
    { key: "name", head, cell: ({ name }) => <code>{name}</code> },
    ...(isPartitioned
      ? [{ key: "table", head: texts.table, cell: ({ table }: Sized) => <code>{table}</code> }]
      : []),
    {
      key: "rows",
      head: texts.rows,
      isEnd: true,
      cell: ({ rows: count }) => (count === null ? "–" : texts.about(format.number(count)))
    },
    { key: "bytes", head: texts.size, isEnd: true, cell: ({ bytes }) => format.bytes(bytes) }
  ]
  return (
    <Section title={label}>
      {rows.length === 0 ? (
        <Card isFlush>
          <Nothing>{none}</Nothing>
        </Card>
      ) : (
        <Table
          label={label}
          columns={columns}
          rows={rows.toSorted((a, b) => b.bytes - a.bytes)}
          keyOf={({ name, table = "" }) => `${table} ${name}`}
        />
      )}
    </Section>
  )
}

/** The screen. */
export const Database = () => {
  const { installation: texts } = useTexts()
  const format = useFormat()
  const statements: ReadonlyArray<TableColumn<Statement>> = [
    { key: "statement", head: texts.statement, cell: ({ statement }) => <code>{statement}</code> },
    { key: "calls", head: texts.calls, isEnd: true, cell: ({ calls }) => format.number(calls) },
    {
      key: "mean",
      head: texts.mean,
      isEnd: true,
      cell: ({ meanMs }) => texts.millis(format.number(Math.round(meanMs * 10) / 10))
    },
    {
      key: "total",
      head: texts.totalTime,
      isEnd: true,
      cell: ({ totalMs }) => texts.millis(format.number(Math.round(totalMs)))
    }
  ]
  return (
    <InstallationPage>
      <Scrolled>
        <Loaded query={useApi("GET /database", {})}>
          {({ engine, migrations, partitions, pingMs, sizeBytes, slowStatements, tables, version }) => (
            <>
              <Figures
                figures={[
                  { name: texts.engine, value: version === null ? engine : `${engine} ${version}` },
                  { name: texts.size, value: sizeBytes === null ? "–" : format.bytes(sizeBytes) },
                  { name: texts.ping, value: texts.millis(format.number(Math.round(pingMs * 10) / 10)) },
                  {
                    name: texts.migrations,
                    value:
                      migrations === null ? (
                        "–"
                      ) : migrations.applied < migrations.known ? (
                        <Badge tone="warning">
                          {texts.applied(format.number(migrations.applied), format.number(migrations.known))}
                        </Badge>
                      ) : (
                        texts.applied(format.number(migrations.applied), format.number(migrations.known))
                      )
                  }
                ]}
              />
              <Sizes label={texts.tables} head={texts.table} none={texts.noTables} rows={tables} />
              <Section title={texts.slow} text={texts.slowText}>
                {slowStatements === null || slowStatements.length === 0 ? (
                  <Card isFlush>
                    <Nothing>
                      {version === null
                        ? texts.noTables
                        : slowStatements === null
                          ? texts.slowUncounted
                          : texts.slowNone}
                    </Nothing>
                  </Card>
                ) : (
                  <Table
                    label={texts.slow}
                    columns={statements}
                    rows={slowStatements}
                    keyOf={({ statement }) => statement}
                  />
                )}
              </Section>
              <Sizes
                isPartitioned
                label={texts.partitions}
                head={texts.partition}
                none={texts.noPartitions}
                rows={partitions}
              />
            </>
          )}
        </Loaded>
      </Scrolled>
    </InstallationPage>
  )
}
