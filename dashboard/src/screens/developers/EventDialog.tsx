/**
 * One reported event: its outcome, and what to do if it failed.
 *
 * @module
 */
import type { ItemOf } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Said } from "../../texts/said/Said.tsx"

/** The dialog. */
export const EventDialog = ({
  event: { eventId, failure, name, occurredAt, status },
  onClose
}: {
  readonly event: ItemOf<"GET /accounts/:accountId/events">
  readonly onClose: () => void
}) => {
  const { common, events: texts } = useTexts()
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={name}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      {failure !== null && (
        <Banner tone="warning">
          <p>
            <Said text={failure.message} />
          </p>
          <p>{texts.failedNext}</p>
        </Banner>
      )}
      <Facts
        facts={[
          [texts.id, <code key="id">{eventId}</code>],
          [texts.state, texts.states[status]],
          failure === null
            ? null
            : [
                texts.failure,
                <a key="code" href="/docs/errors" target="_blank" rel="noreferrer">
                  <code>{failure.code}</code>
                </a>
              ],
          [texts.happened, <RelativeTime key="at" at={occurredAt} form="moment" />]
        ]}
      />
    </Dialog>
  )
}
