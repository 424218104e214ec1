/**
 * What holds the account's mail at its recipients' providers, with the replies of their servers, and past holds.
 *
 * @module
 */
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { optionsOf } from "../../lib/options.ts"
import { queryOf } from "../../lib/search.ts"
import { Entries } from "../../parts/list/Entries.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { Entry } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useDeliveryTexts } from "../../texts/delivery/useDeliveryTexts.ts"
import styles from "./Domains.module.css"
import { providerIn, type Standing } from "./StandingState.tsx"
import { useLaneName } from "../installation/delivery/lanes.ts"

const listRoute = "GET /accounts/:accountId/notices"

/** The list. */
export const Notices = ({
  accountId,
  onState,
  providers,
  state
}: Pick<Standing, "providers"> & {
  readonly accountId: string
  /** The state to filter by; undefined for all. */
  readonly state: string | undefined
  readonly onState: (state: string | undefined) => void
}) => {
  const { list: lists } = useTexts()
  const { held: texts, standing } = useDeliveryTexts()
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf({ state }) as unknown as QueryOf<typeof listRoute>
  })
  return (
    <Section
      title={standing.notices}
      text={standing.noticesText}
      actions={
        <FilterBar
          search={{ state }}
          filters={[{ key: "state", label: texts.state, options: optionsOf(texts.states) }]}
          onChange={(search) => onState(search.state)}
        />
      }
    >
      <Entries list={list} empty={state === undefined ? standing.noNotices : lists.noMatch}>
        {(notice) => <Notice key={notice.id} notice={notice} providers={providers} texts={texts} />}
      </Entries>
    </Section>
  )
}

const Notice = ({
  notice: { domain, held, help, lane, remedy, resolvedAt, since, state, until, words },
  providers,
  texts
}: Pick<Standing, "providers"> & {
  readonly notice: ItemOf<typeof listRoute>
  readonly texts: ReturnType<typeof useDeliveryTexts>["held"]
}) => {
  const format = useFormat()
  const laneName = useLaneName()
  return (
    <Entry
      end={<Badge tone={state === "Open" ? "warning" : "neutral"}>{texts.states[state]}</Badge>}
      text={
        <>
          {words !== null && (
            <>
              <bdi>{words}</bdi>
              <br />
            </>
          )}
          {texts.since} <RelativeTime at={since} />
          {" · "}
          {state === "Open" ? texts.until : texts.ended} <RelativeTime at={resolvedAt ?? until} />
          {state === "Open" && ` · ${texts.held}: ${format.number(held)}`}
          {remedy !== null && (
            <>
              <br />
              {remedy}
            </>
          )}
          {help !== null && (
            <>
              {" · "}
              <a href={help} target="_blank" rel="noreferrer" className={styles["help"]}>
                {texts.help}
              </a>
            </>
          )}
        </>
      }
    >
      <bdi>{providerIn({ providers })(laneName(lane))}</bdi>
      {domain !== null && (
        <>
          {" · "}
          <bdi>{domain}</bdi>
        </>
      )}
    </Entry>
  )
}
