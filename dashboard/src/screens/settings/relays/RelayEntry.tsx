/**
 * A relay in a list: its server, its state, and its reports.
 *
 * @module
 */
import type { ReactNode } from "react"
import { useFormat } from "../../../app/reader.tsx"
import { ButtonAnchor } from "../../../parts/form/Button.tsx"
import { Entry, Row } from "../../../parts/page/Columns.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { CopyButton } from "../../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"
import type { Relay } from "./RelayDialog.tsx"

/** The facts about a relay, one per line. */
const About = ({
  feedback,
  feedbackUrl,
  kind,
  lastRefusal,
  lastReportAt,
  state,
  stateReason,
  unreported,
  url,
  words
}: Relay) => {
  const texts = useRelayTexts()
  const format = useFormat()
  const isVerifiable = Object.values(feedback).some((value) => value !== null && value !== false)
  return (
    <>
      <bdi>{url}</bdi>
      {stateReason !== null && <p>{texts.reasons[stateReason] ?? stateReason}</p>}
      {words !== null && (
        <p>
          {/^\d{3}\b/.test(words) && texts.words} <bdi>{words}</bdi>
        </p>
      )}
      <p>
        {feedbackUrl === null ? (
          texts.noReports
        ) : lastReportAt === null ? (
          isVerifiable ? (
            `${texts.noReport} ${texts.feedbackText}`
          ) : (
            <>
              <Badge tone="warning">{texts.setUp}</Badge> {texts.refusedReports}
            </>
          )
        ) : (
          <>
            {texts.lastReport}: <RelativeTime at={lastReportAt} />
          </>
        )}
      </p>
      {unreported !== null && unreported.share > 0 && (
        <p>
          {unreported.isHigh && <Badge tone="warning">{texts.setUp}</Badge>}{" "}
          {texts.unreported(format.percent(unreported.share), format.number(unreported.messages))}{" "}
          {unreported.isHigh && texts.steps[kind]}
        </p>
      )}
      {lastRefusal !== null && state === "Active" && (
        <p>
          {texts.lastRefusal} <RelativeTime at={lastRefusal.at} />: <bdi>{lastRefusal.words}</bdi>
        </p>
      )}
    </>
  )
}

/** A relay; `children` are its actions. */
export const RelayEntry = ({ children, relay }: { readonly relay: Relay; readonly children?: ReactNode }) => {
  const texts = useRelayTexts()
  return (
    <Entry
      text={<About {...relay} />}
      end={
        <Row>
          {relay.feedbackUrl !== null && <CopyButton value={relay.feedbackUrl} label={texts.feedbackUrl} />}
          {children}
        </Row>
      }
    >
      <strong>
        <bdi>{relay.name}</bdi>
      </strong>
      <Badge tone={relay.state === "Active" ? "good" : "bad"}>{texts.states[relay.state]}</Badge>
    </Entry>
  )
}

/** A link to the instructions for setting up a provider. */
export const RelayGuide = () => (
  <ButtonAnchor
    isSmall
    tone="quiet"
    href="/docs/relays#steps-by-provider"
    target="_blank"
    rel="noreferrer"
    iconAfter="external"
  >
    {useRelayTexts().guide}
  </ButtonAnchor>
)
