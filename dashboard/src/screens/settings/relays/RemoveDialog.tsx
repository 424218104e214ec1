/**
 * Asks for confirmation before a relay is removed, and shows how the live account uses it. A sandbox never sends through a relay.
 *
 * @module
 */
import { useApi } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { relayUse } from "../../../lib/relays.ts"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useRelayTexts } from "../../../texts/relays/useRelayTexts.ts"
import type { Relay } from "./RelayDialog.tsx"

/** The dialog. */
export const RemoveDialog = ({
  isBusy,
  onClose,
  onConfirm,
  relay
}: {
  readonly relay: Relay
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}) => {
  const texts = useRelayTexts()
  const format = useFormat()
  const { accountId } = useAccount().company.live
  const { data, error, refetch } = useApi("GET /accounts/:accountId", { params: { accountId } })
  const use = data === undefined ? null : relayUse(data.settings.delivery, relay.id)
  return (
    <ConfirmDialog
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      title={texts.removeTitle(relay.name)}
      text={
        use === null ? null : texts.removeText(format.number(use.named), format.number(use.only), use.only)
      }
      action={texts.remove}
      onConfirm={onConfirm}
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
    </ConfirmDialog>
  )
}
