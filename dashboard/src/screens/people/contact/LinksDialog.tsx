/**
 * The dialog that creates links to a person's own pages. They are shown once.
 *
 * @module
 */
import { useChange } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { Code } from "../../../parts/show/Code.tsx"

const kinds = ["preferences", "unsubscribe", "confirm"] as const

/** The dialog. */
export const LinksDialog = ({
  accountId,
  contactId,
  onClose
}: {
  readonly accountId: string
  readonly contactId: string
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const { data, error, isPending, mutate } = useChange("POST /accounts/:accountId/contacts/:id/links")
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.links}
      text={texts.linksText}
      actions={
        data === undefined ? (
          <>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button
              tone="primary"
              isBusy={isPending}
              onClick={() => mutate({ params: { accountId, id: contactId } })}
            >
              {texts.makeLinks}
            </Button>
          </>
        ) : (
          <Button tone="primary" onClick={onClose}>
            {common.done}
          </Button>
        )
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      {data !== undefined &&
        kinds.map((kind) => (
          <Section key={kind} title={texts.linkNames[kind]}>
            <Code label={texts.linkNames[kind]}>{new URL(data[kind], location.origin).href}</Code>
          </Section>
        ))}
    </Dialog>
  )
}
