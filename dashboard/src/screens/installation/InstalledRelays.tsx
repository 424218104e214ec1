/**
 * The relays of the installation: whether they could be used, and when they last reported.
 *
 * @module
 */
import { type ItemOf, useApi } from "../../api/queries.ts"
import { useFormat } from "../../app/reader.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"

type Relay = ItemOf<"GET /relays">

/** When a relay last reported, or that it cannot. */
const Reported = ({ feedback, kind, lastReportAt }: Pick<Relay, "feedback" | "kind" | "lastReportAt">) => {
  const { relays: texts } = useDeliveryTexts()
  if (kind === "Smtp") return texts.noReports
  if (lastReportAt !== null) {
    return (
      <>
        {texts.reported} <RelativeTime at={lastReportAt} />
      </>
    )
  }
  const isSet = Object.values(feedback).some((value) => value !== null && value !== false)
  return isSet ? texts.neverReported : <Badge tone="warning">{texts.notSetUp}</Badge>
}

/** The section. */
export const InstalledRelays = () => {
  const format = useFormat()
  const { relays: texts } = useDeliveryTexts()
  return (
    <Section title={texts.title} text={texts.text}>
      <Loaded query={useApi("GET /relays", { query: { limit: 100 } })}>
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 && <Nothing>{texts.empty}</Nothing>}
            <Rows>
              {items.map(
                ({ feedback, id, kind, lastRefusal, lastReportAt, name, state, unreported, words }) => (
                  <Entry
                    key={id}
                    text={
                      <>
                        <bdi>{words ?? kind}</bdi>
                        {lastRefusal !== null && state === "Active" && (
                          <p>
                            {texts.refused} <RelativeTime at={lastRefusal.at} />:{" "}
                            <bdi>{lastRefusal.words}</bdi>
                          </p>
                        )}
                      </>
                    }
                    end={<Reported feedback={feedback} kind={kind} lastReportAt={lastReportAt} />}
                  >
                    <strong dir="auto">{name}</strong>{" "}
                    <Badge tone={state === "Active" ? "good" : "bad"}>{texts.states[state]}</Badge>{" "}
                    {unreported !== null && unreported.share > 0 && (
                      <Badge tone={unreported.isHigh ? "warning" : "neutral"}>
                        {texts.unreported(format.percent(unreported.share))}
                      </Badge>
                    )}
                  </Entry>
                )
              )}
            </Rows>
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
