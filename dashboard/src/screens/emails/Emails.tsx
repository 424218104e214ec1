/**
 * The emails of the account, however they were submitted.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { optionsOf } from "../../lib/options.ts"
import { getRouteApi } from "@tanstack/react-router"
import type { QueryOf } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { toneOf } from "../../lib/emailState.ts"
import { ButtonAnchor } from "../../parts/form/Button.tsx"
import { queryOf, type Search } from "../../lib/search.ts"
import { FilteredList } from "../../parts/list/FilteredList.tsx"
import type { Column } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Emails.module.css"

const route = getRouteApi("/shell/a/$accountId/emails")

const listRoute = "GET /accounts/:accountId/emails"

type Email = ItemOf<typeof listRoute>

/** The filters that share a dialog. */
const more = {
  keys: [
    "campaignId",
    "contactId",
    "domain",
    "flowId",
    "from",
    "keyId",
    "provider",
    "reason",
    "since",
    "tag",
    "templateId",
    "to",
    "until"
  ],
  Dialog: lazyPart(() => import("./EmailFilters.tsx"), "EmailFilters")
}

/** The states on offer, in the order of an email's life. */
const statuses = [
  "Queued",
  "HandingOff",
  "Accepted",
  "Sent",
  "Delivered",
  "Bounced",
  "Failed",
  "Suppressed",
  "PendingReview",
  "Unknown"
]

/** The screen. */
export const Emails = () => {
  const { emails: texts, mail } = useTexts()
  const { id: accountId } = useAccount()
  const { columns: chosen, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useList(listRoute, {
    params: { accountId },
    query: queryOf(search) as unknown as QueryOf<typeof listRoute>
  })
  const show = (next: Search) => void navigate({ search: next, replace: true })
  const columns: ReadonlyArray<Column<Email>> = [
    {
      key: "to",
      head: texts.to,
      width: "minmax(12rem, 3fr)",
      cell: ({ recipients }) => (
        <>
          <bdi className={styles["address"]}>{recipients[0]?.email}</bdi>
          {recipients.length > 1 && (
            <span className={styles["soft"]}> {texts.more(recipients.length - 1)}</span>
          )}
        </>
      )
    },
    {
      key: "status",
      head: texts.status,
      width: "8rem",
      narrow: "end",
      cell: ({ status }) => <Badge tone={toneOf(status)}>{texts.statuses[status] ?? status}</Badge>
    },
    {
      key: "subject",
      head: texts.subject,
      width: "minmax(10rem, 4fr)",
      narrow: "second",
      cell: ({ subject }) =>
        subject === "" ? <span className={styles["soft"]}>{texts.noSubject}</span> : <bdi>{subject}</bdi>
    },
    {
      key: "time",
      head: texts.sent,
      width: "9rem",
      sort: "time",
      isEnd: true,
      cell: ({ createdAt }) => (
        <span className={styles["soft"]}>
          <RelativeTime at={createdAt} />
        </span>
      )
    }
  ]
  return (
    <Page isList title={texts.title}>
      <FilteredList
        head={<AreaTabs area="emails" />}
        view="emails"
        search={{ ...search, columns: chosen }}
        onSearch={show}
        placeholder={mail.search}
        filters={[
          {
            key: "status",
            label: texts.status,
            options: statuses.map((value) => ({ value, label: texts.statuses[value] ?? value }))
          },
          ...(["opened", "clicked"] as const).map((key) => ({
            key,
            label: mail[key],
            options: optionsOf(mail.verdicts)
          })),
          {
            key: "source",
            label: mail.source,
            options: optionsOf(mail.sources)
          }
        ]}
        more={more}
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/a/$accountId/emails/$emailId", params: { accountId, emailId: id } })}
        empty={
          <EmptyState
            icon="email"
            title={texts.empty}
            action={
              <ButtonAnchor href="/docs/sending-email" target="_blank" rel="noreferrer" iconAfter="external">
                {texts.guide}
              </ButtonAnchor>
            }
          >
            {texts.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
