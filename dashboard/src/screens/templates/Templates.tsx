/**
 * The templates of the account.
 *
 * @module
 */
import { useEffect, useState } from "react"
import { type ItemOf, useList } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState, Page } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import styles from "./Templates.module.css"

const listRoute = "GET /accounts/:accountId/templates"

type OneTemplate = ItemOf<typeof listRoute>

/** How long a row stays in sight before its picture is loaded, in milliseconds: those that are scrolled past load none. */
const restMillis = 150

/** A template as it looks, too small to be read. */
const Thumbnail = ({
  accountId,
  templateId
}: {
  readonly accountId: string
  readonly templateId: string
}) => {
  const { template: texts } = useEditorTexts()
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), restMillis)
    return () => clearTimeout(timer)
  }, [])
  return (
    <span className={styles["thumbnail"]} aria-hidden="true" inert>
      {isSeen && (
        // Nothing in it runs, and its origin is no other's.
        <iframe
          key={templateId}
          title={texts.preview}
          tabIndex={-1}
          sandbox=""
          loading="lazy"
          referrerPolicy="no-referrer"
          src={`/manage/v1/accounts/${accountId}/templates/${templateId}/frame`}
        />
      )}
    </span>
  )
}

/** The screen. */
export const Templates = () => {
  const { templates: texts } = useTexts()
  const { can, id: accountId } = useAccount()
  const { template: editor } = useEditorTexts()
  const list = useList(listRoute, { params: { accountId } })
  const columns: ReadonlyArray<Column<OneTemplate>> = [
    {
      key: "name",
      head: texts.name,
      width: "minmax(14rem, 1.6fr)",
      cell: ({ id, name, version }) => (
        <span className={styles["named"]}>
          <Thumbnail key={version} accountId={accountId} templateId={id} />
          <bdi>{name}</bdi>
        </span>
      )
    },
    {
      key: "subject",
      head: texts.subject,
      width: "minmax(12rem, 2fr)",
      narrow: "second",
      cell: ({ subject }) => <bdi>{subject}</bdi>
    },
    {
      key: "used",
      head: editor.lastUsed,
      width: "minmax(7rem, 0.8fr)",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "–" : <RelativeTime at={lastUsedAt} />)
    },
    {
      key: "changed",
      head: texts.changed,
      width: "minmax(7rem, 0.8fr)",
      narrow: "end",
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />
    }
  ]
  const add = can("templates:write") && (
    <ButtonLink tone="primary" icon="plus" to="/a/$accountId/templates/new" params={{ accountId }}>
      {editor.new}
    </ButtonLink>
  )
  return (
    <Page isList title={texts.title} actions={add}>
      <div />
      <List
        hasPictures
        label={texts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: "/a/$accountId/templates/$templateId",
          params: { accountId, templateId: id }
        })}
        empty={
          <EmptyState icon="template" title={editor.empty} action={add}>
            {editor.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
