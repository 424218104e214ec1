/**
 * The templates of the account.
 *
 * @module
 */
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import styles from "./Templates.module.css"
import { Thumbnail } from "./Thumbnail.tsx"

const listRoute = "GET /accounts/:accountId/templates"

type OneTemplate = ItemOf<typeof listRoute>

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
          <Thumbnail key={version} src={`/manage/v1/accounts/${accountId}/templates/${id}/frame`} />
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
      <AreaTabs area="templates" />
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
          <EmptyState icon="template" title={editor.empty}>
            {editor.emptyText}
          </EmptyState>
        }
      />
    </Page>
  )
}
