/**
 * The images uploaded for emails.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useList } from "../../api/queries.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Row } from "../../parts/page/Columns.tsx"
import { EmptyState } from "../../parts/page/Empty.tsx"
import { Page } from "../../parts/page/Page.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"
import { ImageUpload } from "../editors/ImageUpload.tsx"
import styles from "./Templates.module.css"

const listRoute = "GET /accounts/:accountId/images"

type Image = ItemOf<typeof listRoute>

/** The screen. */
export const Images = () => {
  const { templates } = useTexts()
  const { blocks, images: texts } = useEditorTexts()
  const format = useFormat()
  const client = useQueryClient()
  const { can, id: accountId } = useAccount()
  const list = useList(listRoute, { params: { accountId } })
  const [removed, setRemoved] = useState<Image | null>(null)
  const { run } = useAction([listRoute])
  const mayWrite = can("templates:write")
  const nameOf = ({ name, type }: Image): string => name ?? texts.unnamed(type.slice(type.indexOf("/") + 1))
  const remove = (image: Image) => {
    setRemoved(null)
    void run(
      () => call("DELETE /accounts/:accountId/images/:id", { params: { accountId, id: image.id } }),
      texts.deleted(nameOf(image)),
      undefined,
      (one: Image) => (one.id === image.id ? null : one)
    )
  }
  const columns: ReadonlyArray<Column<Image>> = [
    {
      key: "name",
      head: texts.image,
      width: "minmax(14rem, 2fr)",
      cell: (image) => (
        <span className={styles["named"]}>
          <span className={styles["thumbnail"]}>
            <img src={new URL(image.url).pathname} alt="" loading="lazy" />
          </span>
          <bdi>{nameOf(image)}</bdi>
        </span>
      )
    },
    {
      key: "size",
      head: texts.size,
      width: "minmax(10rem, 1fr)",
      narrow: "second",
      cell: ({ bytes, height, width }) => `${width} × ${height}, ${format.bytes(bytes)}`
    },
    {
      key: "added",
      head: texts.added,
      width: "minmax(7rem, 0.8fr)",
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />
    },
    {
      key: "actions",
      head: texts.actions,
      isHeadHidden: true,
      width: "11rem",
      narrow: "end",
      isEnd: true,
      cell: (image) => (
        <Row>
          <CopyButton value={image.url} label={texts.copy} />
          {mayWrite && (
            <Button
              isSmall
              tone="danger"
              aria-label={`${texts.delete}: ${nameOf(image)}`}
              onClick={() => setRemoved(image)}
            >
              {texts.delete}
            </Button>
          )}
        </Row>
      )
    }
  ]
  return (
    <Page
      isList
      title={templates.title}
      actions={
        mayWrite && (
          <ImageUpload
            label={blocks.upload}
            busyLabel={blocks.uploading}
            onUploaded={() => void client.invalidateQueries({ queryKey: [listRoute] })}
          />
        )
      }
    >
      <AreaTabs area="templates" />
      <List
        hasPictures
        label={templates.images}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="template" title={texts.empty}>
            {texts.emptyText}
          </EmptyState>
        }
      />
      {removed !== null && (
        <ConfirmDialog
          isOpen
          title={texts.deleteTitle(nameOf(removed))}
          text={texts.deleteText}
          action={texts.delete}
          onClose={() => setRemoved(null)}
          onConfirm={() => remove(removed)}
        />
      )}
    </Page>
  )
}
