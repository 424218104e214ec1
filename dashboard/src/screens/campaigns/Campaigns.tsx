/**
 * The campaigns of the account, each with the outcomes for its audience.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useChange, useList } from "../../api/queries.ts"
import { newPanel, usePanel } from "../../app/panel.ts"
import { useFormat } from "../../app/reader.tsx"
import { useActorName } from "../../app/useActorName.ts"
import { useSelection } from "../../app/selection.ts"
import { useAccount } from "../../app/session.ts"
import { countedVisits } from "../../lib/campaigns/outcomes.ts"
import { hasFilters } from "../../lib/search.ts"
import { Button, ButtonLink } from "../../parts/form/Button.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useCampaignChanges } from "./useCampaign.ts"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"
import { NameDialog } from "./NameDialog.tsx"
import { OutcomeBar } from "./Outcomes.tsx"
import { campaignTones } from "./states.ts"
import styles from "./Campaigns.module.css"

const route = getRouteApi("/shell/a/$accountId/campaigns")

const listRoute = "GET /accounts/:accountId/campaigns"

type OneCampaign = ItemOf<typeof listRoute>

/** How many campaigns can be compared at once. */
const comparedRange = { min: 2, max: 10 }

/** How often the list is refreshed while one of its campaigns is being sent, in milliseconds. */
const renewMillis = 5_000

const CreateDialog = ({
  accountId,
  onClose
}: {
  readonly accountId: string
  readonly onClose: () => void
}) => {
  const texts = useCampaignTexts()
  const navigate = useNavigate()
  const { error, isPending, mutate } = useChange("POST /accounts/:accountId/campaigns", {
    renews: [listRoute]
  })
  const create = (name: string) =>
    mutate(
      { params: { accountId }, body: { name } },
      {
        onSuccess: ({ id }) => {
          toast(texts.created(name))
          void navigate({
            to: "/a/$accountId/campaigns/$campaignId",
            params: { accountId, campaignId: id },
            search: {}
          })
        }
      }
    )
  return (
    <NameDialog
      title={texts.create}
      text={texts.createText}
      action={texts.createAction}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={create}
    />
  )
}

/** The screen. */
export const Campaigns = () => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const nameOfActor = useActorName()
  const { can, id: accountId } = useAccount()
  const { selected, shown, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const [, setPanel] = usePanel()
  const [isLive, setLive] = useState(false)
  const isStreamed = useCampaignChanges(accountId, null)
  const [chosen, choose] = useSelection()
  const list = useList(
    listRoute,
    { params: { accountId }, query: search as unknown as QueryOf<typeof listRoute> },
    isLive && !isStreamed ? { refetchInterval: renewMillis } : {}
  )
  const goes = list.items.some(({ status }) => status === "Sending" || status === "Scheduled")
  if (goes !== isLive) setLive(goes)
  const visits = ({ audience }: OneCampaign["stats"], value: OneCampaign["stats"]["opened"]) =>
    audience === 0 ? "–" : format.number(countedVisits(value).people)
  const columns: ReadonlyArray<Column<OneCampaign>> = [
    { key: "name", head: texts.name, width: "minmax(10rem, 2fr)", cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: "people",
      head: texts.audience,
      width: "4.5rem",
      isEnd: true,
      cell: ({ stats }) => (stats.audience === 0 ? "–" : format.number(stats.audience))
    },
    {
      key: "results",
      head: texts.results,
      width: "minmax(7rem, 1.4fr)",
      narrow: "second",
      cell: ({ stats }) => <OutcomeBar stats={stats} />
    },
    {
      key: "opened",
      head: texts.opened,
      width: "4.5rem",
      isEnd: true,
      cell: ({ stats }) => visits(stats, stats.opened)
    },
    {
      key: "clicked",
      head: texts.clicked,
      width: "4.5rem",
      isEnd: true,
      cell: ({ stats }) => visits(stats, stats.clicked)
    },
    {
      key: "changed",
      head: texts.changed,
      width: "minmax(7.5rem, 0.8fr)",
      cell: ({ statusAt, updatedAt }) => <RelativeTime at={statusAt > updatedAt ? statusAt : updatedAt} />
    },
    {
      key: "by",
      head: texts.by,
      width: "minmax(7rem, 1fr)",
      cell: ({ updatedBy }) => <bdi>{updatedBy === null ? "–" : nameOfActor(updatedBy)}</bdi>
    },
    {
      key: "state",
      head: texts.state,
      width: "6.5rem",
      narrow: "end",
      cell: ({ status, statusReason }) => (
        <span title={statusReason === null ? undefined : texts.pauses[statusReason]}>
          <Badge tone={campaignTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
        </span>
      )
    }
  ]
  const mayWrite = can("campaigns:write")
  const create = mayWrite && (
    <Button tone="primary" icon="plus" onClick={() => setPanel(newPanel)}>
      {texts.create}
    </Button>
  )
  return (
    <Page isList title={texts.title} text={texts.text} actions={create}>
      <FilterBar
        search={search}
        placeholder={texts.search}
        onChange={(next) => void navigate({ search: { ...next, selected }, replace: true })}
        filters={[
          {
            key: "status",
            label: texts.state,
            options: optionsOf(texts.states)
          },
          {
            key: "approval",
            label: texts.approval.title,
            isSingle: true,
            options: [{ value: "Requested", label: texts.approval.states["Requested"] ?? "" }]
          }
        ]}
      />
      {chosen.size > 0 && (
        <div className={styles["chosen"]} role="group" aria-label={texts.compare.title}>
          <strong role="status">{texts.compare.chosen(format.number(chosen.size), chosen.size)}</strong>
          {chosen.size >= comparedRange.min && chosen.size <= comparedRange.max ? (
            <ButtonLink
              isSmall
              to="/a/$accountId/campaigns/compare"
              params={{ accountId }}
              search={{ ids: [...chosen].join(",") }}
            >
              {texts.compare.action}
            </ButtonLink>
          ) : (
            <span>{texts.compare.hint}</span>
          )}
          <Button isSmall tone="quiet" icon="close" onClick={() => choose(new Set())}>
            {texts.compare.clear}
          </Button>
        </div>
      )}
      <List
        label={texts.title}
        selection={{ keys: chosen, onChange: choose, nameOf: ({ name }) => name }}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/campaigns/$campaignId",
          params: { accountId, campaignId: id },
          search: {}
        })}
        isFiltered={hasFilters(search)}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="campaign" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {shown === newPanel && mayWrite && (
        <CreateDialog accountId={accountId} onClose={() => setPanel(null)} />
      )}
    </Page>
  )
}
