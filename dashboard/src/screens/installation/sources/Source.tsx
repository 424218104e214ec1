/**
 * One source: whether it can send, its position in the warm-up plan, what it has sent today, and its actions.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { useApi, useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Banner } from "../../../parts/page/Banner.tsx"
import { Columns, Row } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { Chart } from "../../../parts/show/Chart.tsx"
import { Progress } from "../../../parts/show/Progress.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { Table } from "../../../parts/show/Table.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { SourceDialog } from "./SourceDialog.tsx"
import {
  all,
  othersOf,
  type Source as Shown,
  sourceRoute,
  sourceRoutes,
  sourcesRoute,
  sourceTones
} from "./sourceStates.ts"
import { WarmUpDialog } from "./WarmUpDialog.tsx"

const route = getRouteApi("/shell/installation/sources/$sourceId")

/** How often the numbers are refreshed, in milliseconds. */
const renewMillis = 15_000

/**
 * How many future days of the plan the chart shows. The volumes of later days are so large that the first ones would be
 * invisible.
 */
const daysAhead = 7

/** The plan, with the days completed so far. */
const Plan = ({ warmUp }: { readonly warmUp: NonNullable<Shown["warmUp"]> }) => {
  const { sources: texts } = useSourceTexts()
  const format = useFormat()
  const plan = useExtra("GET /sources/plan", {})
  const caps = plan?.caps.slice(0, warmUp.day + daysAhead) ?? []
  return (
    <>
      <Progress
        label={texts.warmUp}
        share={warmUp.day / warmUp.days}
        text={texts.day(format.number(warmUp.day), format.number(warmUp.days))}
      />
      {caps.length > 0 && (
        <Chart
          title={texts.planDays}
          head={texts.planDay}
          labels={caps.map((_, at) => format.number(at + 1))}
          series={[
            { name: texts.plan, tone: "neutral", values: caps },
            { name: texts.planAt, values: caps.slice(0, warmUp.day) }
          ]}
        />
      )}
    </>
  )
}

const Today = ({ today }: { readonly today: Shown["today"] }) => {
  const { sources: texts } = useSourceTexts()
  const format = useFormat()
  const counts = [
    ["deferred", texts.deferred],
    ["policy", texts.refused],
    ["bounced", texts.bounced],
    ["complained", texts.complained]
  ] as const
  return (
    <Section title={texts.today}>
      <Table
        label={texts.today}
        rows={today}
        keyOf={({ group }) => group}
        columns={[
          { key: "group", head: texts.group, cell: ({ group }) => texts.groups[group] ?? group },
          { key: "sent", head: texts.sent, isEnd: true, cell: ({ sent }) => format.number(sent) },
          {
            key: "cap",
            head: texts.cap,
            isEnd: true,
            cell: ({ cap }) => (cap === null ? texts.noCap : format.number(cap))
          },
          ...counts.map(([key, head]) => ({
            key,
            head,
            isEnd: true,
            cell: (group: Shown["today"][number]) => format.number(group[key])
          }))
        ]}
      />
    </Section>
  )
}

/** The most domains that are listed. */
const namedDomains = 10

const About = ({ source: { force, hosts, name, pool, ptr, spfMissing } }: { readonly source: Shown }) => {
  const { sources: texts } = useSourceTexts()
  const format = useFormat()
  return (
    <Card>
      <Facts
        facts={[
          [texts.sendsAs, name ?? ptr?.wanted ?? "–"],
          [texts.pool, pool],
          [
            texts.ptr,
            ptr === null
              ? texts.ptrUnchecked
              : ptr.confirmed
                ? texts.ptrConfirmed(ptr.wanted)
                : texts.ptrWanted(ptr.names.length === 0 ? texts.ptrNone : format.list(ptr.names), ptr.wanted)
          ],
          ptr === null ? null : [texts.checked, <RelativeTime key="checked" at={ptr.checkedAt} />],
          spfMissing === null || spfMissing.length === 0
            ? null
            : [
                texts.spfMissing,
                format.list([
                  ...spfMissing.slice(0, namedDomains),
                  ...(spfMissing.length > namedDomains
                    ? [texts.moreDomains(format.number(spfMissing.length - namedDomains))]
                    : [])
                ])
              ],
          [texts.hosts, hosts.length === 0 ? texts.noHosts : format.list(hosts)]
        ]}
      />
      {force && <p>{texts.forced}.</p>}
    </Card>
  )
}

/** The screen. */
export const Source = () => {
  const { installation } = useTexts()
  const { sources: texts, warmUp: warmUpTexts } = useSourceTexts()
  const format = useFormat()
  const { sourceId: id } = route.useParams()
  const navigate = route.useNavigate()
  const query = useApi(sourceRoute, { params: { id } }, { refetchInterval: renewMillis })
  const others = useExtra(sourcesRoute, all)
  const [open, setOpen] = useState<"warmUp" | "end" | "edit" | "remove" | null>(null)
  const { isBusy, run } = useAction(sourceRoutes)
  const source = query.data
  const otherCount = source === undefined ? 0 : othersOf(source, others?.items ?? [])
  const params = { params: { id } }
  const check = () =>
    run(async () => {
      const { ptr } = await call("POST /sources/:id/check", params)
      toast(texts.wasChecked[String(ptr?.confirmed === true)] ?? "")
    })
  const pause = ({ address, state }: Shown) => {
    const stop = () => call("POST /sources/:id/pause", params)
    const start = () => call("POST /sources/:id/activate", params)
    const wasRetired = () => call("PATCH /sources/:id", { ...params, body: { state: "Retired" } })
    return state === "Paused" || state === "Retired"
      ? run(start, texts.activated(address), state === "Retired" ? wasRetired : stop)
      : run(stop, texts.paused(address, format.number(otherCount), otherCount), start, (one: Shown): Shown =>
          one.id === id ? { ...one, state: "Paused", reason: null } : one
        )
  }
  const end = async ({ address }: Shown) => {
    const ending = () => call("POST /sources/:id/warm-up", { ...params, body: { day: null } })
    await run(ending, warmUpTexts.ended(address))
    setOpen(null)
  }
  const remove = async ({ address }: Shown) => {
    const isDone = await run(() => call("DELETE /sources/:id", params), texts.removed(address))
    setOpen(null)
    if (isDone) void navigate({ to: "/installation/sources" })
  }
  return (
    <Page
      title={source?.address ?? texts.address}
      back={{ link: { to: "/installation/sources" }, label: installation.tabs.sources }}
      badge={
        source !== undefined && <Badge tone={sourceTones[source.state]}>{texts.states[source.state]}</Badge>
      }
      actions={
        source !== undefined && (
          <>
            <Button onClick={() => setOpen("edit")}>{texts.edit}</Button>
            <Button isBusy={isBusy} onClick={() => void check()}>
              {texts.check}
            </Button>
            <Button onClick={() => void pause(source)}>
              {source.state === "Paused" || source.state === "Retired" ? texts.activate : texts.pause}
            </Button>
            <Button tone="danger" onClick={() => setOpen("remove")}>
              {texts.remove}
            </Button>
          </>
        )
      }
    >
      <Loaded thing={texts.address} query={query}>
        {(shown) => (
          <Columns aside={<About source={shown} />}>
            {shown.reason !== null && <Banner tone="bad">{texts.reasons[shown.reason]}</Banner>}
            <Section
              title={texts.warmUp}
              actions={
                <Row>
                  {shown.warmUp !== null && (
                    <Button isSmall onClick={() => setOpen("end")}>
                      {warmUpTexts.end}
                    </Button>
                  )}
                  <Button
                    isSmall
                    {...(shown.warmUp === null ? { tone: "primary" } : {})}
                    onClick={() => setOpen("warmUp")}
                  >
                    {shown.warmUp === null ? warmUpTexts.begin : warmUpTexts.move}
                  </Button>
                </Row>
              }
            >
              <Card>
                {shown.warmUp === null ? (
                  <p>{texts.noWarmUp}.</p>
                ) : (
                  <>
                    <Plan warmUp={shown.warmUp} />
                    <Facts
                      facts={[
                        [
                          texts.sent,
                          texts.sentOf(format.number(shown.sentToday), format.number(shown.capToday ?? 0))
                        ],
                        [texts.started, <RelativeTime key="started" at={shown.warmUp.startedAt} />],
                        shown.warmUp.movedBackAt === null
                          ? null
                          : [texts.movedBack, <RelativeTime key="moved" at={shown.warmUp.movedBackAt} />]
                      ]}
                    />
                  </>
                )}
              </Card>
            </Section>
            <Today today={shown.today} />
          </Columns>
        )}
      </Loaded>
      {source !== undefined && open === "warmUp" && (
        <WarmUpDialog source={source} onClose={() => setOpen(null)} />
      )}
      {source !== undefined && open === "edit" && (
        <SourceDialog source={source} onClose={() => setOpen(null)} />
      )}
      {source !== undefined && source.warmUp !== null && open === "end" && (
        <ConfirmDialog
          isOpen
          tone="primary"
          title={warmUpTexts.endTitle(source.address)}
          text={warmUpTexts.endText(
            format.number(source.capToday ?? 0),
            format.number(source.warmUp.day),
            format.number(source.warmUp.days)
          )}
          action={warmUpTexts.end}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void end(source)}
        />
      )}
      {source !== undefined && open === "remove" && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle(source.address)}
          text={texts.removeText(
            format.number(source.sentToday),
            source.sentToday,
            format.number(otherCount),
            otherCount,
            source.pool
          )}
          action={texts.remove}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => void remove(source)}
        />
      )}
    </Page>
  )
}
