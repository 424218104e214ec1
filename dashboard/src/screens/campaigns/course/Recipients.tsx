/**
 * The recipients of a campaign, each with its state and the reason.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { call, type InputOf, type QueryOf } from "../../../api/call.ts"
import { type ItemOf, useList } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { toneOf } from "../../../lib/emailState.ts"
import { hasFilters } from "../../../lib/search.ts"
import { Button, ButtonLink } from "../../../parts/form/Button.tsx"
import { FilterBar } from "../../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../../parts/list/List.tsx"
import { Menu, MenuItem } from "../../../parts/overlay/Menu.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Row } from "../../../parts/page/Columns.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { EmptyState } from "../../../parts/page/Empty.tsx"
import { Missing } from "../../../parts/page/Missing.tsx"
import { Page } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import { recipientTones } from "../states.ts"
import { useCampaign } from "../useCampaign.ts"

const route = getRouteApi("/shell/a/$accountId/campaigns/$campaignId/recipients")

const listRoute = "GET /accounts/:accountId/campaigns/:id/recipients"
const exportRoute = "POST /accounts/:accountId/campaigns/:id/recipients/export"

type Recipient = ItemOf<typeof listRoute>

/** How often the list is refreshed while the campaign is being sent, in milliseconds. */
const renewMillis = 5_000

/** The URL's filters in the form of a request body: filters with several values as lists. */
const listsOf = (search: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(search).map(([key, value = ""]) => [
      key,
      key === "q" || key === "converted" || key === "unsubscribed"
        ? value
        : value.split(",").map((one) => (key === "link" || key === "version" ? Number(one) : one))
    ])
  )

/** The screen. */
export const Recipients = () => {
  const { emails, mail, people } = useTexts()
  const campaigns = useCampaignTexts()
  const { reasons, recipients: texts } = campaigns
  const { can } = useAccount()
  const { accountId, campaignId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const navigateTo = useNavigate()
  const { isBusy, run } = useAction(["GET /accounts/:accountId/jobs"])
  const { data, error, refetch } = useCampaign(accountId, campaignId)
  const campaign = data?.value
  const list = useList(
    listRoute,
    {
      params: { accountId, id: campaignId },
      query: search as unknown as QueryOf<typeof listRoute>
    },
    campaign?.status === "Sending" ? { refetchInterval: renewMillis } : {}
  )
  const reasonOf = ({ reason, statusReason }: Recipient): string => {
    const code = reason ?? statusReason
    return code === null ? "" : (reasons[code] ?? emails.reasons[code] ?? code)
  }
  const columns: ReadonlyArray<Column<Recipient>> = [
    {
      key: "person",
      head: texts.person,
      width: "minmax(10rem, 1.6fr)",
      cell: ({ email, name }) => <bdi>{email ?? name ?? texts.erased}</bdi>
    },
    {
      key: "why",
      head: texts.why,
      width: "minmax(11rem, 2fr)",
      narrow: "second",
      cell: (recipient) => <span title={reasonOf(recipient)}>{reasonOf(recipient)}</span>
    },
    {
      key: "email",
      head: texts.email,
      width: "7rem",
      cell: ({ status }) =>
        status === null ? "–" : <Badge tone={toneOf(status)}>{emails.statuses[status] ?? status}</Badge>
    },
    {
      key: "visits",
      head: texts.visits,
      width: "minmax(7rem, 1fr)",
      cell: ({ clickedBy, conversions, openedBy, unsubscribedAt }) => (
        <Row>
          {openedBy !== "None" && (
            <Badge tone={openedBy === "Machine" ? "neutral" : "good"}>{emails.opened}</Badge>
          )}
          {clickedBy !== "None" && (
            <Badge tone={clickedBy === "Machine" ? "neutral" : "good"}>{emails.clicked}</Badge>
          )}
          {conversions > 0 && <Badge tone="good">{texts.converted}</Badge>}
          {unsubscribedAt !== null && <Badge tone="warning">{texts.unsubscribed}</Badge>}
        </Row>
      )
    },
    {
      key: "decided",
      head: texts.decided,
      width: "minmax(6.5rem, 0.9fr)",
      cell: ({ decidedAt, dueAt, state }) =>
        state === "Pending" ? (
          <span>
            {texts.due} <RelativeTime at={dueAt} />
          </span>
        ) : (
          <RelativeTime at={decidedAt} />
        )
    },
    {
      key: "state",
      head: texts.state,
      width: "7rem",
      narrow: "end",
      cell: ({ state }) => <Badge tone={recipientTones[state] ?? "neutral"}>{texts.states[state]}</Badge>
    },
    ...(can("emails:read")
      ? [
          {
            key: "actions",
            head: people.actions,
            isHeadHidden: true,
            width: "7rem",
            isEnd: true,
            cell: ({ messageId }: Recipient) =>
              messageId !== null && (
                <ButtonLink
                  isSmall
                  tone="quiet"
                  to="/a/$accountId/emails/$emailId"
                  params={{ accountId, emailId: messageId }}
                >
                  {texts.showEmail}
                </ButtonLink>
              )
          }
        ]
      : [])
  ]
  const exported = (kind: "Csv" | "Ndjson") =>
    void run(async () => {
      await call(exportRoute, {
        params: { accountId, id: campaignId },
        body: { ...listsOf(search), format: kind } as InputOf<typeof exportRoute>["body"]
      })
      toast(people.started)
      void navigateTo({ to: "/a/$accountId/people/jobs", params: { accountId } })
    })
  const variants = (
    campaign?.test as { readonly variants: ReadonlyArray<{ id: string; name: string | null }> } | null
  )?.variants
  const known = Object.keys(campaign?.stats.skippedBy ?? {})
  if (error?.status === 404)
    return (
      <Page
        title={texts.title}
        back={{ link: { to: "/a/$accountId/campaigns", params: { accountId } }, label: campaigns.title }}
      >
        <Missing thing="Campaign" />
      </Page>
    )
  return (
    <Page
      isList
      title={texts.title}
      back={{
        link: { to: "/a/$accountId/campaigns/$campaignId", params: { accountId, campaignId }, search: {} },
        label: campaign?.name ?? campaigns.name
      }}
      actions={
        can("contacts:export") && (
          <Menu
            align="end"
            trigger={
              <Button icon="download" isBusy={isBusy}>
                {people.bulk["Export"]}
              </Button>
            }
          >
            {(["Csv", "Ndjson"] as const).map((kind) => (
              <MenuItem key={kind} onSelect={() => exported(kind)}>
                {people.formats[kind]}
              </MenuItem>
            ))}
          </Menu>
        )
      }
    >
      <div>
        {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        <FilterBar
          search={search}
          onChange={(next) => void navigate({ search: next, replace: true })}
          placeholder={texts.search}
          filters={[
            {
              key: "state",
              label: texts.state,
              options: optionsOf(texts.states)
            },
            ...(variants === undefined
              ? []
              : [
                  {
                    key: "variant",
                    label: campaigns.trial.variant,
                    options: variants.map(({ id, name }) => ({
                      value: id,
                      label: campaigns.test.variant(id, name)
                    }))
                  }
                ]),
            ...(known.length === 0
              ? []
              : [
                  {
                    key: "reason",
                    label: texts.whyFilter,
                    options: known.map((value) => ({ value, label: reasons[value] ?? value }))
                  }
                ]),
            {
              key: "status",
              label: texts.status,
              options: Object.entries(emails.statuses)
                .filter(([value]) => value !== "Mixed")
                .map(([value, label]) => ({ value, label }))
            },
            ...(["opened", "clicked"] as const).map((key) => ({
              key,
              label: emails[key],
              options: optionsOf(mail.verdicts)
            })),
            ...(["converted", "unsubscribed"] as const).map((key) => ({
              key,
              label: texts[key],
              isSingle: true,
              options: [
                { value: "true", label: texts.yes },
                { value: "false", label: texts.no }
              ]
            }))
          ]}
        />
      </div>
      <List
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ contactId }) => contactId}
        linkOf={({ contactId }) => ({
          to: "/a/$accountId/people/contacts/$contactId",
          params: { accountId, contactId }
        })}
        isFiltered={hasFilters(search)}
        onReset={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon="people" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
