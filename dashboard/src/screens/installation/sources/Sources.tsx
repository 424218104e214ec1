/**
 * The IP addresses from which mail is sent, their SPF record, and their pools.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi, useExtra } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Entry, Nothing, Row, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { CopyButton } from "../../../parts/show/CopyButton.tsx"
import { Progress } from "../../../parts/show/Progress.tsx"
import { Table, type TableColumn } from "../../../parts/show/Table.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { InstallationPage, Scrolled } from "../InstallationPage.tsx"
import { Pools } from "./Pools.tsx"
import { SourceDialog } from "./SourceDialog.tsx"
import { all, type Source, sourcesRoute, sourceTones } from "./sourceStates.ts"

/** How often the numbers are refreshed, in milliseconds. */
const renewMillis = 15_000

const Spf = () => {
  const { sources: texts } = useSourceTexts()
  const record = useExtra("GET /sources/spf", {})?.record ?? null
  if (record === null) return null
  const { name, value } = record
  return (
    <Section title={texts.spf} text={texts.spfText}>
      <Card isFlush>
        <Rows>
          <Entry text={<code>{value}</code>} end={<CopyButton value={value} />}>
            <Row>
              <code>{name}</code>
              <Badge>TXT</Badge>
            </Row>
          </Entry>
        </Rows>
      </Card>
    </Section>
  )
}

/** The screen. */
export const Sources = () => {
  const { sources: texts } = useSourceTexts()
  const format = useFormat()
  const [isAdding, setAdding] = useState(false)
  const query = useApi(sourcesRoute, all, { refetchInterval: renewMillis })
  const columns: ReadonlyArray<TableColumn<Source>> = [
    {
      key: "address",
      head: texts.address,
      cell: ({ address, id }) => (
        <Link to="/installation/sources/$sourceId" params={{ sourceId: id }}>
          <bdi>{address}</bdi>
        </Link>
      )
    },
    {
      key: "state",
      head: texts.state,
      cell: ({ reason, state }) => (
        <span title={reason === null ? undefined : texts.reasons[reason]}>
          <Badge tone={sourceTones[state]}>{texts.states[state]}</Badge>
        </span>
      )
    },
    {
      key: "warmUp",
      head: texts.warmUp,
      cell: ({ warmUp }) =>
        warmUp === null ? (
          "–"
        ) : (
          <Progress
            label={texts.warmUp}
            share={warmUp.day / warmUp.days}
            text={texts.day(format.number(warmUp.day), format.number(warmUp.days))}
          />
        )
    },
    {
      key: "sent",
      head: texts.sent,
      isEnd: true,
      cell: ({ capToday, sentToday }) =>
        capToday === null
          ? format.number(sentToday)
          : texts.sentOf(format.number(sentToday), format.number(capToday))
    },
    {
      key: "name",
      head: texts.sendsAs,
      cell: ({ name, ptr }) => <bdi>{name ?? ptr?.wanted ?? "–"}</bdi>
    },
    { key: "pool", head: texts.pool, cell: ({ pool }) => <bdi>{pool}</bdi> }
  ]
  return (
    <InstallationPage
      actions={
        <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <Scrolled>
        <Section title={texts.title} text={texts.text}>
          <Loaded query={query}>
            {({ items }) =>
              items.length === 0 ? (
                <Card isFlush>
                  <Nothing>
                    <strong>{texts.empty}.</strong> {texts.emptyText}
                  </Nothing>
                </Card>
              ) : (
                <Table label={texts.title} columns={columns} rows={items} keyOf={({ id }) => id} />
              )
            }
          </Loaded>
        </Section>
        <Pools />
        <Spf />
      </Scrolled>
      {isAdding && <SourceDialog source={null} onClose={() => setAdding(false)} />}
    </InstallationPage>
  )
}
