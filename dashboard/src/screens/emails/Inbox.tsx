/**
 * The sandbox's inbox: emails that were captured instead of sent.
 *
 * @module
 */
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { ButtonAnchor } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Emails.module.css"

const listRoute = "GET /accounts/:accountId/inbox"

type Message = ItemOf<typeof listRoute>

/** How often the inbox is refreshed, in milliseconds. */
const pollMillis = 5_000

/** The screen. */
export const Inbox = () => {
  const { emails, inbox: texts, nav } = useTexts()
  const { id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } }, { refetchInterval: pollMillis })
  const columns: ReadonlyArray<Column<Message>> = [
    {
      key: "to",
      head: texts.to,
      width: "minmax(12rem, 2fr)",
      cell: ({ to }) => <bdi className={styles["address"]}>{to}</bdi>
    },
    {
      key: "subject",
      head: emails.subject,
      width: "minmax(12rem, 4fr)",
      narrow: "second",
      cell: ({ subject, text }) => (
        <>
          {subject === "" ? <span className={styles["soft"]}>{emails.noSubject}</span> : <bdi>{subject}</bdi>}
          {text !== null && (
            <span className={styles["soft"]}>
              {" "}
              – <bdi>{text.slice(0, 120)}</bdi>
            </span>
          )}
        </>
      )
    },
    {
      key: "from",
      head: texts.from,
      width: "minmax(9rem, 1.5fr)",
      cell: ({ from }) => <bdi>{from.name ?? from.email}</bdi>
    },
    {
      key: "received",
      head: texts.received,
      width: "9rem",
      narrow: "end",
      isEnd: true,
      cell: ({ receivedAt }) => (
        <span className={styles["soft"]}>
          <RelativeTime at={receivedAt} />
        </span>
      )
    }
  ]
  return (
    <Page isList title={nav.emails}>
      <AreaTabs area="emails" />
      <List
        label={texts.text}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/emails/inbox/$messageId",
          params: { accountId, messageId: id }
        })}
        empty={
          <EmptyState
            icon="inbox"
            title={texts.empty}
            action={
              <ButtonAnchor href="/docs/sending-email" target="_blank" rel="noreferrer" iconAfter="external">
                {emails.guide}
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
