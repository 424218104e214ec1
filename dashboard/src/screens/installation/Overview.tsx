/**
 * The installation at a glance: alerts, nodes, certificates and backups.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { type ItemOf, useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { ButtonAnchor } from "../../parts/form/Button.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Section } from "../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Table, type TableColumn } from "../../parts/show/Table.tsx"
import { Said } from "../../texts/said/Said.tsx"
import { InstalledRelays } from "./InstalledRelays.tsx"
import styles from "./Installation.module.css"
import { InstallationPage, Scrolled } from "./InstallationPage.tsx"

type Node = ItemOf<"GET /nodes">
type Alert = ValueOf<"GET /alerts">["items"][number]

/** How often the state is refreshed, in milliseconds. Nodes report at about the same interval. */
const renewMillis = 15_000

/** Longer delays of the event loop, in milliseconds, are noticeable in every call. */
const longDelayMs = 100

const alertTone = ({ severity, state }: Alert): Tone =>
  state === "Firing" ? (severity === "Critical" ? "bad" : "warning") : state === "Ok" ? "good" : "neutral"

const Alerts = () => {
  const { installation: texts } = useTexts()
  const query = useApi("GET /alerts", {}, { refetchInterval: renewMillis })
  return (
    <Section title={texts.alerts} text={texts.alertsText}>
      <Loaded query={query}>
        {({ items }) => {
          const calm = items.filter(({ state }) => state === "Ok")
          return (
            <Card isFlush>
              <Rows>
                {items
                  .filter(({ state }) => state !== "Ok")
                  .map((alert) => (
                    <Entry
                      key={alert.name}
                      text={<Said text={alert.summary} />}
                      end={
                        <ButtonAnchor
                          isSmall
                          href={`/docs/runbook#${alert.runbook.split("#")[1] ?? ""}`}
                          target="_blank"
                          rel="noreferrer"
                          iconAfter="external"
                        >
                          {texts.runbook}
                        </ButtonAnchor>
                      }
                    >
                      <strong>{alert.name}</strong>
                      <Badge tone={alertTone(alert)}>
                        {alert.state === "Firing" ? texts.severities[alert.severity] : texts.alertUnknown}
                      </Badge>
                    </Entry>
                  ))}
                <Entry text={calm.map(({ name }) => name).join(", ")}>
                  <Badge tone="good">{texts.alertsCalm(calm.length)}</Badge>
                </Entry>
              </Rows>
            </Card>
          )
        }}
      </Loaded>
    </Section>
  )
}

const Nodes = () => {
  const { installation: texts } = useTexts()
  const format = useFormat()
  const query = useApi("GET /nodes", { query: { limit: 200 } }, { refetchInterval: renewMillis })
  const columns: ReadonlyArray<TableColumn<Node>> = [
    { key: "host", head: texts.node, cell: ({ host }) => <bdi>{host}</bdi> },
    {
      key: "state",
      head: texts.state,
      cell: ({ state }) => <Badge tone={state === "Up" ? "good" : "bad"}>{texts.nodeStates[state]}</Badge>
    },
    {
      key: "version",
      head: texts.version,
      cell: ({ runtime, version }) => <span title={runtime}>{version}</span>
    },
    { key: "roles", head: texts.roles, cell: ({ roles }) => roles.join(", ") },
    {
      key: "delay",
      head: texts.delay,
      isEnd: true,
      cell: ({ eventLoopDelayMs }) =>
        eventLoopDelayMs > longDelayMs ? (
          <Badge tone="warning">{texts.millis(format.number(Math.round(eventLoopDelayMs)))}</Badge>
        ) : (
          texts.millis(format.number(Math.round(eventLoopDelayMs * 10) / 10))
        )
    },
    {
      key: "memory",
      head: texts.memory,
      isEnd: true,
      cell: ({ heapLimitBytes, heapUsedBytes, memoryBytes }) => (
        <span title={texts.heap(format.bytes(heapUsedBytes), format.bytes(heapLimitBytes))}>
          {memoryBytes === 0 ? "–" : format.bytes(memoryBytes)}
        </span>
      )
    },
    {
      key: "started",
      head: texts.started,
      isEnd: true,
      cell: ({ startedAt }) => <RelativeTime at={startedAt} />
    },
    { key: "seen", head: texts.seen, isEnd: true, cell: ({ seenAt }) => <RelativeTime at={seenAt} /> }
  ]
  return (
    <Section title={texts.nodes} text={texts.nodesText}>
      <Loaded query={query}>
        {({ items }) => <Table label={texts.nodes} columns={columns} rows={items} keyOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}

const Certificates = () => {
  const { installation: texts } = useTexts()
  return (
    <Section title={texts.certificates} text={texts.thisNode}>
      <Loaded query={useApi("GET /certificates", {})}>
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 ? (
              <Nothing>{texts.noCertificates}</Nothing>
            ) : (
              <Rows>
                {items.map(({ isSelfSigned, issuer, names, usedFor, validTo }) => (
                  <Entry
                    key={`${usedFor} ${validTo}`}
                    text={isSelfSigned ? texts.selfSigned : issuer}
                    end={
                      <span>
                        {texts.validTo} <RelativeTime at={validTo} />
                      </span>
                    }
                  >
                    <strong>{usedFor.toUpperCase()}</strong> {names.join(", ")}
                  </Entry>
                ))}
              </Rows>
            )}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

const Backups = () => {
  const { installation: texts } = useTexts()
  return (
    <Section title={texts.backups}>
      <Loaded query={useApi("GET /backups", {})}>
        {({ isWatched, lastAt, verify }) => (
          <Card>
            <Facts
              facts={[
                [
                  texts.lastBackup,
                  isWatched ? (
                    lastAt === null ? (
                      <Badge key="none" tone="bad">
                        {texts.noBackup}
                      </Badge>
                    ) : (
                      <RelativeTime key="at" at={lastAt} />
                    )
                  ) : (
                    texts.notWatched
                  )
                ],
                [texts.verify, verify]
              ]}
            />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

/** The screen. */
export const Overview = () => (
  <InstallationPage>
    <Scrolled>
      <Alerts />
      <Nodes />
      <InstalledRelays />
      <div className={styles["pair"]}>
        <Certificates />
        <Backups />
      </div>
    </Scrolled>
  </InstallationPage>
)
